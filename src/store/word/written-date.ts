// Dates that a text writes: `28 June`, `June 28th, 2026`, `28.6.2026`, `2026-06-28`, `3 de agosto`. Pure.
// Invariant: the index has each of them in the words of `dateWords` too, so a question finds it in any form.
import { dateWords } from '../../core/time.ts'

/** By month, its names in English, German, French, Spanish, Italian, Portuguese and Dutch, also without accents. */
const names = [
  'jan january januar janvier enero gennaio janeiro januari',
  'feb february februar fevrier février febrero febbraio fevereiro februari',
  'mar march märz marz mars marzo marco maart',
  'apr april avril abril aprile',
  'may mai mayo maggio maio mei',
  'jun june juni juin junio giugno junho',
  'jul july juli juillet julio luglio julho',
  'aug august août aout agosto augustus',
  'sep sept september septembre septiembre settembre setembro',
  'oct october oktober octobre octubre ottobre outubro',
  'nov november novembre noviembre novembro',
  'dec december dezember décembre decembre diciembre dicembre dezembro',
]
const numbers: ReadonlyMap<string, number> = new Map(
  names.flatMap((some, i) => some.split(' ').map((name) => [name, i + 1] as const)),
)
const english = names.map((_, i) => dateWords(Date.UTC(2000, i, 1)).split(' ')[2] ?? '')

/** The number of a month, from 1, of its name in lower case. */
export const monthNumber = (name: string | undefined): number | undefined => numbers.get(name ?? '')

/** The English name of a month, which the index has. */
export const monthName = (month: number): string => english[month - 1] ?? ''

const ordinalDay = /^(\d{1,2})(?:st|nd|rd|th|er)?$/

/** The day of a month that a word is: `4`, `04`, `4th`, `1er`. */
export function monthDay(word: string | undefined): number | undefined {
  const day = Number(ordinalDay.exec(word ?? '')?.[1])
  return day >= 1 && day <= 31 ? day : undefined
}

const monthLengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Day and month in figures: `04` and `03`; undefined unless only one of them can be the month, or `isDayFirst`. */
export function inFigures(
  one: string,
  other: string,
  isDayFirst: boolean,
): { readonly day: number; readonly month: number } | undefined {
  const [day, month] =
    isDayFirst || Number(one) > 12 ? [Number(one), Number(other)] : [Number(other), Number(one)]
  const isCertain = isDayFirst || day > 12 || day === month
  return isCertain && month >= 1 && day >= 1 && day <= (monthLengths[month - 1] ?? 0)
    ? { day, month }
    : undefined
}

/** A number, or a date in figures, with the name after it. The name before it is in the text before the match. */
const anyDate =
  /(?:\d{4}(?<isoSign>[-/])(?<isoMonth>\d\d)\k<isoSign>(?<isoDay>\d\d)|(?<one>\d\d?)(?<sign>[-./])(?<other>\d\d?)\k<sign>\d{4}|(?<eastMonth>\d\d?)[月월] ?(?<eastDay>\d\d?)[日일]|(?<day>\d\d?)(?<ending>st|nd|rd|th|er)?\.?(?:\s+(?:of\s|de\s)?\s*(?<after>\p{L}{3,10}))?|\d{4})(?!\d)/giu
const nameBefore = /(?<!\p{L})(\p{L}{3,10})\.?\s+(?:of\s+|del?\s+)?$/u
/** Most texts have no date; this test takes a tenth of the search for one. */
const mayHaveDate =
  /\d(?:st|nd|rd|th|er|[-./]\d|[月월])|\b(?:a(?:br|go|o[uû]|pr|ug|vr)|d(?:[eé][cz]|ic)|ene|f[eé][bv]|g(?:en|iu)|j(?:an|u[iln])|lug|m(?:a[aegiry]|är|ei)|nov|o(?:[ck]t|tt|ut)|se[pt])/i
/** No name of a month with its small words is longer. */
const maxBefore = 20
/** More dates in one text are a table. */
const maxDates = 100

/** `text` with the words of `dateWords` that its dates lack. */
export function withDateWords(text: string): string {
  if (!/\d/.test(text) || !mayHaveDate.test(text)) return text
  const words = new Set<string>()
  const add = (word: string, written = '') => {
    if (word !== written.toLowerCase()) words.add(word)
  }
  for (const { 0: found, index, groups = {} } of text.matchAll(anyDate)) {
    if (words.size > maxDates) break
    if (/[\p{L}\p{N}]/u.test(text.charAt(index - 1)) && groups['eastMonth'] === undefined) continue
    const inNumbers = numericDate(groups)
    if (inNumbers) {
      // The index has the day of `2026-06-28T10:00` as `28t10`.
      const isWord = !/\p{L}/u.test(text.charAt(index + found.length))
      add(String(inNumbers.day), isWord ? groups['isoDay'] : undefined)
      add(monthName(inNumbers.month))
      continue
    }
    const { day: dayText, ending, after } = groups
    const before = nameBefore.exec(text.slice(Math.max(0, index - maxBefore), index))?.[1]
    const name = monthOf(after) === undefined ? before : after
    const month = monthOf(name)
    const day = monthDay(dayText)
    if (month !== undefined) add(monthName(month), name)
    if (day !== undefined && (month !== undefined || ending !== undefined))
      add(String(day), `${dayText ?? ''}${ending ?? ''}`)
  }
  return words.size > 0 ? `${text} ${[...words].join(' ')}` : text
}

const monthOf = (name: string | undefined) => monthNumber(name?.toLowerCase())

function numericDate({
  isoMonth,
  isoDay,
  one,
  sign,
  other,
  eastMonth,
  eastDay,
}: Partial<Record<string, string>>) {
  if (isoMonth !== undefined && isoDay !== undefined) return inFigures(isoDay, isoMonth, true)
  if (one !== undefined && other !== undefined) return inFigures(one, other, sign === '.')
  return eastMonth !== undefined && eastDay !== undefined ? inFigures(eastDay, eastMonth, true) : undefined
}
