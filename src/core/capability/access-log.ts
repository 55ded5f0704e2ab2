// The log of access as it is asked: who called what at this copy of the book, and what came of it, without any content.
/** Characters that a caller may say what a call is for in. */
export const purposeLimit = 200

/** By what a caller is known: the owner, a control token, an access key, verified claims, or nobody who is known here. */
export const callerSorts = ['owner', 'token', 'key', 'claims', 'unknown'] as const
export type CallerSort = (typeof callerSorts)[number]

/** Who called, as far as somebody is known. */
export interface Accessor {
  /** The agent in whose name it was called; empty for nobody who is known. */
  readonly caller: string
  readonly by: CallerSort
  /** The id of the token or key, or what names the claims; absent for the owner without a key, and for nobody. */
  readonly id?: string
}

export interface AccessEntry extends Accessor {
  /** Its number at this copy: entries are counted up. */
  readonly n: number
  readonly at: string
  readonly capability: string
  /** `ok`, or the code of the error. */
  readonly outcome: string
  /** Kinds of the records that a write changed, and how many they were. */
  readonly kinds: readonly string[]
  readonly count: number
  readonly purpose?: string
  readonly receipt?: string
}

/** Which entries are wanted, newest first. */
export interface AccessQuery {
  /** Only those before this number. */
  readonly before?: number | undefined
  readonly agent?: string | undefined
  readonly capability?: string | undefined
  readonly outcome?: string | undefined
  /** Canonical times: from this one on, and before that one. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly limit: number
}

/** Entries are kept for this long, and no more than this many. */
export const accessKeep = { ms: 90 * 86_400_000, rows: 100_000 } as const

/** The access log, for the verb that shows it. */
export interface AccessPort {
  /** Everything up to now, what has not been committed yet included. */
  page(query: AccessQuery): Promise<readonly AccessEntry[]>
}
