// State of the knowledge pool at one copy of the book, beside its records: known envelopes and their results, the outbox,
// waiting envelopes, and present claws. It is local: no sync carries it.

/** Limits of the stored state. */
export const poolKeep = {
  /** Keys of envelopes, to detect duplicates. Older ones are detected by their records. */
  keys: 200_000,
  /** Proposals of this book that are searched for withdrawals. */
  proposed: 10_000,
  auditRows: 10_000,
  auditDays: 30,
  /** One slow partition of a broker may make many envelopes wait. */
  waiting: 100_000,
  outbox: 100_000,
  outboxDays: 7,
  presenceMs: 3_600_000,
  /** A claw that was silent for longer counts as absent. */
  activeMs: 135_000,
  applicants: 200,
  disputes: 200,
} as const

export interface PoolAuditEntry {
  readonly n: number
  /** Canonical UTC text; of several equal entries, the last. */
  readonly at: string
  readonly type: string
  readonly claw: string
  readonly instance: string
  readonly key: string
  readonly trace: string
  readonly result: TakenResult
  readonly reason: string
  /** Carrier that brought it; absent for envelopes of this book. */
  readonly from?: string
  /** Number of equal entries in a row. */
  readonly count: number
}

export type NewPoolAudit = Omit<PoolAuditEntry, 'n' | 'count'>

export interface PoolAuditQuery {
  readonly claw?: string | undefined
  readonly type?: string | undefined
  /** Any of these. */
  readonly results?: readonly TakenResult[] | undefined
  readonly before?: number | undefined
  /** 1 to 1000. */
  readonly limit: number
}

/** An envelope in the outbox. `own`: it belongs to this book, which signs it when sending. */
export interface PoolSending {
  readonly n: number
  readonly type: EnvelopeType
  readonly key: string
  readonly group: string
  readonly text: string
  readonly own: boolean
  /** Carrier that brought it; it is not sent over that one. */
  readonly from?: string
}

/** An envelope that depends on one that hasn't arrived. */
export interface PoolWaiting {
  readonly n: number
  readonly type: EnvelopeType | 'promotion'
  /** Id of the awaited proposal, or fact for a promotion. */
  readonly about: string
  readonly claw: string
  readonly key: string
  readonly text: string
  readonly from?: string
  /** Milliseconds since 1970 UTC. */
  readonly at: number
  readonly due: number
}

/** Last sign of life of a claw, by one instance. Times are milliseconds since 1970 UTC. */
export interface PoolPresence {
  readonly claw: string
  readonly instance: string
  readonly at: number
  readonly status: 'active' | 'stopping'
  readonly name?: string
  /** True for a claw of this book. */
  readonly own: boolean
  /** Start of its uninterrupted presence; a start of the engine interrupts it. */
  readonly since?: number
}

/** A claw that asks to be admitted; its owner has the key. Times are milliseconds since 1970 UTC. */
export interface PoolApplicant {
  readonly claw: string
  /** Key of its valid signature; absent if signatures are not checked. */
  readonly key?: string
  readonly at: number
  readonly name?: string
}

/** A proposal of this book, by its id among claws. */
export interface PoolProposed {
  readonly claw: string
  readonly proposal: string
}

/** A dispute that the owner should look at. */
export interface PoolDispute {
  readonly claw: string
  readonly proposal: string
  readonly reason: string
}

/** Reads the state. */
export interface PoolReader {
  /** Counts changes, including undone ones: an equal number means an unchanged state. */
  readonly revision: number
  /** Hash of the envelope received under this key of this claw; undefined if it had none. */
  receivedHash(claw: string, key: string): string | undefined
  audit(query: PoolAuditQuery): PoolAuditEntry[]
  /** Envelopes to send over a carrier, oldest first. */
  outbox(carrier: string, limit: number): PoolSending[]
  /** False for an envelope of the outbox that was withdrawn. */
  isToSend(n: number): boolean
  /** Number of envelopes to send over a carrier. */
  unsent(carrier: string): number
  /** Waiting envelopes: about one id, or all that are due. */
  waiting(query: { readonly about?: string; readonly due?: number }): PoolWaiting[]
  /** Time of the next due envelope. */
  nextDue(): number | undefined
  presence(): PoolPresence[]
  /** Applicants since the engine started, latest first. */
  applicants(): readonly PoolApplicant[]
  /** True for a claw that spoke through this book. */
  isOwn(claw: string): boolean
  /** Proposals of this book, made here or on another device; newest first. */
  proposed(): readonly PoolProposed[]
  /** Counts proposals that were forgotten or sealed since the engine started. */
  readonly proposalsGone: number
}

