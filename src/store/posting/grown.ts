// Arrays of numbers that grow: a larger one takes over what the smaller one holds.

/** `larger`, with everything that `values` hold at its beginning. */
export function grown<Values extends Numbers>(values: Values, larger: Values): Values {
  larger.set(values)
  return larger
}

interface Numbers extends ArrayLike<number> {
  set(values: ArrayLike<number>): void
}
