// `daybook/across`: one question to several open books, with the hits of all on one scale.
// Invariant: each book answers with the rights of its handle and logs its own recall; nothing of one book is written
// into another.
import { type AbortSignalLike, checkAborted, neverAborted } from '../../core/abort.ts'
import { sameEventMs, sharpCut } from '../../core/capability/hit-rule.ts'
import type { RecallHit, Want } from '../../core/capability/port/recall-port.ts'
import { type DaybookError, invalidInput, toDaybookError } from '../../core/errors.ts'
import type { CapabilityInput, CapabilityOutput, Daybook, Hit } from '../daybook.ts'
import { askBook, checkQuestion } from './ask-book.ts'
import { createJointScale, type KnownWords } from './joint-scale.ts'
import { inJointOrder, jointComplete, jointLimit, jointWant } from './joint-whole.ts'
import { twinKeyOf } from './twin.ts'

/** How far a hit is to be trusted: of the own book, of a book that others write too, or confirmed by a pool's vote. */
export type TrustClass = 'own' | 'shared' | 'confirmed'

/** A book that answers a recall: an open book, a handle, or another object with its method `recall`. */
export interface RecallingBook {
  recall: Daybook['recall']
}

/** `name`: the label of its hits; default `book 1`, by its place. `trust`: default `own` for the first book, else `shared`. */
export interface AcrossBook {
  readonly book: RecallingBook
  readonly name?: string | undefined
  readonly trust?: 'own' | 'shared' | undefined
}

/** The question: as of `recall`. `limit`, `minScore`, `cut` and `distinct` count over all books, `diversity` in each. */
export type AcrossQuery = CapabilityInput<'daybook:recall'>

export type AcrossHit = Hit & {
  /** Label of the book. */
  readonly book: string
  readonly trust: TrustClass
  /** Labels of the other books with a record that says the same. Absent: none. */
  readonly alsoIn?: readonly string[]
}

export interface AcrossAnswer {
  /**
   * Best first; of an order by time, of a list or a summary book by book. `score`: 0 to 1, on one scale.
   */
  readonly hits: AcrossHit[]
  /** The sort of this answer: as the query says, else as its words say. */
  readonly want: Want
  /** Of a whole answer: the returned share of what answers in the books that answered, by weight, 0 to 1. An estimate. */
  readonly complete?: number
  /** The books that answered, in the order of the call. */
  readonly books: {
    readonly book: string
    readonly degraded: string[]
    readonly durationMs: number
    readonly sealed?: number
  }[]
  /** The books that did not answer. */
  readonly failed: { readonly book: string; readonly error: DaybookError }[]
}

export interface AcrossOptions {
  readonly signal?: AbortSignalLike | undefined
  /** Milliseconds to wait for each book; one that takes longer has failed. Default: that of the book. */
  readonly deadlineMs?: number | undefined
}

type Answer = CapabilityOutput<'daybook:recall'>

interface NamedBook {
  readonly book: RecallingBook
  readonly name: string
  readonly trust: 'own' | 'shared'
}

/** Most books of one call. */
const maxBooks = 50

/**
 * Recalls from several books at once. A book that fails, or is closed, is in `failed`, and the others answer. Rejects
 * with `aborted` after the signal, with `invalid-input` for a wrong book, and, if no book answers, with the error of
 * the first.
 */
export async function recallAcross(
  books: readonly (RecallingBook | AcrossBook)[],
  query: AcrossQuery,
  { signal = neverAborted, deadlineMs }: AcrossOptions = {},
): Promise<AcrossAnswer> {
  const named = namedBooks(books)
  checkQuestion(query, deadlineMs)
  checkAborted(signal)
  // The limits count over all books: each gives its best hits.
  const { minScore: _minScore, cut: _cut, ...each } = query
  const settled = await Promise.all(
    named.map(async (one, i) => {
      try {
        return {
          ...one,
          answer: await askBook({ ...one, place: `books.${i}` }, each, { signal, deadlineMs }),
        }
      } catch (error) {
        return { ...one, error: toDaybookError(error) }
      }
    }),
  )
  checkAborted(signal)
  const answered = settled.flatMap((one) => ('answer' in one ? [one] : []))
  const failed = settled.flatMap((one) => ('error' in one ? [{ book: one.name, error: one.error }] : []))
  const [first] = failed
  if (answered.length === 0 && first) throw first.error
  return {
    ...joinHits(answered, query),
    books: answered.map(({ name, answer: { degraded, durationMs, sealed } }) => {
      return { book: name, degraded, durationMs, ...(sealed === undefined ? {} : { sealed }) }
    }),
    failed,
  }
}

