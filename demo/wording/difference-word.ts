// The differences between bodies of a record, as paths to the fields that differ, and the body that a choice between three sides
// makes. Invariant: a body made of one side's fields alone equals that side.

export type Fields = Readonly<Record<string, unknown>>
export type Path = readonly string[]

/** Paths where the sides differ; a part that only some sides have is one path, at its top. */
export function differingPaths(sides: readonly Fields[], prefix: Path = []): Path[] {
  const keys = [...new Set(sides.flatMap((side) => Object.keys(side)))]
  return keys.flatMap((key) => {
    const values = sides.map((side) => (Object.hasOwn(side, key) ? side[key] : undefined))
    const path = [...prefix, key]
    if (values.every(isFields)) return differingPaths(values, path)
    return values.every((value) => isSame(value, values[0])) ? [] : [path]
  })
}

export function fieldAt(side: Fields | undefined, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) => (isFields(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    side,
  )
}

/** `body` with `value` at `path`; undefined removes the field. */
export function withField(body: Fields, [key, ...rest]: Path, value: unknown): Fields {
  if (key === undefined) return body
  const inner = Object.hasOwn(body, key) ? body[key] : undefined
  const next = rest.length === 0 ? value : withField(isFields(inner) ? inner : {}, rest, value)
  const others = Object.entries(body).filter(([name]) => name !== key)
  return Object.fromEntries(next === undefined ? others : [...others, [key, next]])
}

/** Equal as JSON, whatever the order of fields. */
export function isSame(one: unknown, other: unknown): boolean {
  if (isFields(one) && isFields(other)) {
    const keys = Object.keys(one)
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
    )
  }
  return JSON.stringify(one) === JSON.stringify(other)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Dotted paths where two bodies differ; a part that only one has is one path, at its top. */
export function changedPaths(before: Fields, after: Fields, prefix = ''): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys.flatMap((key) => {
    const path = prefix === '' ? key : `${prefix}.${key}`
    const a = before[key]
    const b = after[key]
    if (isFields(a) && isFields(b)) return changedPaths(a, b, path)
    return JSON.stringify(a) === JSON.stringify(b) ? [] : [path]
  })
}

/** The value at a dotted path of `changedPaths`. */
export function valueAt(body: Fields | undefined, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isFields(value) ? value[key] : undefined), body)
}
