// Figures for ranked answers with graded judgements. All are shares from 0 to 1.

/** Where a set of hits is judged, those scoring less than this share of the best are left out. */
export const keptShare = 0.6

export interface Judged {
  /** Keys, best first. */
  readonly found: readonly string[]
  /** By key: 3 answers, 2 helps much, 1 helps a little. */
  readonly grades: ReadonlyMap<string, number>
}

/** Reads `a=3 b=1`. */
export const gradesOf = (text: string): Map<string, number> =>
  new Map(
    text
      .split(' ')
      .filter((part) => part !== '')
      .map((part) => {
        const at = part.lastIndexOf('=')
        return [part.slice(0, at), Number(part.slice(at + 1))]
      }),
  )

/** Discounted cumulative gain (Järvelin and Kekäläinen 2002; gains 2^grade − 1) as a share of the best there could be. */
export function ndcg({ found, grades }: Judged, k: number): number {
  const gain = (grade: number, i: number) => (2 ** grade - 1) / Math.log2(i + 2)
  const ideal = [...grades.values()].sort((a, b) => b - a).slice(0, k)
  const best = ideal.reduce((sum, grade, i) => sum + gain(grade, i), 0)
  const real = found.slice(0, k).reduce((sum, key, i) => sum + gain(grades.get(key) ?? 0, i), 0)
  return best > 0 ? real / best : 0
}

/** The share of the records that answer (grade 3) among the first k. */
export function recallAt({ found, grades }: Judged, k: number): number {
  const wanted = [...grades].filter(([, grade]) => grade === 3).map(([key]) => key)
  if (wanted.length === 0) return 0
  return wanted.filter((key) => found.slice(0, k).includes(key)).length / wanted.length
}

/** Which share of what was returned answers or helps much (grade 2 or 3). */
export function precision({ found, grades }: Judged): number {
  return found.length === 0 ? 0 : found.filter((key) => (grades.get(key) ?? 0) > 1).length / found.length
}

/** One over the rank of the first that answers. */
export function reciprocalRank({ found, grades }: Judged): number {
  const at = found.findIndex((key) => grades.get(key) === 3)
  return at < 0 ? 0 : 1 / (at + 1)
}

/** The share of `wanted` among the first k. */
export function coverage(wanted: readonly string[], found: readonly string[], k: number): number {
  const first = new Set(found.slice(0, k))
  return wanted.length === 0 ? 0 : wanted.filter((key) => first.has(key)).length / wanted.length
}

/**
 * Of the pairs of `wanted`, the share in the right order among the first k: Kendall's concordant pairs. A pair of which one is
 * missing is wrong. `wanted` has two or more.
 */
export function orderOfPairs(wanted: readonly string[], found: readonly string[], k: number): number {
  const first = found.slice(0, k)
  const places = wanted.map((key) => first.indexOf(key))
  const pairs = places.flatMap((a, i) => places.slice(i + 1).map((b) => a >= 0 && a < b))
  return mean(pairs.map(Number))
}

export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
