// Truncated singular value decomposition of a sparse matrix by subspace iteration on a random start, in small steps
// (Halko, Martinsson and Tropp 2011, algorithms 4.4 and 5.1, on the right side).
// Invariant: the same matrix and seed give the same vectors. From one `yield` to the next, the work takes a
// few milliseconds at most.

/** Row i has the columns `columns[starts[i]…starts[i + 1])` with the `values` at the same places. */
export interface SparseMatrix {
  readonly rows: number
  readonly width: number
  readonly starts: Uint32Array
  readonly columns: Uint32Array
  readonly values: Float64Array
}

export interface RightVectors {
  /** Singular values, descending; 0 where the matrix has no further direction. */
  readonly values: Float64Array
  /** By value: its right singular vector, of length 1, the largest number positive. */
  readonly vectors: readonly Float64Array[]
}

/** Directions computed beyond the wanted ones: they make the last wanted ones more exact. */
const oversampling = 10
const iterations = 3
/**
 * Noise: a singular value below this share of the largest, and a vector of which less than this share is
 * orthogonal to the earlier ones.
 */
const rankTolerance = 1e-9

/** The first `rank` right singular vectors. Yields between steps, so that the caller can run other work. */
export function* truncatedSvd(matrix: SparseMatrix, rank: number, seed = 1): Generator<void, RightVectors> {
  const count = Math.min(rank + oversampling, matrix.width, matrix.rows)
  const random = createNormal(seed)
  let basis: Float64Array[] = []
  for (let i = 0; i < count; i++) {
    basis.push(Float64Array.from({ length: matrix.width }, random))
    yield
  }
  for (let i = 0; i < iterations; i++) {
    const next: Float64Array[] = []
    for (const direction of basis) {
      next.push(multiplyTransposed(matrix, multiply(matrix, direction)))
      yield
    }
    yield* orthonormalise(next)
    basis = next
  }
  // Rayleigh–Ritz: in the subspace, decompose a small matrix.
  const images: Float64Array[] = []
  for (const direction of basis) {
    images.push(multiply(matrix, direction))
    yield
  }
  const gram: Float64Array[] = []
  for (const image of images) {
    gram.push(Float64Array.from(images, (other) => dot(image, other)))
    yield
  }
  const { values, vectors } = yield* eigendecompose(gram)
  const right: Float64Array[] = []
  const singular = new Float64Array(rank)
  for (let i = 0; i < rank; i++) {
    const weights = vectors[i]
    const value = Math.sqrt(Math.max(0, values[i] ?? 0))
    const isReal = weights !== undefined && value > rankTolerance * Math.sqrt(values[0] ?? 0)
    singular[i] = isReal ? value : 0
    right.push(isReal ? withPositiveLargest(combine(basis, weights)) : new Float64Array(matrix.width))
    yield
  }
  return { values: singular, vectors: right }
}

function multiply({ rows, starts, columns, values }: SparseMatrix, vector: Float64Array): Float64Array {
  const product = new Float64Array(rows)
  for (let row = 0; row < rows; row++) {
    let sum = 0
    const end = starts[row + 1] as number
    for (let i = starts[row] as number; i < end; i++)
      sum += (values[i] as number) * (vector[columns[i] as number] as number)
    product[row] = sum
  }
  return product
}

function multiplyTransposed(
  { rows, width, starts, columns, values }: SparseMatrix,
  vector: Float64Array,
): Float64Array {
  const product = new Float64Array(width)
  for (let row = 0; row < rows; row++) {
    const factor = vector[row] as number
    const end = starts[row + 1] as number
    for (let i = starts[row] as number; i < end; i++) {
      const column = columns[i] as number
      product[column] = (product[column] as number) + (values[i] as number) * factor
    }
  }
  return product
}