/** Changes the state, inside a transaction. */
export interface PoolWriter extends PoolReader {
  remember(claw: string, key: string, hash: string): void
  unremember(claw: string, key: string): void
  note(entry: NewPoolAudit): void
  send(envelope: Omit<PoolSending, 'n'>, now: number): void
  /** Marks envelopes up to number `n` as delivered to this carrier. */
  sent(carrier: string, n: number): void
  wait(entry: Omit<PoolWaiting, 'n'>): void
  stopWaiting(n: number): void
  /** Notes a presence; false if a later one of that instance is known. */
  present(entry: PoolPresence): boolean
  own(claw: string): void
  applied(applicant: PoolApplicant): void
  /** Removes an applicant from the list. */
  answered(claw: string): void
  dispute(dispute: PoolDispute): void
  /** Removes a proposal's words from waiting envelopes and the outbox; its withdrawal is still sent. */
  silence(proposal: string): void
  /** Removes the words of a forgotten or sealed record from waiting envelopes and the outbox. */
  gone(kind: string, id: string): void
  /** Removes state beyond the limits. */
  prune(now: number, carriers: readonly string[]): void
}

/** Identity of this book's pool at this copy. */
export interface PoolSelf {
  /** Name of the book. */
  readonly book: string
  /** The agent of the book. */
  readonly agent: string
  readonly device: string
  /** Id of this device's engine run. */
  readonly instance: string
}

export interface PoolWritePort extends PoolWriter {
  readonly self: PoolSelf
  /** True if only the tabs of one browser reach this copy. */
  readonly isOnePersons: boolean
  /** Names of the carriers of this copy. */
  readonly carriers: readonly string[]
  /** A new random id: `prefix` and 16 hexadecimal digits. */
  newId(prefix: string): string
}

export interface PoolPort extends PoolReader {
  readonly self: PoolSelf
  readonly isOnePersons: boolean
  /** Returns new disputes since the last call, each once. */
  disputes(): readonly PoolDispute[]
  /** Ed25519, as in `Keyring.verify`. */
  verify(key: string, text: string, signature: string): Promise<boolean>
  /** Names of the carriers of this copy. */
  readonly carriers: readonly string[]
}

/** Results of an incoming envelope; `reason` says why, in the words of the audit. */
export const takenResults = ['accepted', 'duplicate', 'stale', 'conflict', 'ignored', 'rejected'] as const
export type TakenResult = (typeof takenResults)[number]

export interface Taken {
  readonly result: TakenResult
  readonly reason: string
  /** True: it depends on an envelope that hasn't arrived, and is judged when that arrives or the wait is over. */
  readonly waits?: true
}

/** Types of envelopes, in the order of their topics. */
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

/** An outgoing envelope. */
export interface Outgoing {
  /** The whole envelope as JSON, signed if this book can sign. */
  readonly text: string
  readonly type: EnvelopeType
  /** Id of its proposal or fact, else of its claw. Envelopes with one key stay in order. */
  readonly key: string
  readonly group: string
  /** True once this book has withdrawn it; if it is still unsent, don't send it. Absent if it can't be withdrawn. */
  readonly isTakenBack?: () => boolean
}

export interface PoolCarrierHooks {
  /**
   * Delivers an incoming envelope as text. `at` is the arrival time at a storing carrier (the broker's own time) in
   * milliseconds; default now. Resolves when its result is committed; acknowledge it only then. Rejects if the book can't
   * be written now; then deliver the same envelope again.
   */
  received(text: string, at?: number): Promise<Taken>
  /** The connection is open, or open again: waiting envelopes are sent. */
  ready(): void
}

/**
 * A carrier of envelopes between claws: tabs of one origin, the live line of the edge, a broker. Law: after `open`,
 * `received` is called for every incoming envelope, in the order of its key, but not for envelopes that this carrier sent
 * itself, if it can tell. `send` resolves when the carrier has stored the envelope, and rejects otherwise; the pool then
 * sends it again, so an envelope may arrive twice but is never lost. A carrier that delays an envelope calls
 * `isTakenBack` before it sends it, and drops withdrawn ones with success. After `close` it receives nothing, and `send`
 * rejects. The pool never returns an envelope to the carrier that brought it.
 */
export interface PoolCarrier {
  /** Stable name: sending progress is stored under it. Letters, digits, `.`, `_`, `:`, `-`. */
  readonly name: string
  /** True if only books of one person use this carrier: the tabs of a browser. Default false. */
  readonly isOnePersons?: boolean
  open(hooks: PoolCarrierHooks): void
  send(envelope: Outgoing): Promise<void>
  /** Describes a fault, in words; undefined if all is well. */
  degraded?(): string | undefined
  /**
   * True while undelivered envelopes are queued there, or if it can't tell: waiting envelopes are then not given up,
   * however long they waited. Default: never.
   */
  isBehind?(): boolean
  close(): void
}
