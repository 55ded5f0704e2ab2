// Copies of values from a program, for which each member is read once: a getter or a proxy may answer differently each
// time, or throw.
import { jsonLimits, notPlain, spend, tooDeep, wrong } from './json.ts'

/**
 * Returns a copy of the plain objects and lists of `value`; any other value stays as it is. With `isStrict`, throws
 * `invalid-input` with the path for a value that is not JSON. A getter or a proxy that throws is `invalid-input` too.
 */
export function copyJson(value: unknown, isStrict = false): unknown {
  return copyAt(value, [], { remaining: jsonLimits.length, depth: jsonLimits.depth, isStrict })
}

interface Copying {
  remaining: number
  readonly depth: number
  readonly isStrict: boolean
}

function copyAt(value: unknown, path: string[], copying: Copying): unknown {
  if (typeof value !== 'object' || value === null) {
    if (copying.isStrict && /function|symbol|bigint/.test(typeof value))
      throw wrong(path, `A ${typeof value} is not JSON`)
    return value
  }
  if (path.length >= copying.depth) throw wrong(path, tooDeep(copying.depth))
  const { keys, copy } = readable(path, () => shapeOf(value))
  if (!copy) {
    if (copying.isStrict) throw wrong(path, notPlain(value))
    return value
  }
  spend(keys.length, path, copying)
  for (const key of keys) {
    path.push(key)
    const member = readable(path, () => (value as Readonly<Record<string, unknown>>)[key])
    // An assignment to `__proto__` would add no member.
    Object.defineProperty(copy, key, {
      value: copyAt(member, path, copying),
      enumerable: true,
      writable: true,
      configurable: true,
    })
    path.pop()
  }
  return copy
}

/** The names of the members, and an empty copy; no copy of a class instance, or of a list beyond the limit. */
function shapeOf(value: object): { readonly keys: readonly string[]; readonly copy?: object } {
  if (Array.isArray(value))
    return value.length > jsonLimits.length
      ? { keys: [] }
      : { keys: Object.keys(value), copy: new Array<unknown>(value.length) }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return { keys: [] }
  return { keys: Object.keys(value), copy: {} }
}

/** Runs `read`. Throws `invalid-input` if a getter or a proxy throws. */
function readable<Value>(path: readonly string[], read: () => Value): Value {
  try {
    return read()
  } catch (cause) {
    throw wrong(path, "It can't be read: a getter or a proxy threw an error", cause)
  }
}
