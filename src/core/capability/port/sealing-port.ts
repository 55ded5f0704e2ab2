// What the room of trust may do with the keys that seal sensitive records, and what it can tell of them.
import type { RecordHead } from '../../record.ts'
import type { SealedInfo } from '../../sealed.ts'

/** How sealing stands in this copy of the book. */
export interface SealState {
  /**
   * `off`: this copy keeps no keys. `unused`: none was needed yet. `lost`: they sealed here, and are gone. `locked`: the keys wait
   * for the passphrase. `open`: sensitive records can be read and written.
   */
  readonly state: 'off' | 'unused' | 'lost' | 'locked' | 'open'
  /** What guards the keys: a key of this device, or a passphrase. Absent before there are any. */
  readonly guard?: 'device' | 'passphrase'
  /** The key that seals, and those that are only there to open what they sealed. Empty while locked. */
  readonly current?: string
  readonly others: readonly string[]
  /** Sealed records, and those among them that can't be read now. */
  readonly sealed: number
  readonly unreadable: number
  /** Records, versions and conflicts that still lie under a key that was rotated out. */
  readonly toReseal: number
}

/** A sealed record as one who has no key sees it. */
export interface OpaqueRecord extends RecordHead {
  readonly sealed: SealedInfo
  /** False: the key is here, and the record can be read. */
  readonly locked: boolean
}

/** Ends with `locked` where there are no keys, or they are locked. */
export interface SealingPort {
  state(): Promise<SealState>
  /** Opens the keys; `wrong-passphrase` changes nothing. The first passphrase of a book becomes its passphrase. */
  unlock(passphrase: string): Promise<void>
  /** Puts the keys away until they are unlocked again. Without a passphrase there is nothing to lock with: `conflict`. */
  lock(): Promise<void>
  /** From now on this passphrase guards the keys, or without one a key of this device. */
  guard(passphrase: string | undefined): Promise<void>
  /** The keys as a text that this passphrase opens, for another device. */
  exportKeys(passphrase: string): Promise<string>
  /** Adds the keys of such a text; answers which are new. */
  importKeys(text: string, passphrase: string): Promise<readonly string[]>
  /** Makes a new key that seals from now on; what lies under the others is sealed anew in idle time. */
  rotate(): Promise<string>
  /** Sealed records after that id, in the order of their ids. */
  list(after: string, limit: number): readonly OpaqueRecord[]
}
