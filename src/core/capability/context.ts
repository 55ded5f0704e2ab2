// The context of a capability: the call and the ports that the capability declares, built for the caller of that
// call.
// Invariant: a capability reads and changes the book through its declared ports only.
import type { AbortSignalLike } from '../abort.ts'
import type { ArchivePort } from './port/archive-port.ts'
import type { AccessPort } from './access-log.ts'
import type { ActivityPort } from './activity.ts'
import type { Zone } from '../zone.ts'
import type { JsonObject } from '../json/path.ts'
import type { Kinds } from '../kind.ts'
import type { Cipher, Digest, Keyring, Random } from '../ports.ts'
import type { Durability, RecordHead, Scope } from '../record.ts'
import type { Caller } from './caller.ts'
import type {
  Ledger,
  LedgerWriter,
  OwnReader,
  OwnWriter,
  ReachedRecord,
  ReachQuery,
  RecordReader,
  RecordWriter,
} from './port/record-port.ts'
import type { PoolPort, PoolWritePort } from '../pool.ts'
import type { Progress, TaskReader, TaskWriter } from './task.ts'
import type { RecallPort } from './port/recall-port.ts'
import type { SyncReader, SyncWriter } from './port/sync-port.ts'
import type { Room } from './port/room-port.ts'
import type { EmbedStatus, Status, SyncDirection, SyncResult } from './status.ts'
import type { Staging, TransferSessions, TransferWriter } from './transfer.ts'
import type { CallWay, PolicyDecision } from '../access/governed.ts'
import type { SealedInfo } from '../sealed.ts'

/** The call itself. Every capability gets this port. */
export interface CallPort {
  readonly caller: Caller
  /** Default scope of new records: the scope of the call; for absent fields, that of its tab or token. */
  readonly scope: Scope
  /**
   * True if the owner's side calls as an agent that it names, for example through a handle. Such a caller
   * decides nothing for the owner.
   */
  readonly namesAgent: boolean
  /** Time of this call, canonical UTC text. */
  readonly now: string
  /** Time zone for dates without a time. */
  readonly zone: Zone
  readonly durability: Durability
  readonly signal: AbortSignalLike
  /** Reports progress to listeners and to the task queue. */
  progress(step: Progress): void
  /** Set in the task queue. `number`: this attempt, from 1. Unless `isLast`, a failure is retried later. */
  readonly attempt?: { readonly number: number; readonly isLast: boolean } | undefined
}

/**
 * `once`: the nth of these writes of a repeatable task gets the stored answer of the nth one of an earlier run. So each
 * run must have the same writes, in the same order. `every-run`: each run executes the write, which skips what an
 * earlier run did.
 */
export type TaskWrite = 'once' | 'every-run'

/** Records for a task. Reads see the current state; each `write` is one transaction. */
export interface TaskRecords<Uses extends PortName> extends RecordReader {
  /**
   * Runs `work` atomically. Several waiting `work`s may commit together; one that throws undoes only itself.
   * `work` may run twice, so it must have no effect outside `at`. Default: `once`.
   */
  write<Result>(work: (at: WriteContext<Uses>) => Result, how?: TaskWrite): Promise<Result>
  /** Removes purged data from the files of the book. */
  scrub(): void
  /** The kinds whose records may leave this copy of the book. */
  readonly kinds: Kinds
}

/** Tokens and keys, and the functions that create and verify them. Only the chapter of trust may use it. */
export interface TrustPort {
  readonly ledger: Ledger
  /** Ed25519. Every copy verifies signatures; only a copy with the book's private key signs. */
  readonly keys: Keyring
  readonly digest: Digest
  readonly random: Random
  /** The agent under which this copy writes the owner's own records. */
  readonly owner: string
  /**
   * Latest time that this copy has seen, canonical UTC text. A token that ended by this time stays ended, even if the
   * clock goes back.
   */
  time(): string
  /** The keys that seal sensitive records. */
  readonly sealing: SealingPort
}

