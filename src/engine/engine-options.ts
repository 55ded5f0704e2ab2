// The options of an engine: the host's ports, and how a book is opened.
import type { ArchivePlaces } from '../core/capability/port/archive-port.ts'
import type { Zone } from '../core/zone.ts'
import type { PoolCarrier } from '../core/pool.ts'
import type { Recurring } from '../core/capability/task.ts'
import type { Status } from '../core/capability/status.ts'
import type {
  Carrier,
  Keyring,
  KeyVault,
  Llm,
  Ports,
  CheckpointFile,
  SpillPlace,
  SqlDatabase,
  Truth,
} from '../core/ports.ts'
import type { Durability, Scope } from '../core/record.ts'
import type { SecretMode } from '../core/secret/stored-secrets.ts'
import type { RoomEvent, RoomSize } from '../core/capability/port/room-port.ts'
import type { EmbedderSource } from '../recall/embed/create-embedder.ts'
import type { RecallPartSet } from '../recall/part.ts'
import type { GuestQuotas } from '../store/guest-usage.ts'
import type { Role } from '../store/record/mirror-places.ts'
import type { SyncPreferences } from '../sync/device/sync-plan.ts'

export interface EngineOptions {
  readonly db: SqlDatabase
  readonly ports: Ports
  /** The name of the book. */
  readonly name: string
  /** Default scope of new records, and the agent of the owner's own records. */
  readonly scope: Scope
  /** The storage of `db`, for the status. */
  readonly durability: Durability
  /** The zone of dates without a time. Default: UTC. */
  readonly zone?: Zone
  /** Default: `device`. */
  readonly role?: Role
  /** At a mirror: the place where its commits become final, if that is not `db`. */
  readonly truth?: Truth
  /** How many records and bytes guests may store. Default: 100,000 and 64 MiB each, 400,000 and 256 MiB together. */
  readonly quotas?: GuestQuotas | undefined
  /** True: the text index is in memory too, for fast recall. Default: true on a device, false at a mirror. */
  readonly textIndex?: boolean
  /** False: no access log. For measurements only. Default: true. */
  readonly isAudited?: boolean | undefined
  /** False: no activity log. Default: true. A mirror never has an activity log. */
  readonly activity?: boolean | undefined
  /** Parts of recall to leave out. For measurements only. Default: none. */
  readonly recallWithout?: RecallPartSet | undefined
  /** Most records that may be pending for the index before writes wait. Default: 50,000. */
  readonly lag?: number
  /** The transport to the mirror. Default: none, and `sync` fails with `sync-off`. */
  readonly carrier?: Carrier
  /** The address of the mirror, to compare with the mirror in the options of another tab. */
  readonly mirror?: string
  /** A language model for summaries and profiles. Default, and for guests: documented algorithms write them. */
  readonly llm?: Llm | undefined
  /** True: the host calls `wake` when a later task is due. For hosts that unload engines. */
  readonly wakesTasks?: boolean
  /** Transports to the claws (agents in the pool) of other books. Default: none. */
  readonly carriers?: readonly PoolCarrier[] | undefined
  /** True: envelopes also go over the line to the mirror, for the book's other devices. Default: false. */
  readonly poolLine?: boolean | undefined
  /** Storage for archives of the book. Default: none, and `archive:put` fails with `archive-off`. */
  readonly archives?: ArchivePlaces | undefined
  /** Recurring tasks of the host, beside the recurring tasks of the chapters. */
  readonly recurring?: readonly Recurring[]
  /** Stores requests that are sent after this engine has ended. Default: none. */
  readonly spillPlace?: SpillPlace | undefined
  /** When and what to sync. Default: only on a call. */
  readonly sync?: SyncPreferences
  /** Verifies signatures, and signs if the book's private key is here. Default: neither. */
  readonly keys?: Keyring
  /** Storage for the keys that seal sensitive records. Default: none, and this copy can't read sealed records. */
  readonly vault?: KeyVault
  /** Handling of secrets in stored text. Default: `seal` if the book has keys or may make them, else `mask`. */
  readonly secrets?: SecretMode | undefined
  /** Opens a database in memory, for searches in sealed records while the book is unlocked. */
  readonly openMemory?: () => SqlDatabase
  /** Makes vectors of records. Default: none, and recall searches full text only. */
  readonly embedder?: EmbedderSource | undefined
  /**
   * `tab`: the tab that this engine runs in; default `here`. `room`: the events that rebuild the current meeting
   * room.
   */
  readonly tab?: string
  readonly room?: readonly RoomEvent[]
  /** The size of the meeting room, if this engine creates it. Default: 100 messages of 1,024 bytes, 32 participants. */
  readonly roomSize?: RoomSize | undefined
  /**
   * For hosts whose files may break: `check` returns the fault of a table, if any; `onDamage` is called with a found
   * fault.
   */
  readonly care?: {
    check(table: string): string | undefined
    onDamage?(reason: string): void
  }
  /**
   * A second file with a copy of the book's records, against broken pages. `isWanted: false` removes an existing copy.
   * Default: none.
   */
  readonly checkpointFile?: { readonly file: CheckpointFile; readonly isWanted: boolean } | undefined
  /** Opens the book again soon. For hosts that free the space of a removed file only at the next opening. */
  readonly reopen?: () => void
  /** True: the host knows that this book existed here. If the database is new, the book was evicted. */
  readonly existedBefore?: boolean
  /**
   * `true` frees, `false` reserves again, the space that a host with a quota reserves for a full book. Default: none.
   */
  readonly useReserve?: ((isUsed: boolean) => void) | undefined
  /** True while the disk is so full that rows derived from a write should be stored at once. Default: never. */
  readonly isScarce?: (() => boolean) | undefined
  /**
   * Closes this engine and removes everything that this device has of the book: database, keys, copies, notes. The
   * next opening must finish an interrupted erasure, and start an empty book. Default: none, and an erasure fails.
   */
  readonly eraseHere?: () => Promise<void>
  /** The host's facts about its storage. */
  readonly storage?: () => Promise<Partial<Pick<Status, 'persisted' | 'quotaBytes' | 'degraded'>>>
}
