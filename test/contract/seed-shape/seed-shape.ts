// The examples of other memories' descriptions, as they stand there, and the days of a persona, which one of them describes.
import type { HostPlace } from '../access/verb-place.ts'
import type { BookCase } from '../book-case.ts'
import { continuityCases } from '../continuity/continuity.ts'
import { a2pShapeCases } from './a2p.ts'
import { messageCases } from './message.ts'
import { specificationCases } from './specification.ts'
import { specificationBundleCases } from './specification-bundle.ts'

export function seedShapeCases(cases: BookCase, place: HostPlace): void {
  specificationCases(cases, place)
}

/** Other spellings of the same verbs, and what one of them is about: no host changes them. */
export function seedShapeRuleCases(
  cases: BookCase,
  place: HostPlace & { readonly keepsKeys?: boolean },
): void {
  specificationBundleCases(cases)
  messageCases(cases)
  a2pShapeCases(cases)
  continuityCases(cases, { keepsKeys: place.keepsKeys !== false, cancels: place.role !== 'mirror' })
}
