// What the pool keeps at one copy of the book, beside its records: which envelopes it has had, what became of each, what is to
// be sent, what waits for another, and who is there. None of it is synced: it speaks of what this copy has seen.
import type { EnvelopeType, TakenResult } from './pool-carrier.ts'

/** How much of it is kept. */
export const poolKeep = {
  /** Keys of envelopes, by which a second one is known. What is older is known by its records. */
  keys: 200_000,
  /** So many proposals of this book are looked through for those to withdraw. */
  proposed: 10_000,
  auditRows: 10_000,
  auditDays: 30,
  /** A partition of a broker that is behind the others may make many wait. */
  waiting: 100_000,
  outbox: 100_000,
  outboxDays: 7,
  presenceMs: 3_600_000,
  /** A claw that was not heard of for longer is not there. */
  activeMs: 135_000,
  applicants: 200,
  disputes: 200,
} as const

export interface PoolAuditEntry {
  readonly n: number
  /** Canonical UTC text; of several that were alike, the last. */
  readonly at: string
  readonly type: string
  readonly claw: string
  readonly instance: string
  readonly key: string
  readonly trace: string
  readonly result: TakenResult
  readonly reason: string
  /** The carrier that brought it; absent for what this book has said itself. */
  readonly from?: string
  /** How many were alike, one after another. */
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

/** An envelope in the outbox. `own`: it is this book's, and signed when it is sent. */
export interface PoolSending {
  readonly n: number
  readonly type: EnvelopeType
  readonly key: string
  readonly group: string
  readonly text: string
  readonly own: boolean
  /** The carrier that brought it, over which it does not go. */
  readonly from?: string
}

/** Something that rests on what has not come yet. */
export interface PoolWaiting {
  readonly n: number
  readonly type: EnvelopeType | 'promotion'
  /** The proposal, or for a promotion the fact, that it waits for. */
  readonly about: string
  readonly claw: string
  readonly key: string
  readonly text: string
  readonly from?: string
  /** Milliseconds. */
  readonly at: number
  readonly due: number
}

/** A claw as it was last heard of, by one instance of it. Milliseconds. */
export interface PoolPresence {
  readonly claw: string
  readonly instance: string
  readonly at: number
  readonly status: 'active' | 'stopping'
  readonly name?: string
  /** It is one of this book's. */
  readonly own: boolean
  /** Since when it was there without a break; a start of the engine is one. */
  readonly since?: number
}

/** A claw that does not count here, and wants to: its owner has the key. Milliseconds. */
export interface PoolApplicant {
  readonly claw: string
  /** The key that its envelope was well signed with; absent where signatures are not looked at. */
  readonly key?: string
  readonly at: number
  readonly name?: string
}

/** A proposal of this book, by its id among claws. */
export interface PoolProposed {
  readonly claw: string
  readonly proposal: string
}

/** Something that the owner should look at. */
export interface PoolDispute {
  readonly claw: string
  readonly proposal: string
  readonly reason: string
}

/** Reading it. */
export interface PoolReader {
  /** Counts changes, undone ones too: what has the same number is as it was. */
  readonly revision: number
  /** The hash of what was had under this key of this claw; undefined when nothing was. */
  had(claw: string, key: string): string | undefined
  audit(query: PoolAuditQuery): PoolAuditEntry[]
  /** What is to be sent over a carrier, the oldest first. */
  outbox(carrier: string, limit: number): PoolSending[]
  /** False for an envelope of the outbox that was taken back. */
  isToSend(n: number): boolean
  /** How many envelopes wait to be sent over it. */
  unsent(carrier: string): number
  /** What waits, about one thing or all that is due. */
  waiting(query: { readonly about?: string; readonly due?: number }): PoolWaiting[]
  /** When the first of what waits is due. */
  nextDue(): number | undefined
  presence(): PoolPresence[]
  /** Who has asked in since the engine started, the last first. */
  applicants(): readonly PoolApplicant[]
  /** True for a claw that has spoken out of this very book. */
  isOwn(claw: string): boolean
  /** The proposals that this copy has said, or heard another device of this book say; the newest first. */
  proposed(): readonly PoolProposed[]
  /** Counts proposals that were forgotten or sealed since the engine started. */
  readonly proposalsGone: number
}

/** Changing it, inside a transaction. */
export interface PoolWriter extends PoolReader {
  remember(claw: string, key: string, hash: string): void
  unremember(claw: string, key: string): void
  note(entry: NewPoolAudit): void
  send(envelope: Omit<PoolSending, 'n'>, now: number): void
  /** Everything up to number `n` is in the keeping of this carrier. */
  sent(carrier: string, n: number): void
  wait(entry: Omit<PoolWaiting, 'n'>): void
  stopWaiting(n: number): void
  /** Notes who is there; false for what is older than what is known of that instance. */
  present(entry: PoolPresence): boolean
  own(claw: string): void
  applied(applicant: PoolApplicant): void
  /** Takes one off the list of those that ask in. */
  answered(claw: string): void
  dispute(dispute: PoolDispute): void
  /** Leaves no word of a proposal in what waits or is to be sent; its withdrawal is sent all the same. */
  silence(proposal: string): void
  /** The record `id` is forgotten or sealed now: no word of it stays in what waits or is to be sent. */
  gone(kind: string, id: string): void
  /** Lets go of what need not be kept any longer. */
  prune(now: number, carriers: readonly string[]): void
}

/** Who the pool of this book is at this copy. */
export interface PoolSelf {
  /** The name of the book. */
  readonly book: string
  /** The agent that the book was opened for. */
  readonly agent: string
  readonly device: string
  /** Of this device, since the engine started. */
  readonly instance: string
}

export interface PoolWritePort extends PoolWriter {
  readonly self: PoolSelf
  /** Nothing but the tabs of one browser reaches this copy. */
  readonly isOnePersons: boolean
  /** The names of the carriers that this copy was opened with. */
  readonly carriers: readonly string[]
  /** A new random id: `prefix` and 16 hexadecimal digits. */
  newId(prefix: string): string
}

export interface PoolPort extends PoolReader {
  readonly self: PoolSelf
  readonly isOnePersons: boolean
  /** What was disputed since the last time, each once. */
  disputes(): readonly PoolDispute[]
  /** Ed25519, as in `Keyring.verify`. */
  verify(key: string, text: string, signature: string): Promise<boolean>
  /** The names of the carriers that this copy was opened with. */
  readonly carriers: readonly string[]
}
