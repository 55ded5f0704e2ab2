// What becomes of a record beside its content: it is removed, marked, and dated by the days of its book.
import type { BookCase } from '../book-case.ts'
import { zoneCases } from './zone.ts'
import { markCases, sealedMarkCases } from './mark.ts'
import { markReachCases, sealedMarkReachCases } from './mark-reach.ts'
import { removalCases } from './removal.ts'

export function markedCases(cases: BookCase, keepsKeys: boolean): void {
  removalCases(cases)
  markCases(cases)
  markReachCases(cases)
  if (keepsKeys) sealedMarkCases(cases)
  if (keepsKeys) sealedMarkReachCases(cases)
  zoneCases(cases)
}
