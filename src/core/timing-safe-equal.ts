// Comparing what is secret. Invariant: it takes as long whatever differs, so that time tells nothing of what was expected.

/** True when two texts of one length are the same. */
export function timingSafeEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let i = 0; i < one.length; i++) difference |= one.charCodeAt(i) ^ other.charCodeAt(i)
  return difference === 0
}