export interface TrustWriter {
  readonly ledger: LedgerWriter
  /** Accepts the current clock. Returns the milliseconds by which the clock is behind the latest seen time. */
  resetTime(): number
}

/** Whole files that several calls import or export in parts. */
export interface TransferPort {
  readonly staging: Staging
  readonly sessions: TransferSessions
  readonly digest: Digest
  readonly random: Random
  readonly cipher: Cipher
  /** Verifies the signer of a file, and signs for the owner. */
  readonly keys: Keyring
  /** Names of kinds that only a later Daybook knows and that have records in this book. Empty for guests. */
  unknownKinds(): string[]
}

/** The book's mirror. */
export interface MirrorPort {
  /** Syncs now. Throws `sync-off` if the book has no mirror. */
  sync(direction?: SyncDirection): Promise<SyncResult>
  /** Calls a capability at the mirror as agent `who`. Absent without a mirror; see engine/context/mirror-call.ts. */
  ask?(id: string, who: string, input: JsonObject): Promise<unknown>
  /** Calls a reading capability at the mirror. Absent without a mirror. */
  read?(id: string, input: object): Promise<unknown>
}

/** Ends the book, on this device and at its mirror. */
export interface EndPort {
  /**
   * `mirror`: true erases the book at its mirror first. Throws before any change: `invalid-input` if
   * `confirm` is not the name of the book, `storage-unavailable` if this host can't erase books; with
   * `mirror`, also `sync-off` without a mirror, and `offline`.
   */
  erase(request: {
    readonly confirm: string
    readonly mirror: boolean
  }): Promise<{ readonly erased: true; readonly name: string; readonly mirror: boolean }>
  /**
   * After an erasure at the mirror: starts a new book there from this copy, and syncs. `begun`: false if
   * another device had started it; this copy then joined that book. Throws like `erase` with `mirror`.
   */
  startOver(request: { readonly confirm: string }): Promise<SyncResult & { readonly begun: boolean }>
}

/** The state of the book. */
export interface StatusPort {
  book(): Promise<Status>
  /** Progress of the vectors. */
  embedder(): EmbedStatus
}

/** The reach of the caller. */
export interface ReachPort {
  /** Returns records that the caller may read, expired and superseded ones included, ordered by id. */
  reached(query: ReachQuery): ReachedRecord[]
}

/** Ports of a read. */
export interface ReadPorts {
  readonly records: RecordReader
  /** Records of kinds with `guests: 'own'`: a guest's own records, or all of them for the owner. */
  readonly own: OwnReader
  readonly recall: RecallPort
  readonly tasks: TaskReader
  readonly trust: TrustPort
  readonly room: Room
  readonly status: StatusPort
  readonly access: AccessPort & ReachPort
  readonly activity: ActivityPort
  readonly consent: ConsentPort
  readonly mirror: Pick<MirrorPort, 'read'>
  readonly sync: SyncReader
  readonly pool: PoolPort
}

/** Ports of a write, inside its transaction. */
export interface WritePorts {
  readonly records: RecordWriter
  readonly own: OwnWriter
  /** The task queue. Its changes commit or roll back with this write. */
  readonly tasks: TaskWriter
  readonly trust: TrustWriter
  readonly consent: ConsentWriter
  /** State of the knowledge pool at this copy. */
  readonly pool: PoolWritePort
  readonly sync: SyncWriter
  readonly transfer: TransferWriter
}

/** Ports of a task. */
export interface TaskPorts<Uses extends PortName> extends Omit<ReadPorts, 'records'> {
  readonly records: TaskRecords<Uses>
  readonly transfer: TransferPort
  readonly mirror: MirrorPort
  readonly end: EndPort
  readonly archive: ArchivePort
}

/** The parts from which a chapter builds a port for one caller. */
export interface PortParts {
  readonly caller: Caller
  /** Transport of the call. */
  readonly way: CallWay
  /** The ledger, only with records of the chapter's own kinds. */
  readonly ledger: Ledger
  /** Returns the decision of the policies about an agent with these names. */
  decide(names: readonly string[]): PolicyDecision
  /** Time at which the caller's exceeded rate limit allows a call again; undefined if no limit is exceeded. */
  opensMs(): number | undefined
  /** The meeting room, without access checks. */
  room(): Room
}

