// Local state of the knowledge pool, beside the records: received envelopes and their results, the outbox, waiting
// envelopes, and present claws. No sync carries it. Also the port of carriers.
import type { ClawId } from './text/name-id.ts'

/** Limits of the stored state: maximum numbers, and the time after which entries are removed. */
export const poolKeep = {
  /** Maximum of stored envelope keys, for duplicate detection. Records detect older duplicates. */
  keys: 200_000,
  /** Maximum of this book's proposals that are checked for withdrawals. */
  proposed: 10_000,
  auditRows: 10_000,
  auditDays: 30,
  /** Large, because one slow partition of a broker can make many envelopes wait. */
  waiting: 100_000,
  outbox: 100_000,
  outboxDays: 7,
  presenceMs: 3_600_000,
  /** A claw that sent nothing for this time counts as absent: three intervals of presence (45 s). */
  activeMs: 135_000,
  applicants: 200,
  disputes: 200,
} as const

export interface PoolAuditEntry {
  readonly n: number
  /** Canonical UTC text: time of the last of `count` equal entries. */
  readonly at: string
  readonly type: string
  readonly claw: string
  /** Run of the engine that sent the envelope. */
  readonly instance: string
  /** Idempotency key of the envelope. */
  readonly key: string
  /** Id that connects the envelopes about one proposal. */
  readonly trace: string
  readonly result: TakenResult
  readonly reason: string
  /** Carrier that delivered the envelope. Absent for envelopes of this book. */
  readonly from?: string
  /** Number of successive equal entries. */
  readonly count: number
}

export type NewPoolAudit = Omit<PoolAuditEntry, 'n' | 'count'>

export interface PoolAuditQuery {
  readonly claw?: string | undefined
  readonly type?: string | undefined
  /** Matches any of these. */
  readonly results?: readonly TakenResult[] | undefined
  readonly before?: number | undefined
  /** 1 to 1000. */
  readonly limit: number
}

/** An envelope in the outbox. `own`: this book created it and signs it when sending. */
export interface PoolSending {
  readonly n: number
  readonly type: EnvelopeType
  readonly key: string
  readonly group: string
  readonly text: string
  readonly own: boolean
  /** Name of the carrier that delivered it. The pool never sends it back over that carrier. */
  readonly fromCarrier?: string
}

/** An envelope that waits for another envelope. */
export interface PoolWaiting {
  readonly n: number
  readonly type: EnvelopeType | 'promotion'
  /** Id of the awaited proposal; for a promotion, of the awaited fact. */
  readonly about: string
  readonly claw: string
  readonly key: string
  readonly text: string
  /** Name of the carrier that delivered it. */
  readonly fromCarrier?: string
  /** Arrival, and end of the wait: milliseconds since 1970 UTC. */
  readonly at: number
  readonly due: number
}

/** Latest presence of a claw, from one instance. Times are milliseconds since 1970 UTC. */
export interface PoolPresence {
  readonly claw: string
  readonly instance: string
  readonly at: number
  readonly status: 'active' | 'stopping'
  readonly name?: string
  /** True for a claw of this book. */
  readonly own: boolean
  /** Start of its uninterrupted presence. A start of the engine interrupts it. */
  readonly since?: number
}

/** A claw that asks for admission. Its owner has the private key. Times are milliseconds since 1970 UTC. */
export interface PoolApplicant {
  readonly claw: string
  /** Public key that verified its signature. Absent if signatures are not checked. */
  readonly key?: string
  readonly at: number
  readonly name?: string
}

/** A proposal of this book. `proposal`: its id among claws. */
export interface PoolProposed {
  readonly claw: string
  readonly proposal: string
}

/** A dispute for the owner to check. */
export interface PoolDispute {
  readonly claw: string
  readonly proposal: string
  readonly reason: string
}

/** Reads the state. */
export interface PoolReader {
  /** Counts changes, undone ones included. An equal number means an equal state. */
  readonly revision: number
  /** Hash of the envelope that this claw sent under `key`; undefined if no envelope arrived. */
  receivedHash(claw: string, key: string): string | undefined
  audit(query: PoolAuditQuery): PoolAuditEntry[]
  /** Envelopes to send over a carrier, oldest first. */
  outbox(carrier: string, limit: number): PoolSending[]
  /** False if the envelope in the outbox was withdrawn. */
  isToSend(n: number): boolean
  /** Number of envelopes to send over a carrier. */
  unsent(carrier: string): number
  /** Waiting envelopes: those about one id, or all with a due time up to `due`. */
  waiting(query: { readonly about?: string; readonly due?: number }): PoolWaiting[]
  /** Due time of the next waiting envelope. */
  nextDue(): number | undefined
  presence(): PoolPresence[]
  /** Applicants since the engine started, latest first. */
  applicants(): readonly PoolApplicant[]
  /** True for a claw that sent through this book. */
  isOwn(claw: string): boolean
  /** Proposals of this book, made here or on another device; newest first. */
  proposed(): readonly PoolProposed[]
  /** Counts proposals that were forgotten or sealed after the start of the engine. */
  readonly removedProposals: number
}

