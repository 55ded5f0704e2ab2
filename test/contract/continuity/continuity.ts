// A persona from day to day, on every host: who it is, its sessions and turns, what it keeps, and what it wakes up to.
import type { BookCase } from '../book-case.ts'
import { backupCases } from './backup.ts'
import { dayCases } from './day.ts'
import { katraShapeCases } from './katra-shape.ts'
import { personaCases } from './persona.ts'
import { sessionCases } from './session.ts'
import { thoughtCases } from './thought.ts'

/** What a host can do that these cases ask for. */
export interface DayHost {
  readonly keepsKeys: boolean
  /** A call can be cancelled from outside: not across the border of a Durable Object. */
  readonly cancels: boolean
}

export function continuityCases(cases: BookCase, host: DayHost): void {
  personaCases(cases)
  sessionCases(cases, host.cancels)
  thoughtCases(cases)
  dayCases(cases, host)
  backupCases(cases, host.keepsKeys)
  katraShapeCases(cases)
}
