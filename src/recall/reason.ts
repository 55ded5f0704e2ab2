// The words of the reasons of a hit, as they are written in the question and in the record: the index has stems, and
// pairs of letters for scripts without spaces.
// Invariant: only returned hits are read, and only their own texts; words of neighbours are words of the question.
import type {
  Because,
  LegReasons,
  Passage,
  WordCount,
  WordMatch,
} from '../core/capability/port/recall-port.ts'
import type { Moment } from '../core/filter/filter-time.ts'
import { type JsonObject, readPath } from '../core/json/path.ts'
import { collectText, confirmedOf, type Kind, type Kinds, whenField } from '../core/kind.ts'
import type { Stored } from '../core/record.ts'
import { dateWords } from '../core/time.ts'
import type { Zone } from '../core/zone.ts'
import { cutLongWords, maxIndexedChars } from '../store/word/text.ts'
import { tokenize } from '../store/word/tokenize.ts'
import { hasUnspacedScript, splitScripts } from '../store/word/unspaced-script.ts'
import type { WeightedRecord } from './fuse.ts'
import type { LegName, Respelled } from './leg.ts'
import { wordsLike } from './stem-word.ts'
import { isWithinDate, type QuestionDate, searchedParts } from './question-date.ts'

/** A word of the question as written, and the terms that were searched for it. */
export interface QuestionPart {
  readonly written: string
  readonly terms: readonly string[]
  /** The date that the word is a part of; null for a number that is no part of a date. */
  readonly date?: QuestionDate | null
}

/** The parts of a question, in order. `moment`: of words such as `today`. `respelled`: see `LegResult`. */
export function questionParts(
  text: string,
  moment: Moment,
  respelled: ReadonlyMap<string, Respelled>,
): QuestionPart[] {
  const othersOf = Map.groupBy(respelled, ([, { word }]) => word)
  return searchedParts(text, moment).map((part) => {
    const { written, word, searched, date } = part
    const others = (othersOf.get(word) ?? []).map(([term]) => term)
    const terms = [...searched.flatMap((one) => tokenize(one)), ...others]
    if (date) return { written, terms, date }
    return part.isLooseNumber ? { written, terms, date: null } : { written, terms }
  })
}

/** The searched words of the question as written, with the counts of their most frequent `terms`. */
export function countWords(parts: readonly QuestionPart[], terms: readonly WordCount[]): WordCount[] {
  const counts = new Map(terms.map(({ word, records }) => [word, records]))
  return parts.flatMap(({ written, terms }) => {
    const found = terms.flatMap((term) => counts.get(term) ?? [])
    return found.length > 0 ? [{ word: written, records: Math.max(...found) }] : []
  })
}

/** A returned hit. */
export interface ReturnedHit {
  readonly item: WeightedRecord
  readonly record: Stored<JsonObject>
  readonly happenedAtMs: number
  /** The id of a later statement that contradicts the record. */
  readonly later?: string | undefined
  /** Ids of records that say the same, and are folded into this one. */
  readonly also?: readonly string[] | undefined
}

export interface ReasonDeps {
  readonly kinds: Kinds
  /** The zone of days. */
  readonly zone: Zone
  /** The names of the legs, in the order of the candidates of a hit. */
  readonly names: readonly LegName[]
  readonly parts: readonly QuestionPart[]
  readonly respelled: ReadonlyMap<string, Respelled>
}

/** The reasons of a hit: of the legs with their words, its day if the question names it, and the factors. */
export function becauseOf(
  { item, record, happenedAtMs, later, also = [] }: ReturnedHit,
  deps: ReasonDeps,
): Because {
  const { names, kinds, parts } = deps
  const passage = item.candidates.find((candidate) => candidate?.passage)?.passage
  const kind = kinds.get(record.kind)
  // The votes for a record that a pool confirmed.
  const pool = confirmedOf(kind, record)
  const reasons: [string, object][] = []
  let date: Because['date']
  names.forEach((name, i) => {
    const candidate = item.candidates[i]
    if (!candidate) return
    const { because, matchedTerms } = candidate
    const terms = new Set(matchedTerms?.())
    if (name === 'text' && kind && matchedTerms) {
      reasons.push([name, { ...because, ...wordReasons(textsOf(kind, record, passage), terms, deps) }])
      date = dateMatch({ kind, happenedAtMs }, parts, { terms, zone: deps.zone })
    } else reasons.push([name, { ...because, ...(matchedTerms ? { words: wordsWith(parts, terms) } : {}) }])
  })
  return {
    ...(Object.fromEntries(reasons) as LegReasons),
    ...(date ? { date } : {}),
    ...(later === undefined ? {} : { later }),
    ...(also.length === 0 ? {} : { also: [...also] }),
    ...item.factors,
    ...(passage ? { passage: { path: passage.path, from: passage.from, to: passage.to } } : {}),
    ...(pool ? { pool } : {}),
  }
}

/** The words of the text leg. */
function wordReasons(
  texts: readonly string[],
  terms: ReadonlySet<string>,
  { parts, respelled }: Pick<ReasonDeps, 'parts' | 'respelled'>,
) {
  const matches = matchesIn(parts, terms, texts)
  const words = [...new Set(matches.map(({ question }) => question))]
  return { words, matches, ...correctionsIn(parts, matches, respelled) }
}

/** The texts of a record: first the passage that answers. */
function textsOf(kind: Kind, record: JsonObject, passage: Passage | undefined): string[] {
  const textAt = (path: string) => collectText(readPath(record, path)).join(' ').slice(0, maxIndexedChars)
  const texts = kind.text.filter((path) => path !== whenField).map(textAt)
  return passage ? [textAt(passage.path).slice(passage.from, passage.to), ...texts] : texts
}

