// The context of a capability: the call itself and the ports that it declares, built for the caller of that call.
// Invariant: a capability reaches the book through these ports alone, and has no port that it doesn't declare.
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

/** The call itself. Every capability has it. */
export interface CallPort {
  readonly caller: Caller
  /** Default scope of stored records: the book's. */
  readonly scope: Scope
  /**
   * True if the owner's side calls as an agent that it names, as through a handle. An agent proposes and decides nothing.
   */
  readonly namesAgent: boolean
  /** Instant of this call, canonical UTC text. */
  readonly now: string
  /** Zone of dates without a time. */
  readonly zone: Zone
  readonly durability: Durability
  readonly signal: AbortSignalLike
  /** Reports progress to listeners, and to the task queue. */
  progress(step: Progress): void
  /** In the task queue: number of this attempt, from 1. A failure before the last one is retried later. */
  readonly attempt?: { readonly number: number; readonly isLast: boolean } | undefined
}

/** Records for a task: it reads as it proceeds, and each of its writes is a transaction. */
export interface TaskRecords<Uses extends PortName> extends RecordReader {
  /** Runs `work` in a transaction, shared with other waiting writes. */
  write<Result>(work: (at: WriteContext<Uses>) => Result): Promise<Result>
  /** Removes purged data from the files for good. */
  scrub(): void
  /** The kinds whose records may leave this copy of the book. */
  readonly kinds: Kinds
}

/** Tokens, keys, and the means to make and verify them. For the chapter of trust only; a test enforces it. */
export interface TrustPort {
  readonly ledger: Ledger
  /** Ed25519: every copy verifies signatures, only a copy with the book's key signs. */
  readonly keys: Keyring
  readonly digest: Digest
  readonly random: Random
  /** The agent under which the owner's own records are written here. */
  readonly owner: string
  /**
   * Latest time that this copy has seen, canonical UTC text. A token that ended by then stays ended, even if the clock
   * goes back.
   */
  time(): string
  /** The keys that seal sensitive records. */
  readonly sealing: SealingPort
}

export interface TrustWriter {
  readonly ledger: LedgerWriter
  /** Accepts the current clock; returns by how many milliseconds it was behind the latest time seen. */
  resetTime(): number
}

/** Whole files on their way in or out, over several calls. */
export interface TransferPort {
  readonly staging: Staging
  readonly sessions: TransferSessions
  readonly digest: Digest
  readonly random: Random
  readonly cipher: Cipher
  /** Verifies the signer of a file; signs for the owner. */
  readonly keys: Keyring
  /** Kinds of a later Daybook of which the book has records. A guest sees none. */
  unknownKinds(): string[]
}

/** The book's mirror. */
export interface MirrorPort {
  /** Syncs now; `sync-off` if the book has no mirror. */
  sync(direction?: SyncDirection): Promise<SyncResult>
  /** Calls a capability at the mirror for `who`, if there is a mirror; see engine/context/mirror-call.ts. */
  ask?(id: string, who: string, input: JsonObject): Promise<unknown>
  /** Calls a capability at the mirror that changes nothing, if there is a mirror. */
  read?(id: string, input: object): Promise<unknown>
}

/** The end of the book, here and at its mirror. */
export interface EndPort {
  /** Throws `invalid-input` unless `confirm` is the book's name; throws `sync-off` and `offline` before any change. */
  erase(asked: {
    readonly confirm: string
    readonly mirror: boolean
  }): Promise<{ readonly erased: true; readonly name: string; readonly mirror: boolean }>
  startOver(asked: { readonly confirm: string }): Promise<SyncResult & { readonly begun: boolean }>
}

/** The state of the book. */
export interface StatusPort {
  book(): Promise<Status>
  /** Progress of the vectors. */
  embedder(): EmbedStatus
}

/** The reach of the caller. */
export interface ReachPort {
  /** Records that the caller may read, including expired and superseded ones, ordered by id. */
  reached(query: ReachQuery): ReachedRecord[]
}

