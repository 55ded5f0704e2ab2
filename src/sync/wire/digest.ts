// Proof that a device and its mirror have the same, and where they differ if not: sums over places, whole and by range.
import type { PlaceSum } from '../../store/record/place-sum.ts'
import type { WireDigest } from './protocol.ts'

/** Into how many ranges of places the mirror divides its sequence when a device looks for a difference. */
export const rangeCount = 64

/** A sum as it travels; `seq` is the place up to which it was taken. */
export function toDigest({ n, sum, squares }: PlaceSum, seq: number): WireDigest {
  return { seq, n, x: `${sum.toString(36)}.${squares.toString(36)}` }
}

/** The upper ends of at most `rangeCount` ranges of equal width that cover the places up to `head`. */
export function rangeEnds(head: number): number[] {
  const width = Math.max(1, Math.ceil(head / rangeCount))
  return Array.from({ length: Math.ceil(head / width) }, (_, i) => Math.min(head, (i + 1) * width))
}

export function sameDigest(one: WireDigest, other: WireDigest): boolean {
  return one.seq === other.seq && one.n === other.n && one.x === other.x
}
