// Vectors as bytes: each byte times the scale of the vector gives its number. The scale is the largest number
// (without sign) divided by 127.
// Invariant: the error of each number is at most half the scale.

const maxStoredNumber = 127

export interface QuantisedVector {
  readonly numbers: Int8Array
  readonly scale: number
}

/** The numbers of a vector of finite numbers, from −127 to 127, and their scale; all zeros for a zero vector. */
export function quantise(vector: Float32Array): QuantisedVector {
  // The matrix stores the scale as a 32-bit float, so divide by that same number.
  const scale = Math.fround(largestMagnitude(vector) / maxStoredNumber)
  const numbers = new Int8Array(vector.length)
  if (scale === 0) return { numbers, scale }
  for (let i = 0; i < vector.length; i++) {
    const number = Math.round((vector[i] as number) / scale)
    numbers[i] = Math.max(-maxStoredNumber, Math.min(maxStoredNumber, number))
  }
  return { numbers, scale }
}

/**
 * Writes a question, a vector of finite numbers, as 16-bit numbers: their rounding error is much smaller than that of
 * a stored vector. `into` may be longer than the vector; the rest becomes 0. Returns the scale; 0 for a zero vector.
 */
export function quantiseQuestion(vector: Float32Array, into: Int16Array): number {
  // A dot product with stored numbers fits a signed 32-bit integer.
  const maxNumber = Math.min(32_767, Math.floor((2 ** 31 - 1) / (maxStoredNumber * into.length)))
  const scale = largestMagnitude(vector) / maxNumber
  into.fill(0)
  if (scale === 0) return 0
  for (let i = 0; i < vector.length; i++) into[i] = Math.round((vector[i] as number) / scale)
  return scale
}

/** The vector scaled to unit length; a zero vector stays zero. Undefined when a number is not finite. */
export function normalise(vector: ArrayLike<number>): Float32Array | undefined {
  const unit = Float32Array.from(vector)
  let squares = 0
  for (let i = 0; i < unit.length; i++) squares += (unit[i] as number) ** 2
  if (!Number.isFinite(squares)) return undefined
  if (squares === 0) return unit
  const length = Math.sqrt(squares)
  for (let i = 0; i < unit.length; i++) unit[i] = (unit[i] as number) / length
  return unit
}

function largestMagnitude(vector: Float32Array): number {
  let most = 0
  for (let i = 0; i < vector.length; i++) most = Math.max(most, Math.abs(vector[i] as number))
  return most
}
