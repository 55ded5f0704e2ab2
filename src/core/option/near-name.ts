// Which of some names somebody meant who wrote another one.

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Steps from one text to the other: a letter more, one less, another one, or two that changed places. */
function distance(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, j) => j)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const changed = (last[j - 1] ?? 0) + (isSame ? 0 : 1)
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed, swapped))
    }
    before = last
    last = row
  }
  return last[other.length] ?? 0
}

/** Longer texts are no misspelt names. */
const longest = 64

/**
 * The one of `names` that `given` is nearest to, if it is near: the same but for case and separators, or no more than one
 * step in three letters away (optimal string alignment).
 */
export function nearName(given: string, names: readonly string[]): string | undefined {
  if (given.length > longest) return undefined
  const wanted = plain(given)
  const limit = Math.max(1, Math.floor(wanted.length / 3))
  let best: string | undefined
  let least = limit + 1
  for (const name of names) {
    const steps = distance(wanted, plain(name))
    if (steps < least) {
      best = name
      least = steps
    }
  }
  return wanted === '' ? undefined : best
}