/** The matches of `terms`, in the order of the question. A term that no text has is left out. */
function matchesIn(
  parts: readonly QuestionPart[],
  terms: ReadonlySet<string>,
  texts: readonly string[],
): WordMatch[] {
  const recordWords = findWords(texts, new Set([...terms].filter((term) => !hasUnspacedScript(term))))
  const done = new Set<string>()
  const matches: WordMatch[] = []
  const runs: WordMatch[] = []
  for (const { written, terms: ofPart } of parts) {
    const wanted = ofPart.filter((term) => terms.has(term) && !done.has(term))
    for (const term of wanted) done.add(term)
    if (hasUnspacedScript(written))
      for (const run of runsOf(ofPart, new Set(wanted), (text) => texts.some((one) => one.includes(text))))
        runs.push({ question: run, record: run })
    const word = wanted.map((term) => recordWords.get(term)).find((one) => one !== undefined)
    if (word !== undefined) matches.push({ question: written, record: word })
  }
  const wordRuns = runs.filter(({ record }) => !isGrammar(record))
  return [...matches, ...(wordRuns.length > 0 ? wordRuns : runs)]
}

/** The words of the question that have any of `terms`. */
export function wordsWith(parts: readonly QuestionPart[], terms: ReadonlySet<string>): string[] {
  const words: string[] = []
  for (const { written, terms: ofPart } of parts) {
    if (hasUnspacedScript(written))
      words.push(...runsOf(ofPart, terms, () => true).filter((run) => !isGrammar(run)))
    else if (ofPart.some((term) => terms.has(term))) words.push(written)
  }
  return [...new Set(words)]
}

/** True for a pair of hiragana: grammar, which says nothing. */
const isGrammar = (run: string) => /^[\u3041-\u309f]{1,2}$/.test(run)

/**
 * The pairs of letters joined again: runs of consecutive `pairs` that are `wanted`, each as long as `has` finds its
 * text.
 */
function runsOf(
  pairs: readonly string[],
  wanted: ReadonlySet<string>,
  has: (text: string) => boolean,
): string[] {
  const runs: string[] = []
  for (let i = 0; i < pairs.length; i++) {
    let run = pairs[i] as string
    if (!wanted.has(run) || !has(run)) continue
    for (let next = pairs[i + 1]; next !== undefined && wanted.has(next); next = pairs[i + 1]) {
      const longer = run + ([...next].at(-1) ?? '')
      if (!has(longer)) break
      run = longer
      i += 1
    }
    runs.push(run)
  }
  return runs
}

const writtenWords = /[\p{L}\p{N}\p{Co}\p{M}\u200c\u200d]+/gu
const beyondAscii = /[^\0-\x7f]/

/** For each of `terms`, the first word of `texts` with it, as it is written. */
function findWords(texts: readonly string[], terms: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>()
  for (const text of texts) {
    if (beyondAscii.test(text)) findWrittenWords(text, terms, found)
    else findAsciiWords(text, terms, found)
  }
  return found
}

function findWrittenWords(text: string, terms: ReadonlySet<string>, found: Map<string, string>): void {
  for (const { 0: run } of text.matchAll(writtenWords)) {
    if (found.size === terms.size) return
    for (const word of splitScripts(run))
      for (const term of tokenize(cutLongWords(word)))
        if (terms.has(term) && !found.has(term)) found.set(term, word)
  }
}

function findAsciiWords(text: string, terms: ReadonlySet<string>, found: Map<string, string>): void {
  const lower = text.toLowerCase()
  for (const term of terms) {
    if (found.has(term) || beyondAscii.test(term)) continue
    for (const { from, to } of wordsLike(lower, term)) {
      const word = text.slice(from, to)
      if (tokenize(cutLongWords(word)).includes(term)) {
        found.set(term, word)
        break
      }
    }
  }
}

const dayMs = 86_400_000
/** The names of months and weekdays: in steps of eight days, a year and a month have them all. */
const dateNames = new Set(
  Array.from({ length: 53 }, (_, i) => dateWords(i * 8 * dayMs)).flatMap((text) => tokenize(text)),
)
/** Few questions name a date; then no date of a record is written in words. */
const isDateTerm = (term: string) => dateNames.has(term) || /\d/.test(term)

/** The day of a record whose date the question names, as a whole. */
function dateMatch(
  { kind, happenedAtMs }: { readonly kind: Kind; readonly happenedAtMs: number },
  parts: readonly QuestionPart[],
  { terms, zone }: { readonly terms: ReadonlySet<string>; readonly zone: Zone },
): Because['date'] {
  if (!kind.text.includes(whenField) || ![...terms].some(isDateTerm)) return undefined
  const text = dateWords(happenedAtMs + zone.offsetAt(happenedAtMs))
  const named = parts.filter(
    ({ date }) => date === undefined || (date && isWithinDate(date, happenedAtMs, zone)),
  )
  const words = wordsWith(named, new Set(tokenize(text).filter((term) => terms.has(term))))
  return words.length > 0 ? { day: text.slice(0, 10), words } : undefined
}

/** The matches of misspelt words. */
function correctionsIn(
  parts: readonly QuestionPart[],
  matches: readonly WordMatch[],
  respelled: ReadonlyMap<string, Respelled>,
) {
  const isMisspelt = (written: string) =>
    parts.some(
      (part) => part.written === written && part.terms.some((term) => respelled.get(term)?.isMisspelt),
    )
  const some = matches.filter(({ question }) => isMisspelt(question))
  return some.length > 0
    ? { corrections: Object.fromEntries(some.map(({ question, record }) => [question, record])) }
    : {}
}
