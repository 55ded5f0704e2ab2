// Opens the keys of a book when a call needs them, and changes them for the owner.
// Invariant: the keys are read once, and only when a call needs them; after a failure, the next such call reads them
// again. A device that had keys and lost them knows it by the setting `keys_here`, which is never synced; nor is
// `locked`, which is set from `seal.lock` until the book is unlocked.
import type { CapabilityEffect } from '../../core/capability/capability.ts'
import type { BookEvents } from '../../core/capability/event.ts'
import type { OpaqueRecord, SealingPort, SealState } from '../../core/capability/context.ts'
import type { Changed, Service } from '../../core/capability/chapter.ts'
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import type { Ports } from '../../core/ports.ts'
import {
  infoOf,
  isLockedByCall,
  keysLost,
  lockedError,
  lockedSetting,
  sealedOf,
  type Sensitivity,
} from '../../core/sealed.ts'
import type { Trust } from '../../core/trusted.ts'
import { toBase64Url } from '../../shape/encoded-bytes.ts'
import type { BookStore } from '../../store/book-store.ts'
import { SealedList } from '../../store/sealed/sealed-list.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { type BookKeys, addBookNames } from '../../trust/seal/key-vault.ts'
import { decryptKeyText, encryptKeyText } from '../../trust/seal/key-text.ts'
import { addKey, type Keychain } from '../../trust/seal/keychain.ts'
import { publicKeyKind } from '../../trust/seal/key-pair.ts'
import { createPublicKey, type PublicKey } from './public-key.ts'
import { createResealWork } from './reseal-work.ts'
import { SealedArrivals } from './sealed-arrivals.ts'

/** Runs the part of a transaction that reads sealed records; throws if a key that can be received is missing. */
export type Opened = <Result>(work: () => Result) => Result

export interface Sealing extends Service {
  readonly port: SealingPort
  /** Reads the keys from the vault, until that succeeded once. */
  begin(): Promise<void>
  /**
   * Runs a call. First reads the keys of the book, if it has sealed records, and receives the keys of new arrivals. A
   * read runs again if it met an arrival whose key was missing.
   */
  around<Result>(effect: CapabilityEffect, work: () => Result | Promise<Result>): Promise<Result>
  /**
   * Runs `work`, which makes one transaction, and runs it again if a key was missing that can be made or received:
   * the first key of the book, or the key of an arrival.
   */
  transaction<Result>(work: (opened: Opened) => Promise<Result>): Promise<Result>
}

export interface SealingParts extends Pick<Ports, 'clock' | 'random' | 'cipher' | 'scheduler' | 'log'> {
  /** The agent that signs the record of the book's public key. */
  readonly agent: string
  readonly keychain: Keychain
  readonly store: Pick<
    BookStore,
    | 'db'
    | 'newer'
    | 'records'
    | 'bodies'
    | 'openedRecords'
    | 'sources'
    | 'activity'
    | 'resealing'
    | 'writes'
    | 'ops'
    | 'purge'
    | 'stamps'
    | 'settings'
  >
  /** True: the book has a mirror, which must have every resealed record before an old key is dropped. */
  readonly hasMirror: boolean
  readonly progress: (step: BookEvents['progress']) => void
  /** Called when the keys changed: any record may be readable or locked now. */
  readonly onChange: () => void
  /** Called when the keys were read: they may be locked. */
  readonly onState: () => void
  readonly wrote: (changed: readonly Changed[]) => void
}

const ignore = () => undefined

export function createSealing(parts: SealingParts): Sealing {
  const { keychain, store } = parts
  const publicKey = createPublicKey(parts)
  const arrivals = new SealedArrivals(parts)
  const resealWork = createResealWork({ ...parts, isSettled: publicKey.isSettled })
  const sealed = new SealedList(store.db)
  let closed = false
  /** True: the book has no sealed records. The flag saves a query at each call, until a sealed record changes. */
  let hasNone = false
  const begin = () => keychain.readVault()

  const isUnread = (): boolean => {
    if (closed || !keychain.isUnread() || hasNone) return false
    if (sealed.hasAny()) return true
    hasNone = true
    store.records.watchSealed({
      // The other two events add no sealed record.
      sealedChanged: () => (hasNone = false),
      mirrorVersionChanged: ignore,
      mirrorVersionsCleared: ignore,
    })
    return false
  }
  /**
   * Runs `work`; if no key exists to seal with, makes the first key, or uses the public key, and runs it
   * again.
   */
  const onceWithKey = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      if (!isDaybookError(error, 'locked')) throw error
      if (keychain.state() === 'off') return sendSealed(parts, publicKey, work, error)
      // The first key may have come between the failure and this line.
      if (keychain.state() !== 'unused' && error.details['reason'] !== 'no-key-yet') throw error
      await keychain.ensureKey()
      return work()
    }
  }

  keychain.watch(() => {
    store.openedRecords?.rereadAll()
    store.sources.links.awaited.rereadSealed()
    arrivals.renew()
    parts.onChange()
    resealWork.wake()
    noteKeys(keychain, store)
    void publicKey.publish('own').catch((error: unknown) => {
      if (!closed) parts.log.warn('The public key of the book could not be stored.', { error: String(error) })
    })
  })

  return {
    name: 'sealing',
    port: createSealingPort(parts, {
      begin,
      reseal: resealWork.wake,
      publish: () => publicKey.publish('anyway'),
    }),
    begin,
    async around(effect, work) {
      if (isUnread()) await begin().then(parts.onState)
      const receiving = arrivals.receive()
      if (receiving) await receiving
      if (closed) throw new DaybookError('book-closed')
      return effect === 'read' ? arrivals.reading(work) : work()
    },
    transaction: (work) => arrivals.again(() => onceWithKey(() => work((inner) => arrivals.writing(inner)))),
    degraded: () => lockedText(keychain, sealed),
    close() {
      closed = true
      keychain.close()
      resealWork.close()
      store.openedRecords?.close()
    },
  }
}

