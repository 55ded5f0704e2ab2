// Dates of a question: yesterday, "28 June", "March 1999", "2026-03-04". The index has the words of a record's date one by
// one, so each part of a date alone would find records of other days.
// Invariant: the parts of a date match together or not at all, and a number outside a date matches no date of a record.
// Pure.
import { dayNamed, type Moment } from '../core/filter/filter-time.ts'
import { dateWords, parseTime } from '../core/time.ts'
import { dayMs, type Zone } from '../core/zone.ts'
import { wordParts } from '../store/word/text-query.ts'
import { tokenize } from '../store/word/tokenize.ts'
import { hasUnspacedScript } from '../store/word/unspaced-script.ts'

/** A date with two or three of its parts. `month` counts from 1. */
export interface QuestionDate {
  readonly day: number | undefined
  readonly month: number
  readonly year: number | undefined
  /** The searched terms of the date, without those of its year. */
  readonly terms: readonly string[]
  /** The searched terms of its year; none for a day such as yesterday, and for a date without a year. */
  readonly yearTerms: readonly string[]
}

/** A word of a question as it is written, and the words that are searched for it. */
export interface SearchedPart {
  readonly written: string
  readonly word: string
  readonly searched: readonly string[]
  /** The date that the word is a part of. */
  readonly date?: QuestionDate
}

/** The dates of a question, and its numbers that are no part of a date, as terms. */
export interface QuestionDates {
  readonly zone: Zone
  readonly dates: readonly QuestionDate[]
  readonly numbers: ReadonlySet<string>
  /** Terms that are also words of the question outside of dates. */
  readonly otherTerms: ReadonlySet<string>
}

const months = Array.from({ length: 12 }, (_, i) => dateWords(Date.UTC(2000, i, 1)).split(' ')[2] ?? '')
/** From a name of a month, also a short one, to its number. */
const monthNumbers: ReadonlyMap<string, number> = new Map([
  ...months.map((name, i): [string, number] => [name.slice(0, 3), i + 1]),
  ...months.map((name, i): [string, number] => [name, i + 1]),
  ['sept', 9],
])
const ordinal = /^(\d{1,2})(?:st|nd|rd|th)?$/
const isYear = (word: string | undefined): word is string =>
  word !== undefined && /^(?:1\d|20|21)\d\d$/.test(word)
/** A number that may be a part of a date in the index; a year alone is a date of its own. */
const isNumber = (word: string) => /^\d{1,2}$/.test(word)

/** A date at the words from `from` to before `to`, with the searched words of each of these words. */
interface FoundDate {
  readonly to: number
  readonly day: number | undefined
  readonly month: number
  readonly year: number | undefined
  /** The searched words of each word; none for `of`. */
  readonly searched: readonly (readonly string[])[]
  readonly yearWords: readonly string[]
}

function dayAt(words: readonly string[], at: number): number | undefined {
  const [, digits] = ordinal.exec(words[at] ?? '') ?? []
  const day = Number(digits)
  return day >= 1 && day <= 31 ? day : undefined
}

/** `2026-03-04`, as three words. */
function isoDateAt(words: readonly string[], from: number): FoundDate | undefined {
  const [year = '', month = '', day = ''] = words.slice(from, from + 3)
  if (!isYear(year) || parseTime(`${year}-${month}-${day}`) === undefined) return undefined
  const parts = { year: Number(year), month: Number(month), day: Number(day) }
  return { ...parts, to: from + 3, searched: [[year], [month], [day]], yearWords: [year] }
}

/** `4 March`, `4th of March 2026`, `March 4`, `March 4, 2026`, `March 1999`. */
function writtenDateAt(words: readonly string[], from: number): FoundDate | undefined {
  const searched: string[][] = []
  let at = from
  const skipOf = () => {
    if (words[at] !== 'of') return
    searched.push([])
    at += 1
  }
  let day = dayAt(words, at)
  if (day !== undefined) {
    searched.push([String(day)])
    at += 1
    skipOf()
  }
  const month = monthNumbers.get(words[at] ?? '')
  if (month === undefined) return undefined
  searched.push([months[month - 1] ?? ''])
  at += 1
  if (day === undefined && (day = dayAt(words, at)) !== undefined) {
    searched.push([String(day)])
    at += 1
  }
  const yearAt = words[at] === 'of' ? at + 1 : at
  const year = words[yearAt]
  if (!isYear(year))
    return day === undefined ? undefined : { to: at, day, month, year: undefined, searched, yearWords: [] }
  skipOf()
  searched.push([year])
  return { to: at + 1, day, month, year: Number(year), searched, yearWords: [year] }
}

/** Today, yesterday, tomorrow. Their year and weekday are not searched: too many records have them. */
function namedDayAt(word: string, at: number, moment: Moment): FoundDate | undefined {
  const ms = parseTime(dayNamed(word, moment) ?? '')
  if (ms === undefined) return undefined
  const date = new Date(ms)
  return {
    to: at + 1,
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    year: date.getUTCFullYear(),
    searched: [dateWords(ms).split(' ').slice(1, 3)],
    yearWords: [],
  }
}

const termsOf = (words: readonly string[]) => [...new Set(words.flatMap((word) => tokenize(word)))]

