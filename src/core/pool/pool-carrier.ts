// The way of envelopes between claws: tabs of one origin, the live line of the edge, a broker.

/** What became of an envelope that arrived; `reason` says why, in the words of the audit. */
export const takenResults = ['accepted', 'duplicate', 'stale', 'conflict', 'ignored', 'rejected'] as const
export type TakenResult = (typeof takenResults)[number]

export interface Taken {
  readonly result: TakenResult
  readonly reason: string
  /** It rests on something that has not come yet, and is judged when that comes or has been waited for long enough. */
  readonly waits?: true
}

/** The types of an envelope, in the order in which their topics are named. */
export const envelopeTypes = [
  'capabilities',
  'presence',
  'proposal',
  'vote',
  'decision',
  'fact',
  'withdrawal',
] as const
export type EnvelopeType = (typeof envelopeTypes)[number]

/** An envelope on its way out. */
export interface Outgoing {
  /** The whole envelope as JSON, signed where this book can sign. */
  readonly text: string
  readonly type: EnvelopeType
  /** What it is about: the id of its proposal or fact, else of its claw. Envelopes of one key keep their order. */
  readonly key: string
  readonly group: string
  /** True once this book has taken it back: what is not said yet is not said then. Absent for what nobody can take back. */
  readonly isTakenBack?: () => boolean
}

export interface PoolCarrierHooks {
  /**
   * An envelope has come, as text, whatever it is. `at` is when it reached a carrier that keeps what it carries (a broker's
   * own time), in milliseconds; default now. Resolves once what came of it is committed: only then may the carrier say that it
   * was had. It rejects when the book can't be written now, and then the same envelope is to be given again.
   */
  received(text: string, at?: number): Promise<Taken>
  /** The way is open, or open again: what waits is sent. */
  ready(): void
}

/**
 * One way to other claws. Law: after `open`, `received` is called for every envelope that arrives, in the order of its key,
 * and for none that this very carrier was given to `send`, where it can tell. `send` resolves when the envelope is in the
 * carrier's keeping, and rejects otherwise; it is then given again, so that an envelope may arrive twice and is never lost
 * before it is in that keeping. A carrier that lets an envelope wait asks `isTakenBack` before it says it; what was taken back
 * it passes over, and resolves. After `close` nothing is received, and `send` rejects. The pool never sends an envelope
 * back over the carrier that brought it.
 */
export interface PoolCarrier {
  /** The same at every start: how far what waits has been sent is kept under it. Letters, digits, `.`, `_`, `:`, `-`. */
  readonly name: string
  /** True for a way that only books of one person can be on: the tabs of a browser. Default false. */
  readonly isOnePersons?: boolean
  open(hooks: PoolCarrierHooks): void
  send(envelope: Outgoing): Promise<void>
  /** What is wrong with it, in words; undefined when nothing is. */
  degraded?(): string | undefined
  /**
   * True while it has much that was said and not received yet, or cannot tell: what waits for an envelope is not given up
   * then, however long it has waited. Default: never.
   */
  isBehind?(): boolean
  close(): void
}
