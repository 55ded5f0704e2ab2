// Filters on instants: any ISO 8601 form, a bare date for the whole day in the book's time zone, `now`, `today`,
// `yesterday`, `tomorrow`, and distances such as `-7d`.
// Invariant: an invalid instant throws with its path; a text comparison would silently match nothing.
import { canonicalTime, formatTime, isDateOnly, parseDuration } from '../time.ts'
import { type Zone, dayMs, endingOf, utcZone } from '../zone.ts'
import { DaybookError } from '../errors.ts'
import type { Predicate, Scalar } from './filter.ts'
import type { Kind } from '../kind.ts'

/** Current time and time zone of a query. */
export interface Moment {
  readonly nowMs: number
  readonly zone: Zone
}

const wordsOfDays: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 }

/** Returns the date that `word` names; undefined if `word` names no day. */
export function dayNamed(word: string, { nowMs, zone }: Moment): string | undefined {
  const days = Object.hasOwn(wordsOfDays, word) ? wordsOfDays[word] : undefined
  if (days === undefined) return undefined
  // Adds calendar days, not hours: a day may have 23 or 25 hours.
  const local = Date.parse(zone.dayOf(nowMs))
  return formatTime(local + days * dayMs).slice(0, 10)
}

/**
 * Replaces every condition on an instant by comparisons of canonical text. Paths of instants: `created_at`,
 * `updated_at`, and those that `kinds` declare. Default of `moment`: 1970 in UTC, for filters without relative times.
 */
export function resolveTimes(
  predicate: Predicate,
  kinds: Kind | readonly Kind[] | undefined,
  moment: Moment = { nowMs: 0, zone: utcZone },
): Predicate {
  let paths: ReadonlySet<string> | undefined
  // Many queries have no condition: then no kind is looked at.
  const isInstant = (path: string) => (paths ??= timePaths(kinds)).has(path)
  const resolve = (one: Predicate): Predicate => {
    switch (one.test) {
      case 'all':
      case 'any':
        return { ...one, of: one.of.map(resolve) }
      case 'not':
        return { ...one, of: resolve(one.of) }
      case 'exists':
      case 'contains':
        return one
      case 'eq':
        return isInstant(one.path) ? same(one, one.value, moment) : one
      case 'in':
        return isInstant(one.path) ? among(one, moment) : one
      default: {
        if (!isInstant(one.path)) return one
        const value = instantOf(one.value, one, moment)
        if (typeof value !== 'string') return one
        // After `gt` and `lte`, a date means its last instant.
        const isLast = one.test === 'gt' || one.test === 'lte'
        return { ...one, value: isLast ? endingOf(value, moment.zone) : firstOf(value, moment) }
      }
    }
  }
  return resolve(predicate)
}

function timePaths(kinds: Kind | readonly Kind[] | undefined): ReadonlySet<string> {
  const paths = new Set(['created_at', 'updated_at'])
  const list = kinds === undefined ? [] : 'name' in kinds ? [kinds] : kinds
  for (const { facets, begins, expires } of list)
    for (const path of [facets.happened_at, begins, expires]) if (path !== undefined) paths.add(path)
  return paths
}

type Test = Extract<Predicate, { path: string }>

function among(one: Extract<Predicate, { test: 'in' }>, moment: Moment): Predicate {
  const values = one.values.map((value, i) =>
    instantOf(value, { ...one, where: one.where && `${one.where}.${i}` }, moment),
  )
  const isDay = (value: Scalar) => typeof value === 'string' && isDateOnly(value)
  const instants = values.filter((value) => !isDay(value))
  const days = values.filter(isDay).map((day) => same(one, day, moment))
  return { test: 'any', of: [{ ...one, values: instants }, ...days] }
}

/** Equality with an instant. A bare date equals each instant of its day. */
function same({ path, where }: Test, written: Scalar, moment: Moment): Predicate {
  const value = instantOf(written, { path, where }, moment)
  if (typeof value !== 'string' || !isDateOnly(value)) return { test: 'eq', path, value }
  const within: Predicate[] = [
    { test: 'gte', path, value: firstOf(value, moment) },
    { test: 'lte', path, value: endingOf(value, moment.zone) },
  ]
  return { test: 'all', of: within }
}

const firstOf = (text: string, { zone }: Moment): string =>
  isDateOnly(text) ? formatTime(zone.startOfDay(text)) : text

/** Returns an instant as canonical text, or a bare date. Returns null and booleans unchanged. */
function instantOf(value: Scalar, { path, where }: Pick<Test, 'path' | 'where'>, moment: Moment): Scalar {
  if (value === null || typeof value === 'boolean') return value
  const text = typeof value === 'string' ? parseInstant(value, moment) : undefined
  if (text !== undefined) return text
  const shown = JSON.stringify(value).slice(0, 80)
  const message = `\`${path}\` is an instant, and ${shown} is not: write an ISO 8601 date or time, now, today, yesterday, tomorrow, or how long ago (-7d, -12h).`
  throw new DaybookError('invalid-filter', message, { details: { path: where ?? `filters.${path}` } })
}

function parseInstant(text: string, moment: Moment): string | undefined {
  if (isDateOnly(text)) return text
  if (text === 'now') return formatTime(moment.nowMs)
  const distance = /^[+-]/.test(text) ? parseDuration(text.slice(1)) : undefined
  if (distance !== undefined) return formatTime(moment.nowMs + (text.startsWith('-') ? -distance : distance))
  return dayNamed(text, moment) ?? canonicalTime(text)
}
