// How a law says that it is broken.
export function same(actual: unknown, expected: unknown, law: string): void {
  const one = JSON.stringify(actual)
  const other = JSON.stringify(expected)
  if (one !== other) throw new Error(`${law}\n  is       ${one}\n  expected ${other}`)
}

/** Throws when there is any of what there must not be. */
export function none(found: readonly unknown[], law: string): void {
  if (found.length > 0) throw new Error(`${law}\n  is not so: ${JSON.stringify(found)}`)
}