/** The parts from which a chapter builds a port for one transaction. */
export interface WritePortParts {
  /** The ledger, only with records of the chapter's own kinds. */
  readonly ledger: LedgerWriter
}

/** Names of all ports: a task may use each of them. */
export type PortName = keyof TaskPorts<never>

interface CallContext {
  readonly call: CallPort
}

export type ReadContext<Uses extends PortName = never> = CallContext & Pick<ReadPorts, Uses & keyof ReadPorts>
export type WriteContext<Uses extends PortName = never> = CallContext &
  Pick<WritePorts, Uses & keyof WritePorts>
export type TaskContext<Uses extends PortName = never> = CallContext & Pick<TaskPorts<Uses>, Uses>

/**
 * Policies, receipts and access requests, unfiltered. The chapter of consent itself must decide what a guest may see
 * of them.
 */
export interface ConsentPort {
  readonly records: Ledger
  /** Returns the decision of the policies about `agent`, over the transport of this call. */
  decide(agent: string): PolicyDecision
  /** The decision for each holder in the guest's chain, the guest first. Empty for the owner. */
  decisions(): readonly PolicyDecision[]
  /**
   * Canonical time at which the guest's exceeded rate limit allows a call again; undefined if no limit is exceeded.
   */
  opensAt(): string | undefined
}

export interface ConsentWriter {
  readonly records: LedgerWriter
}

/** State of sealing in this copy of the book. */
export interface SealState {
  /**
   * `off`: this copy never has keys. `unused`: no key was needed so far. `lost`: the keys are gone. `locked`: the
   * keys need the passphrase. `open`: the copy can read and write sensitive records.
   */
  readonly state: 'off' | 'unused' | 'lost' | 'locked' | 'open'
  /** Protection of the keys: a key of this device, or a passphrase. Absent before the first key. */
  readonly guard?: 'device' | 'passphrase'
  /** `current`: id of the key that seals. `others`: ids of older keys that only open. Empty while locked. */
  readonly current?: string
  readonly others: readonly string[]
  /** Number of sealed records, and of sealed records that can't be read now. */
  readonly sealed: number
  readonly unreadable: number
  /** Number of records, versions and conflicts that are still sealed with an older key. */
  readonly toReseal: number
}

/** A sealed record without its content. */
export interface OpaqueRecord extends Omit<RecordHead, 'marks'> {
  readonly sealed: SealedInfo
  /** True if the record can't be read now; false if its key is available. */
  readonly locked: boolean
}

/**
 * The keys that seal sensitive records. A method that needs the keys rejects with `locked` while they are not
 * open.
 */
export interface SealingPort {
  state(): Promise<SealState>
  /**
   * Unlocks the keys. A book without keys gets its first key, under this passphrase. Rejects with
   * `wrong-passphrase`, and with `conflict` if the keys have no passphrase; then nothing changed.
   */
  unlock(passphrase: string): Promise<void>
  /** Locks the keys until the next `unlock`. Rejects with `conflict` if the keys have no passphrase. */
  lock(): Promise<void>
  /** Protects the keys by this passphrase from now on; undefined: by a key of this device. */
  guard(passphrase: string | undefined): Promise<void>
  /** Returns the keys as a text for another device, encrypted with this passphrase. */
  exportKeys(passphrase: string): Promise<string>
  /** Adds the keys of a text from `exportKeys`. Returns the ids of new keys. */
  importKeys(text: string, passphrase: string): Promise<readonly string[]>
  /** Creates a new sealing key and returns its id. Idle work seals older data with the new key. */
  rotate(): Promise<string>
  /** Returns sealed records with ids after `after`, ordered by id. */
  list(after: string, limit: number): readonly OpaqueRecord[]
}
