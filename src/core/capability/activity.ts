// Activity: recalls and contexts that this device answered, in the words of their callers. It never leaves the device.
import type { JsonObject } from '../json/path.ts'
import type { Accessor } from './access-log.ts'

/** Sorts that the activity stores; writes and refusals come from the access log. */
export const recallSorts = ['recall', 'context'] as const
export type RecallSort = (typeof recallSorts)[number]
export const activitySorts = [...recallSorts, 'write', 'refused'] as const
export type ActivitySort = (typeof activitySorts)[number]

/** Error codes of calls that the caller was not allowed to make. */
export const refusals = ['forbidden', 'unauthorized', 'consent-required', 'rate-limited'] as const

/** Limits of the stored recalls and contexts: milliseconds, entries, characters. */
export const activityKeep = { ms: 7 * 86_400_000, rows: 10_000, characters: 32_000_000 } as const

/** A question with its options, so that it can be repeated. */
export type RecallQuestion = JsonObject & { readonly text: string }

/**
 * Note of a capability about a call it answered. `asked` is the input of `recall` or `context`, `hits` are all records
 * that gave words to the answer.
 */
export interface ActivityNote {
  readonly sort: RecallSort
  readonly asked: RecallQuestion
  readonly hits: readonly { readonly id: string; readonly kind: string; readonly score: number }[]
  /** The text packed for a prompt, and its number of tokens. */
  readonly packed?: { readonly text: string; readonly tokens: number }
}

type QuestionInput = { readonly text: string; readonly [option: string]: unknown }

/** Copies a question as plain JSON, so that it can be repeated. */
export const questionOf = (asked: QuestionInput): RecallQuestion =>
  JSON.parse(JSON.stringify(asked)) as RecallQuestion

/** Note of a recall that was answered with `hits`. */
export const recallNote = (asked: QuestionInput, hits: ActivityNote['hits']): ActivityNote => ({
  sort: 'recall',
  asked: questionOf(asked),
  hits: hits.map(({ id, kind, score }) => ({ id, kind, score })),
})

/**
 * Reasons why an entry has no words: a recalled record is forgotten or sensitive, the book was locked, or the size limit.
 */
export const lostReasons = ['forgotten', 'locked', 'size'] as const
export type LostReason = (typeof lostReasons)[number]

/** One recall or context, without its hits. */
export interface RecallEntry extends Accessor {
  readonly n: number
  readonly at: string
  readonly sort: RecallSort
  readonly capability: string
  readonly purpose?: string
  /** Milliseconds in the engine. */
  readonly took: number
  readonly tokens?: number
  /** Number of records found. */
  readonly found: number
  /** The question; absent if its words are lost or can't be read now. */
  readonly question?: RecallQuestion
  readonly lost?: LostReason
}

export interface RecalledRecord {
  readonly id: string
  readonly kind: string
  readonly score: number
  /** Its version at that time. */
  readonly version: number
}

export interface RecallDetail extends RecallEntry {
  readonly hits: readonly RecalledRecord[]
  /** The packed text. */
  readonly packed?: string
}

/** A write, or a refused call. */
export interface CalledEntry extends Accessor {
  readonly n: number
  readonly at: string
  readonly sort: 'write' | 'refused'
  readonly capability: string
  readonly purpose?: string
  readonly outcome: string
  readonly kinds: readonly string[]
  readonly count: number
}

/** Start of the next page: entries before these numbers of both logs. */
export interface ActivityPlace {
  readonly recalls: number
  readonly calls: number
}

export interface ActivityQuery {
  readonly sorts?: readonly ActivitySort[] | undefined
  /** Only calls that recalled this record. */
  readonly record?: string | undefined
  readonly agent?: string | undefined
  /** Canonical times: from this one (inclusive) to that one (exclusive). */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly before?: ActivityPlace | undefined
  readonly limit: number
}

export interface ActivityPage {
  readonly entries: readonly (RecallEntry | CalledEntry)[]
  /** Absent if nothing is older. */
  readonly next?: ActivityPlace
}

/** How often a record was recalled on this device, and by whom. */
export interface RecordActivity {
  readonly recalls: number
  readonly contexts: number
  readonly lastAt?: string
  /** Most frequent first. */
  readonly callers: readonly (Accessor & { readonly count: number; readonly lastAt: string })[]
}

/** The activity as its capabilities read it: everything so far, newest first. */
export interface ActivityPort {
  page(query: ActivityQuery): Promise<ActivityPage>
  get(n: number): Promise<RecallDetail | undefined>
  ofRecord(id: string): Promise<RecordActivity>
}
