// What holds for every call, whatever it is of: where it runs, how it is called, and that it is written down.
import type { BookCase } from '../book-case.ts'
import { callOptionCases } from '../option.ts'
import { accessLogCases } from './access-log.ts'
import { type HostPlace, verbPlaceCases } from '../access/verb-place.ts'

export function doorCases(cases: BookCase, place: HostPlace): void {
  verbPlaceCases(cases, place)
  callOptionCases(cases)
  accessLogCases(cases)
}
