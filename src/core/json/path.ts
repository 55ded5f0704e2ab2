// JSON values, and dotted paths into them: `situation.context.course`.
import { DaybookError } from '../errors.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** True for a plain object: not null, not a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value at a dotted path of own keys of objects; undefined if a step is missing. */
export function readPath(value: unknown, path: string): Json | undefined {
  let current: unknown = value
  for (const key of path.split('.')) {
    if (!isJsonObject(current) || !Object.hasOwn(current, key)) return undefined
    current = current[key]
  }
  return current as Json | undefined
}

/**
 * Returns `path`. Throws `invalid-filter` unless it has 1 to 16 non-empty steps and at most 512 characters, without
 * quotes, backslashes and control characters. `where`: name of the input, for the error.
 */
export function checkPath(path: string, where: string): string {
  const steps = path.split('.')
  // eslint-disable-next-line no-control-regex -- controls are exactly what is refused
  const sound =
    path.length <= 512 &&
    steps.length <= 16 &&
    steps.every((step) => step !== '' && !/["\\\u0000-\u001f]/.test(step))
  if (!sound) {
    throw new DaybookError('invalid-filter', `\`${path.slice(0, 80)}\` is not a path.`, {
      details: { path: where },
    })
  }
  return path
}

/** True if `path` is `prefix` or below it. */
export function isPathWithin(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}.`)
}

/** All texts and numbers in `value`, without field names. */
export function textValues(value: Json | undefined): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null
    ? Object.values(value as JsonObject).flatMap(textValues)
    : []
}

/** True if two JSON values are equal. The order of fields doesn't matter. */
export function sameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (Object.is(one, other)) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item: Json, i) => sameJson(item, other[i]))
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key], other[key]))
}
