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
import { inFigures, monthDay, monthName, monthNumber } from '../store/word/written-date.ts'

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
  /** The word is a number that is no date, nor a part of one. */
  readonly isLooseNumber?: true
}

/** The dates of a question, and its numbers that are no part of a date, as terms. */
export interface QuestionDates {
  readonly zone: Zone
  readonly dates: readonly QuestionDate[]
  readonly numbers: ReadonlySet<string>
  /** Terms that are also words of the question outside of dates. */
  readonly otherTerms: ReadonlySet<string>
}

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

/** A date with the meaning of each of its words; none for a small word such as `of`. */
function foundDate(
  from: number,
  date: Pick<FoundDate, 'day' | 'month' | 'year'>,
  meanings: readonly ('day' | 'month' | 'year' | undefined)[],
): FoundDate {
  const words = { day: String(date.day), month: monthName(date.month), year: String(date.year) }
  return {
    ...date,
    to: from + meanings.length,
    searched: meanings.map((meaning) => (meaning === undefined ? [] : [words[meaning]])),
    yearWords: date.year === undefined ? [] : [words.year],
  }
}

/** `2026-03-04`; `4.3.2026` as one of `dotted`, `28/3/2026`, `3/28/2026`. */
function numericDateAt(
  words: readonly string[],
  from: number,
  dotted: ReadonlySet<string>,
): FoundDate | undefined {
  const [one = '', other = '', last = ''] = words.slice(from, from + 3)
  if (isYear(one)) {
    const date = isNumber(other) && isNumber(last) ? inFigures(last, other, true) : undefined
    return date && foundDate(from, { ...date, year: Number(one) }, ['year', 'month', 'day'])
  }
  if (!isYear(last) || !isNumber(one) || !isNumber(other)) return undefined
  const date = inFigures(one, other, dotted.has(`${one} ${other} ${last}`))
  const order = date?.day === Number(one) ? (['day', 'month'] as const) : (['month', 'day'] as const)
  return date && foundDate(from, { ...date, year: Number(last) }, [...order, 'year'])
}

/** The dates of a text that are written like `4.3.2026`, with spaces instead of the points. */
const dottedDates = (text: string): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(/\d\d?\.\d\d?\.\d{4}/g), ([date]) => date.replaceAll('.', ' ')))

/** `2026年3月4日`, `3月4日`, also in Korean. */
function eastAsianDateAt(words: readonly string[], from: number): FoundDate | undefined {
  const year = isYear(words[from]) && /^[年년]$/.test(words[from + 1] ?? '') ? words[from] : undefined
  const [month = '', monthMark = '', day = '', dayMark = ''] = words.slice(
    year === undefined ? from : from + 2,
  )
  if (!isNumber(month) || !/^[月월]$/.test(monthMark) || !isNumber(day) || !/^[日일]/.test(dayMark))
    return undefined
  const date = inFigures(day, month, true)
  if (!date) return undefined
  const meanings = ['month', undefined, 'day', ...(dayMark.length === 1 ? [undefined] : [])] as const
  return year === undefined
    ? foundDate(from, { ...date, year }, meanings)
    : foundDate(from, { ...date, year: Number(year) }, ['year', undefined, ...meanings])
}

/** `4 March`, `4th of March 2026`, `March 4`, `March 4, 2026`, `March 1999`, `4 de marzo de 2026`. */
function writtenDateAt(words: readonly string[], from: number): FoundDate | undefined {
  const meanings: ('day' | 'month' | 'year' | undefined)[] = []
  const skipSmall = () => {
    if (smallWords.has(words[from + meanings.length] ?? '')) meanings.push(undefined)
  }
  const next = () => words[from + meanings.length]
  let day = monthDay(next())
  if (day !== undefined) {
    meanings.push('day')
    skipSmall()
  }
  const month = monthNumber(next())
  if (month === undefined) return undefined
  meanings.push('month')
  if (day === undefined && (day = monthDay(next())) !== undefined) meanings.push('day')
  const withoutYear = meanings.length
  skipSmall()
  const year = next()
  if (isYear(year)) return foundDate(from, { day, month, year: Number(year) }, [...meanings, 'year'])
  return day === undefined
    ? undefined
    : foundDate(from, { day, month, year: undefined }, meanings.slice(0, withoutYear))
}

const smallWords = new Set(['of', 'de', 'del'])

/**
 * Today, yesterday, tomorrow, the day before yesterday, the day after tomorrow. Their year and weekday are not searched: too
 * many records have them.
 */
function namedDayAt(words: readonly string[], at: number, moment: Moment): FoundDate | undefined {
  const beyond = daysBeyond.get(words.slice(at, at + 3).join(' '))
  const last = beyond === undefined ? at : at + 2
  const namedMs = parseTime(dayNamed(words[last] ?? '', moment) ?? '')
  if (namedMs === undefined) return undefined
  const ms = namedMs + (beyond ?? 0) * dayMs
  const date = new Date(ms)
  return {
    to: last + 1,
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    year: date.getUTCFullYear(),
    searched: [dateWords(ms).split(' ').slice(1, 3)],
    yearWords: [],
  }
}

/** The numbers that a sign joins with another number: `2026-4471` has no year. */
const codeNumbers = (text: string): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(/\d+(?:[-./]\d+)+/g), ([code]) => code.split(/\D/)).flat())

const daysBeyond: ReadonlyMap<string, number> = new Map([
  ['day before yesterday', -1],
  ['day after tomorrow', 1],
])

const termsOf = (words: readonly string[]) => [...new Set(words.flatMap((word) => tokenize(word)))]

/** The words of a question in order, with repeats. In a script without spaces, each pair of letters is searched. */
export function searchedParts(text: string, moment: Moment): SearchedPart[] {
  const parts = wordParts(text)
  const words = parts.map(({ word }) => word)
  const dotted = dottedDates(text)
  const codes = codeNumbers(text)
  const result: SearchedPart[] = []
  while (result.length < parts.length) {
    const from = result.length
    const { written = '', word = '' } = parts[from] ?? {}
    const found =
      namedDayAt(words, from, moment) ??
      numericDateAt(words, from, dotted) ??
      writtenDateAt(words, from) ??
      eastAsianDateAt(words, from)
    if (!found) {
      const searched = hasUnspacedScript(word) ? word.split(' ') : [word]
      result.push({
        written,
        word,
        searched,
        ...(codes.has(word) || isNumber(word) ? { isLooseNumber: true } : {}),
      })
      continue
    }
    const { to, day, month, year, searched, yearWords } = found
    const yearTerms = termsOf(yearWords)
    const terms = termsOf(searched.flat()).filter((term) => !yearTerms.includes(term))
    const date = { day, month, year, terms, yearTerms }
    parts.slice(from, to).forEach((part, i) => {
      const own = searched[i] ?? []
      result.push(own.length > 0 ? { ...part, searched: own, date } : { ...part, searched: own })
    })
  }
  return result
}

/** The dates and numbers among `parts`; undefined without any. */
export function datesAmong(parts: readonly SearchedPart[], zone: Zone): QuestionDates | undefined {
  const dates = new Set(parts.flatMap(({ date }) => date ?? []))
  const numbers = parts.flatMap(({ isLooseNumber, word }) => (isLooseNumber ? [word] : []))
  if (dates.size === 0 && numbers.length === 0) return undefined
  const others = parts.flatMap(({ date, isLooseNumber, searched }) => (date || isLooseNumber ? [] : searched))
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
