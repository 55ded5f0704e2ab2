// Activity: the recalls and contexts that this device answered, with the callers' questions. No activity leaves the
// device.
import type { JsonObject } from '../json/path.ts'
import type { Accessor } from './access-log.ts'

/** Sorts of calls that the activity stores. Writes and refusals come from the access log. */
export const recallSorts = ['recall', 'context'] as const
export type RecallSort = (typeof recallSorts)[number]
export const activitySorts = [...recallSorts, 'write', 'refused'] as const
export type ActivitySort = (typeof activitySorts)[number]

/** Error codes that count as a refusal of the caller. */
export const refusals = ['forbidden', 'unauthorized', 'consent-required', 'rate-limited'] as const

/** Limits of stored recalls and contexts: age in milliseconds, entries, characters. */
export const activityKeep = { ms: 7 * 86_400_000, rows: 10_000, characters: 32_000_000 } as const

/** A question with its options, complete enough to repeat the call. */
export type RecallQuestion = JsonObject & { readonly text: string }

/**
 * Report of a capability about a call that it answered. `question`: input of `recall` or `context`. `hits`: all
 * records whose words are in the answer.
 */
export interface ActivityNote {
  readonly sort: RecallSort
  readonly question: RecallQuestion
  readonly hits: readonly { readonly id: string; readonly kind: string; readonly score: number }[]
  /** The text for the prompt, and its number of tokens. */
  readonly context?: { readonly text: string; readonly tokens: number }
}

type QuestionInput = { readonly text: string; readonly [option: string]: unknown }

/** Copies a question as plain JSON, without undefined options. */
export const questionOf = (question: QuestionInput): RecallQuestion =>
  JSON.parse(JSON.stringify(question)) as RecallQuestion

/** Creates the note for a recall with these hits. */
export const recallNote = (question: QuestionInput, hits: ActivityNote['hits']): ActivityNote => ({
  sort: 'recall',
  question: questionOf(question),
  hits: hits.map(({ id, kind, score }) => ({ id, kind, score })),
})

/**
 * Reasons for an entry without words. `forgotten`: a recalled record is forgotten or sensitive. `locked`: the book
 * was locked. `size`: the text exceeded the size limit.
 */
export const missingReasons = ['forgotten', 'locked', 'size'] as const
export type MissingReason = (typeof missingReasons)[number]

/** A recall or context, without its hits. `Accessor`: the caller's agent, and its token or key. */
export interface RecallEntry extends Accessor {
  readonly n: number
  readonly at: string
  readonly sort: RecallSort
  readonly capability: string
  readonly purpose?: string
  /** Duration in the engine, in milliseconds. */
  readonly durationMs: number
  /** Tokens of the text for the prompt. Absent for a recall. */
  readonly tokens?: number
  /** Number of records found. */
  readonly found: number
  /** The question; absent if its words are lost or can't be read now. */
  readonly question?: RecallQuestion
  readonly missing?: MissingReason
}

export interface RecalledRecord {
  readonly id: string
  readonly kind: string
  readonly score: number
  /** Version of the record at the time of the recall. */
  readonly version: number
}

export interface RecallDetail extends RecallEntry {
  readonly hits: readonly RecalledRecord[]
  /** The text for the prompt. */
  readonly context?: string
}

/** A write, or a refused call. */
export interface CalledEntry extends Accessor {
  readonly n: number
  readonly at: string
  readonly sort: 'write' | 'refused'
  readonly capability: string
  readonly purpose?: string
  /** `ok`, or the error code. */
  readonly outcome: string
  /** Kinds and number of the records that a write changed, or of the items in an answer to a guest. */
  readonly kinds: readonly string[]
  readonly count: number
}

/** Cursor of the next page: only entries with lower numbers, one number for each log. */
export interface ActivityPlace {
  readonly recalls: number
  readonly calls: number
}

export interface ActivityQuery {
  readonly sorts?: readonly ActivitySort[] | undefined
  /** Only calls that recalled the record with this id. */
  readonly record?: string | undefined
  readonly agent?: string | undefined
  /** Canonical UTC text: `from` is inclusive, `to` exclusive. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly before?: ActivityPlace | undefined
  readonly limit: number
}

export interface ActivityPage {
  readonly entries: readonly (RecallEntry | CalledEntry)[]
  /** Cursor of the next page; absent on the last page. */
  readonly next?: ActivityPlace
}

/** How often calls recalled a record on this device, and their callers. */
export interface RecordActivity {
  readonly recalls: number
  readonly contexts: number
  readonly lastAt?: string
  /** Most frequent first. */
  readonly callers: readonly (Accessor & { readonly count: number; readonly lastAt: string })[]
}

/** The activity as capabilities read it. Newest entries come first. */
export interface ActivityPort {
  page(query: ActivityQuery): Promise<ActivityPage>
  get(n: number): Promise<RecallDetail | undefined>
  ofRecord(id: string): Promise<RecordActivity>
}
