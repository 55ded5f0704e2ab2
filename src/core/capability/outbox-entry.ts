// A change that the mirror has not acknowledged, as a person may want to see it.

export interface OutboxEntry {
  /** Its place in the queue: entries come in this order, but for those that are urgent. */
  readonly n: number
  /** The id of the record, and its kind. */
  readonly record: string
  readonly kind: string
  readonly op: 'put' | 'forget'
  /** When the record was last changed. */
  readonly at: string
  /** `waiting`: not sent yet. `sent`: no answer came so far. `refused`: it can't be taken as it is, `error` says why. */
  readonly state: 'waiting' | 'sent' | 'refused'
  readonly error?: { readonly code: string; readonly message: string }
}

/** Which part of the queue, from its beginning. */
export interface OutboxQuery {
  readonly limit: number
  /** Only what comes after this `n`, for the next page. */
  readonly after?: number | undefined
}
