// The access log: who called what at this copy of the book, and the outcome, without any content.

/** Most characters of the purpose of a call. */
export const purposeLimit = 200

/** How a caller is identified: as the owner, by a control token, an access key, verified claims, or not at all. */
export const callerSorts = ['owner', 'token', 'key', 'claims', 'unknown'] as const
export type CallerSort = (typeof callerSorts)[number]

/** The caller of a call, as far as it is identified. */
export interface Accessor {
  /** The agent of the call; empty for an unidentified caller. */
  readonly caller: string
  readonly by: CallerSort
  /** Id of the token or key, or name of the claims. Absent for the owner without a key, and for unidentified callers. */
  readonly id?: string
}

export interface AccessEntry extends Accessor {
  /** Number of the entry at this copy; entries are counted up. */
  readonly n: number
  readonly at: string
  readonly capability: string
  /** `ok`, or the error code. */
  readonly outcome: string
  /** Kinds and number of the records that a write changed. */
  readonly kinds: readonly string[]
  readonly count: number
  readonly purpose?: string
  readonly receipt?: string
}

/** A page of the log, newest first. */
export interface AccessQuery {
  /** Only entries before this number. */
  readonly before?: number | undefined
  readonly agent?: string | undefined
  readonly capability?: string | undefined
  readonly outcome?: string | undefined
  /** Canonical times: from this one (inclusive) to that one (exclusive). */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly limit: number
}

/** Limits of the log: milliseconds and number of entries. */
export const accessKeep = { ms: 90 * 86_400_000, rows: 100_000 } as const

/** The log as its capability reads it. */
export interface AccessPort {
  /** All matching entries so far, uncommitted ones included. */
  page(query: AccessQuery): Promise<readonly AccessEntry[]>
}
