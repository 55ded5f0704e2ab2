// Whether the keys that a book's sealed records need are on this device, and what its status says of that.
// Invariant: a device that had keys, and has lost them, is known by a setting of the book, which no other device has.
import { keysLost } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import { SealedList } from '../../store/sealed/sealed-list.ts'
import type { Keychain } from '../../trust/seal/keychain.ts'

const keysHereKey = 'keys_here'

/** Notes that there are keys here, once there are. On a full disk the next opening does it. */
export function noteKeys(
  keychain: Pick<Keychain, 'keys'>,
  { newer, settings, writes }: Pick<BookStore, 'newer' | 'settings' | 'writes'>,
): void {
  if (newer || !keychain.keys() || settings.get(keysHereKey) !== undefined) return
  writes.write(() => settings.set(keysHereKey, 1)).catch(() => undefined)
}

/** Whether keys were here, of a book in which something is sealed. */
export const hadKeys = ({ settings, db }: Pick<BookStore, 'settings' | 'db'>): boolean =>
  settings.get(keysHereKey) !== undefined && new SealedList(db).hasAny()

/** What the status says of sealed records that can't be read here. */
export function lockedText(
  keychain: Pick<Keychain, 'state' | 'place' | 'reason'>,
  sealed: Pick<SealedList, 'keys'>,
): string | undefined {
  const state = keychain.state()
  if (state === 'locked') return 'locked: sensitive records wait for the passphrase.'
  if (state === 'lost') return `locked: ${keysLost(keychain.place)}`
  const isMissing = (kid: string) => keychain.reason(kid) === 'key-missing'
  return state !== 'off' && sealed.keys().some(isMissing) ? strangeKeys : undefined
}

const strangeKeys =
  'locked: there are sealed records that no key of this device opens. Bring the keys from a device that has them (`seal.exportKeys`, `seal.importKeys`); or, if they are lost for good, see the records with `seal.list` and forget them.'