/** Makes the vectors orthogonal and of length 1, in place; a dependent one becomes zeros. */
function* orthonormalise(vectors: readonly Float64Array[]): Generator<void> {
  for (const [i, vector] of vectors.entries()) {
    const before = Math.sqrt(dot(vector, vector))
    // Twice is enough (Giraud et al. 2005): rounding leaves parts of earlier directions after the first time.
    for (let round = 0; round < 2; round++)
      for (let j = 0; j < i; j++)
        addScaled(vector, vectors[j] as Float64Array, -dot(vector, vectors[j] as Float64Array))
    const length = Math.sqrt(dot(vector, vector))
    const factor = length > rankTolerance * before && length > 0 ? 1 / length : 0
    for (let k = 0; k < vector.length; k++) vector[k] = (vector[k] as number) * factor
    yield
  }
}

interface Eigenpairs {
  /** Eigenvalues, descending. */
  readonly values: Float64Array
  /** By value: its eigenvector, of length 1. */
  readonly vectors: readonly Float64Array[]
}

/** The eigenpairs of a symmetric matrix, by cyclic Jacobi rotations (Golub and Van Loan, 8.5). */
function* eigendecompose(symmetric: readonly Float64Array[]): Generator<void, Eigenpairs> {
  const size = symmetric.length
  const a = symmetric.map((row) => row.slice())
  const vectors = a.map((_, i) => Float64Array.from({ length: size }, (__, j) => (i === j ? 1 : 0)))
  const total = a.reduce((sum, row) => sum + dot(row, row), 0)
  for (let sweep = 0; sweep < 30; sweep++) {
    let offDiagonal = 0
    for (let p = 0; p < size; p++)
      for (let q = p + 1; q < size; q++) offDiagonal += ((a[p] as Float64Array)[q] as number) ** 2
    if (offDiagonal <= 1e-24 * total) break
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) rotate(a, vectors, p, q)
      yield
    }
  }
  const order = a
    .map((row, i) => ({ value: row[i] as number, i }))
    .sort((x, y) => y.value - x.value || x.i - y.i)
  return {
    values: Float64Array.from(order, ({ value }) => value),
    vectors: order.map(({ i }) => vectors[i] as Float64Array),
  }
}

/** One rotation that makes a[p][q] zero. `vectors[i]` stays the i-th eigenvector. */
function rotate(a: readonly Float64Array[], vectors: readonly Float64Array[], p: number, q: number): void {
  const rowP = a[p] as Float64Array
  const rowQ = a[q] as Float64Array
  const pq = rowP[q] as number
  if (pq === 0) return
  const theta = ((rowQ[q] as number) - (rowP[p] as number)) / (2 * pq)
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
  const c = 1 / Math.sqrt(t * t + 1)
  const s = t * c
  for (const row of a) {
    const x = row[p] as number
    const y = row[q] as number
    row[p] = c * x - s * y
    row[q] = s * x + c * y
  }
  rotateRows(rowP, rowQ, c, s)
  rotateRows(vectors[p] as Float64Array, vectors[q] as Float64Array, c, s)
}

function rotateRows(x: Float64Array, y: Float64Array, c: number, s: number): void {
  for (let k = 0; k < x.length; k++) {
    const u = x[k] as number
    const v = y[k] as number
    x[k] = c * u - s * v
    y[k] = s * u + c * v
  }
}

function combine(basis: readonly Float64Array[], weights: Float64Array): Float64Array {
  const sum = new Float64Array(basis[0]?.length ?? 0)
  for (const [i, direction] of basis.entries()) addScaled(sum, direction, weights[i] as number)
  return sum
}

/** The sign of a singular vector is arbitrary: choose the same each time. */
function withPositiveLargest(vector: Float64Array): Float64Array {
  let largest = 0
  for (const number of vector) if (Math.abs(number) > Math.abs(largest)) largest = number
  return largest < 0 ? vector.map((number) => -number) : vector
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}

function addScaled(to: Float64Array, vector: Float64Array, factor: number): void {
  for (let i = 0; i < to.length; i++) to[i] = (to[i] as number) + factor * (vector[i] as number)
}

/** Numbers of a normal distribution by Box and Muller, over a generator of 32 bits (mulberry32). */
function createNormal(seed: number): () => number {
  let state = seed >>> 0
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
}