const keysHereKey = 'keys_here'

/** Stores the fact that this device has keys. After a failed write, as on a full disk, the next opening stores it. */
function noteKeys(
  keychain: Pick<Keychain, 'keys'>,
  { newer, settings, writes }: Pick<BookStore, 'newer' | 'settings' | 'writes'>,
): void {
  if (newer || !keychain.keys() || settings.get(keysHereKey) !== undefined) return
  writes.write(() => settings.set(keysHereKey, 1)).catch(() => undefined)
}

/**
 * Stores whether the keys are locked, for the next owner of the book. After a failed write, as on a full disk, only this
 * engine has them locked.
 */
async function noteLock(
  keychain: Pick<Keychain, 'state'>,
  { newer, settings, writes }: Pick<BookStore, 'newer' | 'settings' | 'writes'>,
): Promise<void> {
  if (newer) return
  const note = () =>
    keychain.state() === 'locked' ? settings.set(lockedSetting, 1) : settings.remove(lockedSetting)
  await writes.write(note).catch(() => undefined)
}

/** True if this device had keys, and the book has sealed records. */
export const hadKeys = ({ settings, db }: Pick<BookStore, 'settings' | 'db'>): boolean =>
  settings.get(keysHereKey) !== undefined && new SealedList(db).hasAny()

/** The status text about sealed records that can't be read here. */
function lockedText(
  keychain: Pick<Keychain, 'state' | 'place' | 'reason'>,
  sealed: Pick<SealedList, 'keyIds'>,
): string | undefined {
  const state = keychain.state()
  if (state === 'locked') return 'locked: sensitive records wait for the passphrase.'
  if (state === 'lost') return `locked: the ${keysLost(keychain.place)}`
  const isMissing = (kid: string) => keychain.reason(kid) === 'key-missing'
  return state !== 'off' && sealed.keyIds().some(isMissing) ? foreignKeys : undefined
}

const foreignKeys =
  'locked: there are sealed records that no key of this device opens. Bring the keys from a device that has them (`seal.exportKeys`, `seal.importKeys`); or, if they are lost for good, see the records with `seal.list` and forget them.'

/**
 * On a copy without keys: runs `work` again and seals to the public key of the book. Throws `locked` without such a
 * key.
 */
async function sendSealed<Result>(
  { keychain }: Pick<SealingParts, 'keychain'>,
  publicKey: PublicKey,
  work: () => Promise<Result>,
  why: DaybookError,
): Promise<Result> {
  // `work` failed at a read of a sealed record, or at the keys themselves: a public key does not help.
  if (why.details['sealed'] !== undefined || why.details['id'] === undefined) throw why
  const half = publicKey.read()
  if (!half) throw noPublicKey(why)
  const isCurrent = () => {
    const now = publicKey.read()
    return now?.book === half.book && toBase64Url(now.publicKey) === toBase64Url(half.publicKey)
  }
  const end = await keychain.sealToPublicKey(half, isCurrent)
  if (!end)
    throw noPublicKey(
      why,
      'Nothing can be sealed here to the public key that the book has: rotate its keys on a device (`seal.rotate`), and sync.',
    )
  try {
    return await work()
  } finally {
    end()
  }
}

const noPublicKeyYet =
  'This copy of the book keeps no keys, and the book has no public key yet that sensitive records could be sealed to: make its keys on a device (`seal.exportKeys` does, and so does the first sensitive record), and sync.'

/** The error of a copy that can't seal, with a way out. */
function noPublicKey(why: DaybookError, message = noPublicKeyYet): DaybookError {
  return new DaybookError('locked', message, { details: { ...why.details, missing: publicKeyKind.name } })
}