function namedBooks(books: readonly (RecallingBook | AcrossBook)[]): NamedBook[] {
  if (!Array.isArray(books) || books.length === 0 || books.length > maxBooks)
    throw invalidInput('books', `Must be a list of 1 to ${maxBooks} books`)
  const named = books.map((one: RecallingBook | AcrossBook, i): NamedBook => {
    // An open book has methods of any name, so only the field `recall` tells it from an entry with options.
    const entry: AcrossBook | undefined =
      typeof one !== 'object' || one === null ? undefined : 'recall' in one ? { book: one } : one
    const { book, name = `book ${i + 1}`, trust = i === 0 ? 'own' : 'shared' } = entry ?? {}
    if (typeof book?.recall !== 'function')
      throw invalidInput(`books.${i}`, 'Must be an open book, or an object with `book`')
    if (typeof name !== 'string' || name === '') throw invalidInput(`books.${i}.name`, 'Must be a text')
    if (trust !== 'own' && trust !== 'shared')
      throw invalidInput(`books.${i}.trust`, 'Must be `own` or `shared`')
    return { book, name, trust }
  })
  const names = named.map(({ name }) => name)
  const repeated = names.findIndex((name, i) => names.indexOf(name) < i)
  if (repeated >= 0)
    throw invalidInput(`books.${repeated}.name`, `Two books have the label \`${names[repeated]}\``)
  return named
}

type Ranked = AcrossHit & {
  readonly place: number
  readonly row: number
  readonly isOwn: boolean
  /** The scores of all records that this hit stands for. */
  readonly scores: readonly number[]
}

function joinHits(
  answered: readonly (NamedBook & { readonly answer: Answer })[],
  { want: wanted, limit, minScore = 0, cut = 'none', distinct = true }: AcrossQuery,
): Pick<AcrossAnswer, 'hits' | 'want' | 'complete'> {
  const answers = answered.map(({ answer }) => answer)
  const want = jointWant(wanted, answers)
  const scaleOf = createJointScale(answers as readonly KnownWords[])
  const byBook = answered.map(({ name: book, trust, answer }, place): Ranked[] => {
    const factors = scaleOf(answer as KnownWords, answer.hits as readonly RecallHit[])
    return answer.hits.map((hit, row) => {
      const score = Math.min(1, hit.score * (factors[row] ?? 1))
      const ranked = {
        book,
        trust: hit.because.pool ? ('confirmed' as const) : trust,
        isOwn: trust === 'own',
      }
      return { ...hit, ...ranked, score, scores: [score], place, row }
    })
  })
  const ranked = byBook.flat().sort(byScore)
  const joined = (distinct ? foldTwins(ranked, want) : ranked).filter(({ score }) => score >= minScore)
  const best = joined.slice(0, limit ?? jointLimit(want))
  const returned = cut === 'sharp' ? best.slice(0, sharpCut(best.map(({ score }) => score))) : best
  const weights = byBook.map((hits, i) => {
    return { scores: hits.map(({ score }) => score), complete: answers[i]?.complete }
  })
  const scores = returned.flatMap((one) => one.scores.filter((score) => score >= minScore))
  return {
    hits: inJointOrder(returned, want).map((ranked) => {
      const { place: _place, row: _row, isOwn: _isOwn, scores: _scores, ...hit } = ranked
      return hit
    }),
    want,
    ...(want === 'best' || scores.length === 0 ? {} : { complete: jointComplete(scores, weights, minScore) }),
  }
}

/** Best first; of equal ones those of own books, then in the order of the call. */
const byScore = (a: Ranked, b: Ranked) =>
  b.score - a.score || Number(b.isOwn) - Number(a.isOwn) || a.place - b.place

const isSameEvent = (one: Ranked, other: Ranked) =>
  Math.abs(Date.parse(one.happenedAt ?? '') - Date.parse(other.happenedAt ?? '')) < sameEventMs

/** One hit for records of several books that say the same: that of an own book, with the best score among them. */
function foldTwins(ranked: readonly Ranked[], want: Want): Ranked[] {
  const groups: { readonly key: string | undefined; readonly hits: Ranked[] }[] = []
  for (const hit of ranked) {
    const key = twinKeyOf(hit.record)
    const group = groups.find(
      (one) =>
        key !== undefined &&
        !one.hits.some(({ book }) => book === hit.book) &&
        one.key === key &&
        (want === 'best' || want === 'summary' || one.hits.some((other) => isSameEvent(other, hit))),
    )
    if (group) group.hits.push(hit)
    else groups.push({ key, hits: [hit] })
  }
  return groups
    .map(({ hits }): Ranked => {
      const [best] = hits as [Ranked]
      const shown = hits.find(({ isOwn }) => isOwn) ?? best
      const others = hits.filter((one) => one !== shown).map(({ book }) => book)
      const scores = hits.map(({ score }) => score)
      return { ...shown, score: best.score, scores, ...(others.length > 0 ? { alsoIn: others } : {}) }
    })
    .sort(byScore)
}
