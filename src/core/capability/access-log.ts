// The access log: caller, capability and outcome of each call at this copy of the book, without content.

/** Most characters of the purpose of a call. */
export const purposeLimit = 200

/** Identification of a caller: owner, control token, access key, verified claims, or none. */
export const callerSorts = ['owner', 'token', 'key', 'claims', 'unknown'] as const
export type CallerSort = (typeof callerSorts)[number]

/** The caller, as far as it is identified. */
export interface Accessor {
  /** The agent of the call; empty for an unidentified caller. */
  readonly caller: string
  readonly by: CallerSort
  /** Id of the token or key, or name of the claims. Absent for an owner without a key or an unidentified caller. */
  readonly id?: string
}

export interface AccessEntry extends Accessor {
  /** Number of the entry at this copy, ascending. */
  readonly n: number
  readonly at: string
  readonly capability: string
  /** `ok`, or the error code. */
  readonly outcome: string
  /**
   * Kinds and number of the records that a write or sync changed, or of the items in an answer to a guest;
   * else empty and 0.
   */
  readonly kinds: readonly string[]
  readonly count: number
  /** The purpose that the caller gave, and the id of the receipt that it presented. */
  readonly purpose?: string
  readonly receipt?: string
}

/** Selects a page of the log. Newest entries come first. */
export interface AccessQuery {
  /** Only entries with a lower number. */
  readonly before?: number | undefined
  readonly agent?: string | undefined
  readonly capability?: string | undefined
  readonly outcome?: string | undefined
  /** Canonical UTC text: `from` is inclusive, `to` exclusive. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly limit: number
}

/** Limits of the log: age in milliseconds, number of entries. */
export const accessKeep = { ms: 90 * 86_400_000, rows: 100_000 } as const

/** The log as capabilities read it. */
export interface AccessPort {
  /** Returns the newest matching entries, uncommitted ones included. */
  page(query: AccessQuery): Promise<readonly AccessEntry[]>
}
