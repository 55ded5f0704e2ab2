// Whether two JSON values say the same.
import { isJsonObject, type Json } from './path.ts'

/** True when two values say the same, whatever the order of their fields. */
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
