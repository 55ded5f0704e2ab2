// The examples of other memories' descriptions, as they stand there.
import type { HostPlace } from '../access/verb-place.ts'
import type { BookCase } from '../book-case.ts'
import { messageCases } from './message.ts'
import { specificationCases } from './specification.ts'
import { specificationBundleCases } from './specification-bundle.ts'

export function seedShapeCases(cases: BookCase, place: HostPlace): void {
  specificationCases(cases, place)
  specificationBundleCases(cases)
  messageCases(cases)
}
