// Figures for ranked answers with graded judgements. All are shares from 0 to 1.

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

/** Which share of the records that answer (grade 3) stands among the first k. */
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

export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