/** Ports of a read. */
export interface ReadPorts {
  readonly records: RecordReader
  /** Records outside of all scopes: the caller's own ones, or all for the owner. */
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
  /** The task queue; its changes commit or roll back with this write. */
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
  /** The network that the call came over. */
  readonly way: CallWay
  /** Records outside of all scopes, of the chapter's own kinds only. */
  readonly own: Ledger
  /** The policies' decision about an agent, by all its names. */
  decide(names: readonly string[]): PolicyDecision
  /** Time at which a used-up rate limit opens again for the caller; undefined without one. */
  opensMs(): number | undefined
  /** The meeting room, without checks. */
  room(): Room
}

/** The parts from which a chapter builds a port for one transaction. */
export interface WritePortParts {
  readonly own: LedgerWriter
}

export type PortName = keyof TaskPorts<never>

interface CallContext {
  readonly call: CallPort
}

export type ReadContext<Uses extends PortName = never> = CallContext & Pick<ReadPorts, Uses & keyof ReadPorts>
export type WriteContext<Uses extends PortName = never> = CallContext &
  Pick<WritePorts, Uses & keyof WritePorts>
export type TaskContext<Uses extends PortName = never> = CallContext & Pick<TaskPorts<Uses>, Uses>

/**
 * Policies, receipts and access requests, for every caller. The chapter of consent itself decides what a guest may learn
 * of them.
 */
export interface ConsentPort {
  readonly records: Ledger
  /** Decision of the policies about `agent`, in a call that comes the same way as this one. */
  decide(agent: string): PolicyDecision
  /** The same for each holder by whose rights a guest calls, the guest itself first. Empty for the owner. */
  decisions(): readonly PolicyDecision[]
  /** Canonical time at which a used-up rate limit opens again for the guest; undefined without one. */
  opensAt(): string | undefined
}

export interface ConsentWriter {
  readonly records: LedgerWriter
}

/** State of sealing in this copy of the book. */
export interface SealState {
  /**
   * `off`: this copy has no keys. `unused`: no key was needed so far. `lost`: the keys are gone. `locked`: the keys wait
   * for the passphrase. `open`: sensitive records can be read and written.
   */
  readonly state: 'off' | 'unused' | 'lost' | 'locked' | 'open'
  /** Protection of the keys: a key of this device, or a passphrase. Absent before there are keys. */
  readonly guard?: 'device' | 'passphrase'
  /** Id of the sealing key, and ids of older keys that only open. Empty while locked. */
  readonly current?: string
  readonly others: readonly string[]
  /** Number of sealed records, and of those that can't be read now. */
  readonly sealed: number
  readonly unreadable: number
  /** Number of records, versions and conflicts still sealed with a rotated key. */
  readonly toReseal: number
}

/** A sealed record, seen without the key. */
export interface OpaqueRecord extends Omit<RecordHead, 'marks'> {
  readonly sealed: SealedInfo
  /** False: the key is here, and the record can be read. */
  readonly locked: boolean
}

/** The keys that seal sensitive records. Methods reject with `locked` if there are no keys or they are locked. */
export interface SealingPort {
  state(): Promise<SealState>
  /** Opens the keys; `wrong-passphrase` changes nothing. The first passphrase of a book becomes its passphrase. */
  unlock(passphrase: string): Promise<void>
  /** Locks the keys until the next `unlock`. `conflict` if no passphrase is set. */
  lock(): Promise<void>
  /** Protects the keys by this passphrase from now on, or without one by a key of this device. */
  guard(passphrase: string | undefined): Promise<void>
  /** Returns the keys as a text encrypted with this passphrase, for another device. */
  exportKeys(passphrase: string): Promise<string>
  /** Adds the keys of such a text; returns the ids of the new ones. */
  importKeys(text: string, passphrase: string): Promise<readonly string[]>
  /** Creates a new sealing key. Older sealed data is resealed in idle time. */
  rotate(): Promise<string>
  /** Sealed records after this id, ordered by id. */
  list(after: string, limit: number): readonly OpaqueRecord[]
}
