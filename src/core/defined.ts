// Optional fields of an object literal.

/** `T` whose fields that may be undefined are optional instead. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** A copy of `value` without the keys whose value is undefined: `{ id, ...defined({ session }) }`. */
export function defined<T extends object>(value: T): Defined<T>
export function defined(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const key in value) if (value[key] !== undefined) copy[key] = value[key]
  return copy
}
