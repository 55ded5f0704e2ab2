// What an engine is built from: the host's ports, and what a book is opened with.
import type { ArchivePlaces } from '../core/capability/port/archive-port.ts'
import type { Zone } from '../core/calendar/zone.ts'
import type { PoolCarrier } from '../core/pool/pool-carrier.ts'
import type { Recurring } from '../core/capability/recurring.ts'
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
import type { Without } from '../recall/part.ts'
import type { GuestQuotas } from '../store/guest-usage.ts'
import type { Role } from '../store/record/mirror-places.ts'
import type { SyncPreferences } from '../sync/device/sync-plan.ts'

export interface EngineOptions {
  readonly db: SqlDatabase
  readonly ports: Ports
  readonly name: string
  readonly scope: Scope
  readonly durability: Durability
  /** Whose days are meant by dates without a time. Default UTC. */
  readonly zone?: Zone
  readonly role?: Role
  /** At a mirror: where its commits become final, when that is not `db`. */
  readonly truth?: Truth
  /** How many records and bytes guests may store. Default: 100,000 and 64 MiB each, 400,000 and 256 MiB together. */
  readonly quotas?: GuestQuotas | undefined
  /** Keeps the text index in memory too, for fast recall. Default: on a device, not at the mirror. */
  readonly textIndex?: boolean
  /** False: no log of access is kept. For measurements alone. Default true. */
  readonly isAudited?: boolean | undefined
  /** False: recalls and contexts are not kept as they were asked. Default: they are, on a device. */
  readonly activity?: boolean | undefined
  /** Parts of recall to go without. For measurements alone. Default none. */
  readonly recallWithout?: Without | undefined
  /** How many records may wait to be indexed before writes wait for that. Default: 50,000. */
  readonly lag?: number
  /** The way to the mirror; without one, `sync` is a clear error. */
  readonly carrier?: Carrier
  /** Its address, to tell it from what another tab was opened with. */
  readonly mirror?: string
  /** A language model for summaries and profiles; without one, and for guests, stated algorithms do that work. */
  readonly llm?: Llm | undefined
  /** True: tasks that are due later are not waited for here; the host calls `wake` then. For hosts that put engines away. */
  readonly wakesTasks?: boolean
  /** The ways to the claws of other books: see core/pool/pool-carrier.ts. Default: none. */
  readonly carriers?: readonly PoolCarrier[] | undefined
  /** True: envelopes also go over the line to the mirror, to the other devices of the book. Default: not. */
  readonly poolLine?: boolean | undefined
  /** Where archives of the book go. Default: nowhere, and `archive:put` is `archive-off`. */
  readonly archives?: ArchivePlaces | undefined
  /** What the host has done again and again, beside what the chapters do. */
  readonly recurring?: readonly Recurring[]
  /** Where requests are left that are to be sent when this engine has ended. Default: none are. */
  readonly spillPlace?: SpillPlace | undefined
  /** When and what to sync. Default: only when called. */
  readonly sync?: SyncPreferences
  /** Verifies signatures, and signs where the book's private key is kept. Default: neither. */
  readonly keys?: Keyring
  /** Where the keys that seal sensitive records are kept. Default: nowhere, and such records are only passed on. */
  readonly vault?: KeyVault
  /** What is done about secrets in what is stored. Default: `seal` where the book has keys or may make them, else `mask`. */
  readonly secrets?: SecretMode | undefined
  /** A database in memory, where sealed records are found while they are unlocked. */
  readonly openMemory?: () => SqlDatabase
  /** Gives records vectors. Default: none, and recall is by full text alone. */
  readonly embedder?: EmbedderSource | undefined
  /** The tab this engine runs in, where there are several, and what led to the meeting room as it is now. */
  readonly tab?: string
  readonly room?: readonly RoomEvent[]
  /** How large the meeting room is, where this engine begins it. Default: see commons/room/room-size.ts. */
  readonly roomSize?: RoomSize | undefined
  /** Where the host has files that may break: what is wrong with a table of them, and whom to tell of it. */
  readonly care?: {
    check(table: string): string | undefined
    onDamage?(reason: string): void
  }
  /** A file beside the book's for a copy of its records, against broken pages. Default: none is kept. */
  readonly checkpointFile?: { readonly file: CheckpointFile; readonly isWanted: boolean } | undefined
  /** Where the room of a file that is removed is free only when the book is opened again: does so soon. */
  readonly reopen?: () => void
  /** The host knows that there was a book of this name here: if it is new, it was evicted. */
  readonly wasKept?: boolean
  /** Opens and closes the space that a host with a quota keeps back for reading and emptying a full book. */
  readonly useReserve?: ((isUsed: boolean) => void) | undefined
  /** True while the disk has so little left that what is derived from a write should not wait. Default: it never has. */
  readonly isScarce?: (() => boolean) | undefined
  /**
   * Closes this engine and takes away everything that this device has of the book: database, keys, copies, notes. Law: what is
   * cut in the middle is finished by the next opening, which begins an empty book.
   */
  readonly eraseHere?: () => Promise<void>
  /** What only the host knows about its storage. */
  readonly storage?: () => Promise<Partial<Pick<Status, 'persisted' | 'quotaBytes' | 'degraded'>>>
}