/** The words of a question in order, with repeats. In a script without spaces, each pair of letters is searched. */
export function searchedParts(text: string, moment: Moment): SearchedPart[] {
  const parts = wordParts(text)
  const words = parts.map(({ word }) => word)
  const result: SearchedPart[] = []
  while (result.length < parts.length) {
    const from = result.length
    const { written = '', word = '' } = parts[from] ?? {}
    const found = namedDayAt(word, from, moment) ?? isoDateAt(words, from) ?? writtenDateAt(words, from)
    if (!found) {
      result.push({ written, word, searched: hasUnspacedScript(word) ? word.split(' ') : [word] })
      continue
    }
    const { to, day, month, year, searched, yearWords } = found
    const yearTerms = termsOf(yearWords)
    const terms = termsOf(searched.flat()).filter((term) => !yearTerms.includes(term))
    const date = { day, month, year, terms, yearTerms }
    parts.slice(from, to).forEach((part, i) => {
      const own = searched[i] ?? []
      result.push(own.length > 0 ? { ...part, searched: own, date } : { ...part, searched: [part.word] })
    })
  }
  return result
}

/** The dates and numbers among `parts`; undefined without any. */
export function datesAmong(parts: readonly SearchedPart[], zone: Zone): QuestionDates | undefined {
  const dates = new Set(parts.flatMap(({ date }) => date ?? []))
  const numbers = parts.flatMap(({ date, word }) => (date === undefined && isNumber(word) ? [word] : []))
  if (dates.size === 0 && numbers.length === 0) return undefined
  const others = parts.flatMap(({ date, word, searched }) => (date || isNumber(word) ? [] : searched))
  return { zone, dates: [...dates], numbers: new Set(numbers), otherTerms: new Set(termsOf(others)) }
}

/** The date of an instant in a zone. */
const localDate = (ms: number, zone: Zone) => new Date(ms + zone.offsetAt(ms))

/** True when the day of a record is within `date`. */
export const isWithinDate = (date: QuestionDate, happenedAtMs: number, zone: Zone): boolean =>
  isDayWithin(date, localDate(happenedAtMs, zone))

const isDayWithin = ({ day, month, year }: QuestionDate, local: Date): boolean =>
  local.getUTCMonth() + 1 === month &&
  (day === undefined || local.getUTCDate() === day) &&
  (year === undefined || local.getUTCFullYear() === year)

/** True for a number outside a date, which is no reason of a record's date. */
export const isLooseNumber = ({ date, word }: Pick<SearchedPart, 'date' | 'word'>): boolean =>
  date === undefined && isNumber(word)

/** How often a record has each term of a question, and when it happened. */
export interface DatedRow {
  readonly counts: Uint32Array
  /** Undefined: unknown; then all parts of a date are taken for its day. */
  readonly happenedAtMs: number | undefined
}

/** The matches of the dates of a question in a row, by the indexes of terms. */
export interface DateMatch {
  /** The terms that the day of the record matches. */
  readonly ofDay: readonly number[]
  /** The terms that count less, with their counts. */
  readonly changed: readonly (readonly [term: number, count: number])[]
}

/** Days whose words are cached. */
const maxCachedDays = 1000

/** The terms of the date of a day, with repeats. Records share days. */
function createDayTerms(): (local: Date) => readonly string[] {
  const cache = new Map<number, readonly string[]>()
  return (local) => {
    const day = Math.floor(local.getTime() / dayMs)
    let terms = cache.get(day)
    if (terms) return terms
    if (cache.size >= maxCachedDays) cache.clear()
    cache.set(day, (terms = tokenize(dateWords(local.getTime()))))
    return terms
  }
}

/**
 * A function that finds in a row the dates that don't match as a whole, and the numbers that only the date of the record
 * has. A date matches the day of the record, or the record's text has its day and month, with its year or in that year.
 */
export function createDateMatcher(
  terms: readonly string[],
  { zone, dates, numbers, otherTerms }: QuestionDates,
): (row: DatedRow) => DateMatch {
  const dayTerms = createDayTerms()
  const indexOf = new Map(terms.map((term, j) => [term, j]))
  const indexesOf = (some: readonly string[]) => some.flatMap((term) => indexOf.get(term) ?? [])
  const columns = dates.map((date) => ({
    date,
    main: indexesOf(date.terms),
    year: indexesOf(date.yearTerms),
  }))
  const ofDates = columns.flatMap(({ main, year }) => [...main, ...year])
  const restricted = [...new Set([...ofDates, ...indexesOf([...numbers])])].filter(
    (j) => !otherTerms.has(terms[j] ?? ''),
  )
  return ({ counts, happenedAtMs }) => {
    const local = happenedAtMs === undefined ? undefined : localDate(happenedAtMs, zone)
    const inText = (j: number) => {
      const count = counts[j] as number
      if (count === 0 || !local) return count
      return Math.max(0, count - dayTerms(local).filter((term) => term === terms[j]).length)
    }
    const matching = new Set<number>()
    const ofDay: number[] = []
    for (const { date, main, year } of columns) {
      const has = (j: number) => (counts[j] as number) > 0
      if (!main.every(has)) continue
      const isDay = (!local || isDayWithin(date, local)) && year.every(has)
      const isYear =
        date.year === undefined ||
        date.year === local?.getUTCFullYear() ||
        (year.length > 0 && year.every((j) => inText(j) > 0))
      if (isDay) ofDay.push(...main, ...year)
      if (isDay || (isYear && main.every((j) => inText(j) > 0)))
        for (const j of [...main, ...year]) matching.add(j)
    }
    const changed: (readonly [number, number])[] = []
    for (const j of restricted) {
      if (matching.has(j) || counts[j] === 0) continue
      const count = numbers.has(terms[j] ?? '') ? inText(j) : 0
      if (count !== counts[j]) changed.push([j, count])
    }
    return { ofDay, changed }
  }
}
