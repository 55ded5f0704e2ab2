// Filters of a store, with the meaning that they have in the store of the framework: plain values are compared as they are,
// what is compared by size is compared as numbers.
import type { JsonObject } from '../../../core/json/path.ts'

const operators: Readonly<Record<string, (value: unknown, given: unknown) => boolean>> = {
  $eq: (value, given) => value === given,
  $ne: (value, given) => value !== given,
  $gt: (value, given) => Number(value) > Number(given),
  $gte: (value, given) => Number(value) >= Number(given),
  $lt: (value, given) => Number(value) < Number(given),
  $lte: (value, given) => Number(value) <= Number(given),
  $in: (value, given) => Array.isArray(given) && given.includes(value),
  $nin: (value, given) => !Array.isArray(given) || !given.includes(value),
}

/** True when `value` has in each field what `filter` says of it. */
export function passes(value: JsonObject, filter: Readonly<Record<string, unknown>> | undefined): boolean {
  return Object.entries(filter ?? {}).every(([field, wanted]) => {
    const found = Object.hasOwn(value, field) ? value[field] : undefined
    const isOperators =
      typeof wanted === 'object' &&
      wanted !== null &&
      Object.keys(wanted).every((name) => Object.hasOwn(operators, name))
    if (!isOperators) return found === wanted
    return Object.entries(wanted).every(([name, given]) => operators[name]?.(found, given) === true)
  })
}
