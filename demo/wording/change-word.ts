// What differs between two bodies of a record, as dotted paths to the places that do.
type Fields = Readonly<Record<string, unknown>>

/** Paths whose values differ; a part that only one side has is named once, at its top. */
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

/** The value at a dotted path that `changedPaths` named. */
export function valueAt(body: Fields | undefined, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isFields(value) ? value[key] : undefined), body)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