interface SealingSteps {
  readonly begin: () => Promise<void>
  /** Starts to seal the records under replaced keys again. */
  readonly reseal: () => void
  /** Publishes the public half of the current key. */
  readonly publish: () => Promise<void>
}

/** The port of the sealing verbs. */
function createSealingPort(
  { keychain, store, random, cipher }: SealingParts,
  { begin, reseal, publish }: SealingSteps,
): SealingPort {
  const { resealing, writes, bodies } = store
  const sealed = new SealedList(store.db)
  const open = (): BookKeys => {
    const keys = keychain.keys()
    if (!keys) throw lockedError(keychain)
    return keys
  }
  return {
    async state() {
      await begin()
      return sealState({ keychain, resealing, bodies }, sealed.countByKey())
    },
    async unlock(passphrase) {
      await keychain.unlock(passphrase)
      if (isLockedByCall(store)) await noteLock(keychain, store)
    },
    async lock() {
      await begin()
      await keychain.lock()
      await noteLock(keychain, store)
    },
    async guard(passphrase) {
      await keychain.ensureKey()
      await keychain.changeKeys(open, { passphrase })
    },
    async exportKeys(passphrase) {
      await keychain.ensureKey()
      return encryptKeyText(open(), keychain.names().present, passphrase, { cipher, random })
    },
    async importKeys(text, passphrase) {
      await begin()
      const { present, earlier } = keychain.names()
      const namesWith = (own: BookKeys | undefined) => [present, ...earlier, ...(own?.names ?? [])]
      const imported = await decryptKeyText(text, namesWith(keychain.keys()), passphrase, cipher)
      let added: string[] = []
      let replaced: string | undefined
      await keychain.changeKeys((own) => {
        if (!own && keychain.state() === 'locked') open()
        added = [...imported.secrets.keys()].filter((kid) => !own?.secrets.has(kid))
        // The keys may come from a copy that had the book under another name.
        const isNamed = imported.names.every((name) => namesWith(own).includes(name))
        if (own && added.length === 0 && isNamed) return undefined
        // Records that only this device sealed are sealed again with the shared key.
        const current = own && !added.includes(imported.current) ? own.current : imported.current
        if (own?.current !== current) replaced = own?.current
        const secrets = new Map([...(own?.secrets ?? []), ...imported.secrets])
        return addBookNames({ current, secrets, names: own?.names ?? [] }, imported.names)
      })
      if (replaced !== undefined && resealing.neededKeyIds().has(replaced)) {
        await writes.write(() => resealing.begin())
        reseal()
      }
      return added
    },
    async rotate() {
      if (store.newer) throw store.newer.error()
      await begin()
      if (keychain.state() !== 'lost') await keychain.ensureKey()
      let current = ''
      await keychain.changeKeys((keys) => {
        // After a loss of the keys, this call starts with a new key.
        const next = addKey(keys ?? (keychain.state() === 'lost' ? undefined : open()), random)
        current = next.current
        return next
      })
      await publish()
      await writes.write(() => resealing.begin())
      reseal()
      return current
    },
    list: (after, limit) => sealed.listAfter(after, limit).flatMap((row) => opaque(bodies, row)),
  }
}

function sealState(
  {
    keychain,
    resealing,
    bodies,
  }: Pick<SealingParts['store'], 'resealing' | 'bodies'> & { keychain: Keychain },
  rows: readonly { readonly kid: string; readonly count: number }[],
): SealState {
  const keys = keychain.keys()
  const guard = keychain.guard()
  const sum = (some: typeof rows) => some.reduce((total, { count }) => total + count, 0)
  return {
    state: keychain.state(),
    ...(guard ? { guard } : {}),
    ...(keys ? { current: keys.current } : {}),
    others: [...(keys?.secrets.keys() ?? [])].filter((kid) => kid !== keys?.current),
    sealed: sum(rows),
    // `altered` means that the key is here: the record can be read unless it was changed.
    unreadable: sum(rows.filter(({ kid }) => bodies.sealer.reason(kid) !== 'altered')),
    toReseal: resealing.remainingCount(),
  }
}

function opaque(bodies: BookStore['bodies'], row: RecordRow): OpaqueRecord[] {
  const sealed = sealedOf(row.body)
  if (!sealed) return []
  const { id, kind, created_at, updated_at, ver, agent, session, resource, sensitivity, trust } = row
  return [
    {
      id,
      kind,
      created_at,
      updated_at,
      ver,
      agent,
      ...(session === null ? {} : { session }),
      ...(resource === null ? {} : { resource }),
      ...(sensitivity === null ? {} : { sensitivity: sensitivity as Sensitivity }),
      ...(trust === null ? {} : { trust: trust as Trust }),
      sealed: infoOf(sealed),
      locked: bodies.read(row, row.body) === undefined,
    },
  ]
}
