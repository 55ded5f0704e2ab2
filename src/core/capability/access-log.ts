// The log of access as it is asked: who called what at this copy of the book, and what came of it, without any content.

/** Characters that a caller may say what a call is for in. */
export const purposeLimit = 200

/** By what a caller is known: the owner, a control token, an access key, verified claims, or nobody who is known here. */
export const callerSorts = ['owner', 'token', 'key', 'claims', 'unknown'] as const
export type CallerSort = (typeof callerSorts)[number]

export interface AccessEntry {
  /** Its number at this copy: entries are counted up. */
  readonly n: number
  readonly at: string
  /** The agent in whose name it was called. */
  readonly caller: string
  readonly by: CallerSort
  /** The id of the token or key, or what names the claims; absent for the owner. */
  readonly id?: string
  readonly capability: string
  /** `ok`, or the code of the error. */
  readonly outcome: string
  /** Kinds of the records that a write changed, and how many they were. */
  readonly kinds: readonly string[]
  readonly count: number
  readonly purpose?: string
  readonly receipt?: string
}