/** Changes the state, in a transaction. */
export interface PoolWriter extends PoolReader {
  /** Stores the hash of the envelope that this claw sent under `key`; see `receivedHash`. */
  remember(claw: string, key: string, hash: string): void
  unremember(claw: string, key: string): void
  /** Adds an entry to the audit. */
  note(entry: NewPoolAudit): void
  /** Adds an envelope to the outbox. */
  send(envelope: Omit<PoolSending, 'n'>, now: number): void
  /** Marks envelopes up to number `n` as delivered to this carrier. */
  sent(carrier: string, n: number): void
  wait(entry: Omit<PoolWaiting, 'n'>): void
  stopWaiting(n: number): void
  /** Stores a presence. False: a later one of that instance is stored. */
  present(entry: PoolPresence): boolean
  /** Marks a claw as one of this book; see `isOwn`. */
  own(claw: string): void
  /** Adds an applicant, or updates it. */
  addApplicant(applicant: PoolApplicant): void
  /** Removes an applicant, because the owner decided about it. */
  removeApplicant(claw: string): void
  dispute(dispute: PoolDispute): void
  /** Removes the words of a proposal from waiting envelopes and the outbox. Its withdrawal is still sent. */
  dropProposalWords(proposal: string): void
  /** Removes the words of a forgotten or sealed record from waiting envelopes and the outbox. */
  dropRecordWords(kind: string, id: string): void
  /** Removes state that exceeds the limits. */
  prune(now: number, carrierNames: readonly string[]): void
}

/** Identity of this copy in the pool. */
export interface PoolSelf {
  /** Name of the book. */
  readonly book: string
  /** The agent of the book. */
  readonly agent: string
  readonly device: string
  /** Id of this run of the engine. */
  readonly instance: string
}

export interface PoolWritePort extends PoolWriter {
  readonly self: PoolSelf
  /**
   * True if all carriers serve books of one person only, such as the tabs of a browser; false without
   * carriers.
   */
  readonly servesOnePerson: boolean
  /** Names of the carriers of this copy. */
  readonly carrierNames: readonly string[]
  /** Returns a new random id with the prefix of `sort`, and 16 hexadecimal digits. */
  newId(sort: ClawId): string
}

export interface PoolPort extends PoolReader {
  readonly self: PoolSelf
  readonly servesOnePerson: boolean
  /** Returns the disputes that are new since the last call. */
  takeNewDisputes(): readonly PoolDispute[]
  /** Ed25519; see `Keyring.verify`. */
  verify(key: string, text: string, signature: string): Promise<boolean>
  /** Names of the carriers of this copy. */
  readonly carrierNames: readonly string[]
}

/**
 * Results of an incoming envelope. `duplicate`: it arrived before. `stale`: later news or a decision replaced it.
 * `conflict`: it contradicts the state of this book. `ignored`: it has no effect here, or not yet. `rejected`: it is
 * invalid. `reason` explains the result in the audit.
 */
export const takenResults = ['accepted', 'duplicate', 'stale', 'conflict', 'ignored', 'rejected'] as const
export type TakenResult = (typeof takenResults)[number]

export interface Taken {
  readonly result: TakenResult
  readonly reason: string
  /** True: the pool judges the envelope when the envelope that it depends on arrives, or when the wait ends. */
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
  /** The whole envelope as JSON; signed if this book can sign. */
  readonly text: string
  readonly type: EnvelopeType
  /** Id of its proposal, fact or claw. Envelopes with one key stay in order. */
  readonly key: string
  /** Group of claws that share the pool. */
  readonly group: string
  /** True after this book withdrew it: then don't send it. Absent: the envelope can't be withdrawn. */
  readonly isTakenBack?: () => boolean
}

export interface PoolCarrierHooks {
  /**
   * Delivers an incoming envelope. `at`: arrival time at a storing carrier (the broker's clock) in milliseconds,
   * default now. Resolves after its result is committed; acknowledge it only then. Rejects if the book can't be
   * written now: then deliver the envelope again.
   */
  received(text: string, at?: number): Promise<Taken>
  /** The connection is open, for the first time or again. The pool sends waiting envelopes. */
  ready(): void
}

/**
 * A carrier of envelopes between claws: tabs of one origin, the live connection of the edge, a broker.
 *
 * Law: after `open`, the carrier calls `received` for every incoming envelope, in order for each key, without those
 * that it sent itself, if it can tell. `send` resolves when the carrier has stored the envelope. If `send` rejects,
 * the pool sends again, so an envelope may arrive twice but is never lost. A carrier that delays an envelope calls
 * `isTakenBack` before sending, and drops a withdrawn one with success. After `close` it delivers nothing, and `send`
 * rejects.
 */
export interface PoolCarrier {
  /** Stable name; the pool stores sending progress under it. Letters, digits, `.`, `_`, `:`, `-`. */
  readonly name: string
  /** True if only books of one person use this carrier, such as the tabs of a browser. Default: false. */
  readonly servesOnePerson?: boolean
  open(hooks: PoolCarrierHooks): void
  send(envelope: Outgoing): Promise<void>
  /** Returns a short description of a fault; undefined without a fault. */
  degraded?(): string | undefined
  /**
   * True while the carrier has undelivered incoming envelopes, or doesn't know. Then waiting envelopes don't expire.
   * Default: false.
   */
  isBehind?(): boolean
  close(): void
}
