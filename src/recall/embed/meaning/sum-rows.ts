// The sum of rows of a table of vectors, each times its scale and the weight of its place.
// Invariant: each number is added in the order of the rows, in doubles, so that every host computes the same bits.

export interface ScaledRows {
  readonly dimensions: number
  readonly scales: Float32Array
  /** Row i has the numbers from `i × dimensions` on. */
  readonly rows: Int8Array
}

/** The piece at this place counts half as much as the first: the beginning of a long text names its subject. */
const halfPlace = 50
let factors = new Float64Array(1024)

/**
 * Writes the sum of the first `count` rows that `list` names into `sum`, which has `dimensions` numbers. The row at
 * place i of the list is multiplied by its scale and by `halfPlace / (halfPlace + i)`.
 */
export function sumRows(
  sum: Float64Array,
  { dimensions, scales, rows }: ScaledRows,
  list: Int32Array,
  count: number,
): void {
  if (factors.length < count) factors = new Float64Array(2 * count)
  for (let i = 0; i < count; i++)
    factors[i] = (scales[list[i] as number] as number) * (halfPlace / (halfPlace + i))
  // Eight sums at a time stay in registers.
  let at = 0
  for (; at + 8 <= dimensions; at += 8) {
    let s0 = 0
    let s1 = 0
    let s2 = 0
    let s3 = 0
    let s4 = 0
    let s5 = 0
    let s6 = 0
    let s7 = 0
    for (let i = 0; i < count; i++) {
      const row = list[i] as number
      const factor = factors[i] as number
      const from = row * dimensions + at
      s0 += factor * (rows[from] as number)
      s1 += factor * (rows[from + 1] as number)
      s2 += factor * (rows[from + 2] as number)
      s3 += factor * (rows[from + 3] as number)
      s4 += factor * (rows[from + 4] as number)
      s5 += factor * (rows[from + 5] as number)
      s6 += factor * (rows[from + 6] as number)
      s7 += factor * (rows[from + 7] as number)
    }
    sum[at] = s0
    sum[at + 1] = s1
    sum[at + 2] = s2
    sum[at + 3] = s3
    sum[at + 4] = s4
    sum[at + 5] = s5
    sum[at + 6] = s6
    sum[at + 7] = s7
  }
  for (; at < dimensions; at++) {
    let one = 0
    for (let i = 0; i < count; i++) {
      one += (factors[i] as number) * (rows[(list[i] as number) * dimensions + at] as number)
    }
    sum[at] = one
  }
}
