// Removes undefined fields from object literals.

/** `T` with optional fields in place of fields that may be undefined. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Returns a copy of `value` without undefined fields: `{ id, ...defined({ session }) }`. */
export function defined<T extends object>(value: T): Defined<T>
export function defined(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const key in value) if (value[key] !== undefined) copy[key] = value[key]
  return copy
}
