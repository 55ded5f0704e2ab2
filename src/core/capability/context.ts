// What a capability gets to work with: the call itself, and the ports that it declares, each for the caller of that call.
// Invariant: a capability reaches the book through these ports alone, and what it has not declared is not there.
import type { AbortSignalLike } from '../abort.ts'
import type { ArchivePort } from './port/archive-port.ts'
import type { AccessPort } from './access-log.ts'
import type { ActivityPort } from './activity.ts'
import type { Zone } from '../calendar/zone.ts'
import type { JsonObject } from '../json/path.ts'
import type { Kinds } from '../kind.ts'
import type { Cipher, Digest, Keyring, Random } from '../ports.ts'
import type { Durability, Scope } from '../record.ts'
import type { PolicyDecision, Way } from '../access/policy-decision.ts'
import type { Caller } from './caller.ts'
import type { ConsentPort, ConsentWriter } from './port/consent-port.ts'
import type { OwnReader, OwnWriter } from './port/own-port.ts'
import type { PoolPort, PoolWritePort } from '../pool/pool-port.ts'
import type { Progress } from './progress.ts'
import type { RecallPort } from './port/recall-port.ts'
import type {
  Ledger,
  LedgerWriter,
  ReachQuery,
  ReachedRecord,
  RecordReader,
  RecordWriter,
} from './port/record-port.ts'
import type { Room } from './port/room-port.ts'
import type { SealingPort } from './port/sealing-port.ts'
import type { SyncReader, SyncWriter } from './port/sync-port.ts'
import type { EmbedStatus, Status, SyncDirection, SyncResult } from './status.ts'
import type { TaskReader, TaskWriter } from './task.ts'
import type { Staging, TransferSessions, TransferWriter } from './transfer.ts'

/** The call itself. Every capability has it. */
export interface CallPort {
  readonly caller: Caller
  /** Default scope of what is stored: the book's, as given when it was opened. */
  readonly scope: Scope
  /** The owner's side calls in the name of an agent that it names, as through a handle: an agent proposes, and decides nothing. */
  readonly namesAgent: boolean
  /** The instant of this call, canonical UTC text. */
  readonly now: string
  /** Whose days are meant by dates without a time. */
  readonly zone: Zone
  readonly durability: Durability
  readonly signal: AbortSignalLike
  /** Tells whoever listens how far it has come, and the task queue that it goes on. */
  progress(step: Progress): void
  /** In the task queue: which try this is, from 1. What fails before the last one is tried again later. */
  readonly attempt?: { readonly number: number; readonly isLast: boolean } | undefined
}

/** Records for a task, which takes long: it reads as it goes, and each of its writes is a transaction. */
export interface TaskRecords<Uses extends PortName> extends RecordReader {
  /** Runs `work` in one transaction, shared with other writes that wait. */
  write<Result>(work: (at: WriteContext<Uses>) => Result): Promise<Result>
  /** Takes what was purged out of the files for good. */
  scrub(): void
  /** The kinds whose records may leave this copy of the book. */
  readonly kinds: Kinds
}

/** Tokens, keys, and what they are made and verified with. For the chapter of trust alone; a test holds the others to it. */
export interface TrustPort {
  readonly ledger: Ledger
  /** Ed25519: anyone's signatures can be verified; only where the book's key is kept can be signed. */
  readonly keys: Keyring
  readonly digest: Digest
  readonly random: Random
  /** The agent in whose name the owner's own records are written here. */
  readonly owner: string
  /** The latest time that this copy has seen, canonical UTC text: what has ended by it stays ended, though a clock is set back. */
  time(): string
  /** The keys that seal sensitive records. */
  readonly sealing: SealingPort
}

export interface TrustWriter {
  readonly ledger: LedgerWriter
  /** Takes the clock for right; answers how many milliseconds it was behind what was seen. */
  resetTime(): number
}

/** Whole files on their way in or out, over as many calls as they take. */
export interface TransferPort {
  readonly staging: Staging
  readonly sessions: TransferSessions
  readonly digest: Digest
  readonly random: Random
  readonly cipher: Cipher
  /** Verifies who signed a file, and signs one for the owner. */
  readonly keys: Keyring
  /** Kinds of a later Daybook of which the book has records. A guest sees none. */
  unknownKinds(): string[]
}

/** The book's mirror. */
export interface MirrorPort {
  /** Syncs now; `sync-off` where the book was opened without a mirror. */
  sync(direction?: SyncDirection): Promise<SyncResult>
  /** Where there is a mirror to ask, calls a capability there for `who`: see engine/context/mirror-call.ts. */
  ask?(id: string, who: string, input: JsonObject): Promise<unknown>
  /** Where there is a mirror to ask, calls a capability there that changes nothing. */
  read?(id: string, input: object): Promise<unknown>
}

/** The end of the book, here and at its mirror. */
export interface EndPort {
  /** Throws `invalid-input` unless `confirm` is its name; `sync-off` and `offline` before anything is changed. */
  erase(asked: {
    readonly confirm: string
    readonly mirror: boolean
  }): Promise<{ readonly erased: true; readonly name: string; readonly mirror: boolean }>
  beginAnew(asked: { readonly confirm: string }): Promise<SyncResult & { readonly begun: boolean }>
}

/** What the book says of itself. */
export interface StatusPort {
  book(): Promise<Status>
  /** How far the vectors are. */
  embedder(): EmbedStatus
}

/** The reach of the caller. */
export interface ReachPort {
  /** The records that the caller may read, also expired and superseded ones, in the order of their ids. */
  reached(query: ReachQuery): ReachedRecord[]
}

/** What a read may use. */
export interface ReadPorts {
  readonly records: RecordReader
  /** Records that no scope reaches: the caller's own, and all of them for the owner. */
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

/** What a write may use, inside its transaction. */
export interface WritePorts {
  readonly records: RecordWriter
  readonly own: OwnWriter
  /** The queue of tasks: what is added here is there exactly if this write is. */
  readonly tasks: TaskWriter
  readonly trust: TrustWriter
  readonly consent: ConsentWriter
  readonly sync: SyncWriter
  readonly transfer: TransferWriter
  /** What the knowledge pool keeps at this copy. */
  readonly pool: PoolWritePort
}

/** The parts from which a chapter builds a port for one caller. */
export interface PortParts {
  readonly caller: Caller
  /** The network that the call came over. */
  readonly way: Way
  /** Tokens, keys, policies and receipts: a port of a chapter shows those of its own kinds. */
  readonly ledger: Ledger
  /** The policies' decision about an agent, by all its names. */
  decide(names: readonly string[]): PolicyDecision
  /** When an exhausted rate limit lets the caller ask again; undefined if none is exhausted. */
  opensMs(): number | undefined
  /** The meeting room, without checks. */
  room(): Room
}

/** The parts from which a chapter builds a port for one transaction. */
export interface WritePortParts {
  readonly ledger: LedgerWriter
}

/** What a task may use. */
export interface TaskPorts<Uses extends PortName> extends Omit<ReadPorts, 'records'> {
  readonly records: TaskRecords<Uses>
  readonly transfer: TransferPort
  readonly mirror: MirrorPort
  readonly end: EndPort
  readonly archive: ArchivePort
}

export type PortName = keyof TaskPorts<never>

interface Called {
  readonly call: CallPort
}

export type ReadContext<Uses extends PortName = never> = Called & Pick<ReadPorts, Uses & keyof ReadPorts>
export type WriteContext<Uses extends PortName = never> = Called & Pick<WritePorts, Uses & keyof WritePorts>
export type TaskContext<Uses extends PortName = never> = Called & Pick<TaskPorts<Uses>, Uses>
