// What a book keeps of the recalls and contexts that were asked of it, as they were asked, on this device alone.
import type { JsonObject } from '../json/path.ts'
import type { Accessor } from './access-log.ts'

/** Sorts of what was asked and kept here; writes and refusals come from the log of access. */
export const askedSorts = ['recall', 'context'] as const
export type AskedSort = (typeof askedSorts)[number]
export const activitySorts = [...askedSorts, 'write', 'refused'] as const
export type ActivitySort = (typeof activitySorts)[number]

/** Outcomes by which a caller is turned away for what it may not do. */
export const refusals = ['forbidden', 'unauthorized', 'consent-required', 'rate-limited'] as const

/** Entries of recalls and contexts are kept for this long, no more than this many, and no more of their words than this. */
export const activityKeep = { ms: 7 * 86_400_000, rows: 10_000, characters: 32_000_000 } as const

/** A question, and the options beside it, so that it can be asked again. */
export type AskedWords = JsonObject & { readonly text: string }

/** What a capability has kept of a call that was answered: `asked` as `recall` or `context` takes it, `hits` all that lent words. */
export interface ActivityNote {
  readonly sort: AskedSort
  readonly asked: AskedWords
  readonly hits: readonly { readonly id: string; readonly kind: string; readonly score: number }[]
  /** What was packed for a prompt, and how many tokens that takes. */
  readonly packed?: { readonly text: string; readonly tokens: number }
}

type Asked = { readonly text: string; readonly [option: string]: unknown }

/** A question as it can be asked again. */
export const askedOf = (asked: Asked): AskedWords => JSON.parse(JSON.stringify(asked)) as AskedWords

/** What is kept of a recall that was answered with `hits`. */
export const recallNote = (asked: Asked, hits: ActivityNote['hits']): ActivityNote => ({
  sort: 'recall',
  asked: askedOf(asked),
  hits: hits.map(({ id, kind, score }) => ({ id, kind, score })),
})

/** Why the words of an entry are not there: a record that it recalled is forgotten or sensitive, or the book was locked. */
export const lostReasons = ['forgotten', 'locked', 'size'] as const
export type LostReason = (typeof lostReasons)[number]

/** One recall or context, without what it found. */
export interface AskedEntry extends Accessor {
  readonly n: number
  readonly at: string
  readonly sort: AskedSort
  readonly capability: string
  readonly purpose?: string
  /** Milliseconds in the engine. */
  readonly took: number
  readonly tokens?: number
  /** How many records were found. */
  readonly found: number
  /** The question; absent when its words are lost, or can't be read now. */
  readonly asked?: AskedWords
  readonly lost?: LostReason
}

export interface AskedHit {
  readonly id: string
  readonly kind: string
  readonly score: number
  /** Its version at the time. */
  readonly version: number
}

export interface AskedDetail extends AskedEntry {
  readonly hits: readonly AskedHit[]
  /** The packed text, as it was given. */
  readonly packed?: string
}

/** Something that was written, or refused. */
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

/** Where a page goes on: before these numbers of both logs. */
export interface ActivityPlace {
  readonly asked: number
  readonly called: number
}

export interface ActivityQuery {
  readonly sorts?: readonly ActivitySort[] | undefined
  /** Only what recalled this record. */
  readonly record?: string | undefined
  readonly agent?: string | undefined
  /** Canonical times: from this one on, and before that one. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly before?: ActivityPlace | undefined
  readonly limit: number
}

export interface ActivityPage {
  readonly entries: readonly (AskedEntry | CalledEntry)[]
  /** Absent when there is nothing older. */
  readonly next?: ActivityPlace
}

/** How often a record was recalled here, and in whose name. */
export interface RecordActivity {
  readonly recalls: number
  readonly contexts: number
  readonly last_at?: string
  /** Most often first. */
  readonly callers: readonly (Accessor & { readonly count: number; readonly last_at: string })[]
}

/** The activity as the capabilities that show it read it: everything up to now, newest first. */
export interface ActivityPort {
  page(query: ActivityQuery): Promise<ActivityPage>
  get(n: number): Promise<AskedDetail | undefined>
  ofRecord(id: string): Promise<RecordActivity>
}
