// Comparing what is secret.

/** True when two texts of one length are the same; as long in time whatever differs. */
export function isSameHash(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let i = 0; i < one.length; i++) difference |= one.charCodeAt(i) ^ other.charCodeAt(i)
  return difference === 0
}
