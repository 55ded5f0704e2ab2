// Dotted paths into a record's body: `situation.context.course`. Object keys only, own properties only.
import { DaybookError } from '../errors.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** True for a plain object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at a dotted path, or undefined when any step of it is missing. Never reads a prototype. */
export function readPath(value: unknown, path: string): Json | undefined {
  let current: unknown = value
  for (const key of path.split('.')) {
    if (!isJsonObject(current) || !Object.hasOwn(current, key)) return undefined
    current = current[key]
  }
  return current as Json | undefined
}

/** Checks a dotted path that came from outside: 1 to 16 steps, no empty one, no quotes, backslashes or controls. */
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

/** True when `path` is `prefix` or lies below it. */
export function isWithin(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}.`)
}
