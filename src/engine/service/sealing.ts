// The keys of a book at work: opened when something needs them, and changed by the owner.
// Invariant: a book without sealed records never asks for its keys, and one that has some asks once.
import type { BookEvents } from '../../core/capability/event.ts'
import type { OpaqueRecord, SealingPort, SealState } from '../../core/capability/sealing-port.ts'
import type { Service } from '../../core/capability/service.ts'
import { isDaybookError } from '../../core/errors.ts'
import type { Ports } from '../../core/ports.ts'
import { infoOf, lockedError, sealedOf, type Sensitivity } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import { createSealedList } from '../../store/record/sealed-list.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { addKey, type Keychain, type Keys } from '../../trust/keychain.ts'
import { readKeyText, writeKeyText } from '../../trust/key-text.ts'
import { createResealWork } from './reseal-work.ts'

export interface Sealing extends Service {
  readonly port: SealingPort
  /** True while the keys that the book needs were not looked for. */
  isUnread(): boolean
  /** Reads the keys where the book has sealed records. */
  begin(): Promise<void>
  /** Runs `work` again once there is a key, if all it lacked was the first one. */
  withKey<Result>(work: () => Promise<Result>): Promise<Result>
}

export interface SealingParts extends Pick<Ports, 'random' | 'cipher' | 'scheduler' | 'log'> {
  readonly book: string
  readonly keychain: Keychain
  readonly store: Pick<
    BookStore,
    'db' | 'newer' | 'records' | 'bodies' | 'openedRecords' | 'resealing' | 'writes' | 'ops' | 'purge'
  >
  /** True when the book has a mirror that must have everything first. */
  readonly hasMirror: boolean
  readonly progress: (step: BookEvents['progress']) => void
  /** Keys came or went: what is seen of the book is different. */
  readonly onChange: () => void
}

const ignore = () => undefined

export function createSealing(parts: SealingParts): Sealing {
  const { keychain, store } = parts
  const resealWork = createResealWork(parts)
  const sealed = createSealedList(store.db)
  let closed = false
  /** Calls of a book without sealed records don't ask each time. */
  let knownToHaveNone = false
  let beginning: Promise<void> | undefined
  const begin = () => (beginning ??= keychain.begin())

  keychain.watch(() => {
    store.openedRecords?.renew()
    parts.onChange()
    resealWork.wake()
  })

  return {
    name: 'sealing',
    port: createSealingPort(parts, begin, resealWork.wake),
    begin,
    isUnread() {
      if (closed || !keychain.isUnread() || knownToHaveNone) return false
      if (sealed.hasAny()) return true
      knownToHaveNone = true
      store.records.watchSealed({
        changed: () => (knownToHaveNone = false),
        placed: ignore,
        mirrorCleared: ignore,
      })
      return false
    },
    async withKey(work) {
      try {
        return await work()
      } catch (error) {
        if (!isDaybookError(error, 'locked') || keychain.state() !== 'unused') throw error
        await begin()
        await keychain.ensure()
        return work()
      }
    },
    degraded: () =>
      keychain.state() === 'locked' ? 'locked: sensitive records wait for the passphrase.' : undefined,
    close() {
      closed = true
      resealWork.close()
      store.openedRecords?.close()
    },
  }
}

/** What the verbs of sealing work with. `begin` has the keys read, `reseal` has what they replaced sealed anew. */
function createSealingPort(
  { book, keychain, store, random, cipher }: SealingParts,
  begin: () => Promise<void>,
  reseal: () => void,
): SealingPort {
  const { resealing, writes, bodies } = store
  const sealed = createSealedList(store.db)
  const open = (): Keys => {
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
      await begin()
      await keychain.unlock(passphrase)
    },
    async lock() {
      await begin()
      keychain.lock()
    },
    async guard(passphrase) {
      await keychain.ensure()
      await keychain.keep(open(), { passphrase })
    },
    async exportKeys(passphrase) {
      await keychain.ensure()
      return writeKeyText(open(), book, passphrase, { cipher, random })
    },
    async importKeys(text, passphrase) {
      await begin()
      const given = await readKeyText(text, book, passphrase, cipher)
      const own = keychain.keys()
      if (!own && keychain.state() !== 'unused') open()
      const added = [...given.secrets.keys()].filter((kid) => !own?.secrets.has(kid))
      if (own && added.length === 0) return []
      // What this device alone has sealed so far comes under the key that both have.
      const current = own && !added.includes(given.current) ? own.current : given.current
      await keychain.keep({ current, secrets: new Map([...(own?.secrets ?? []), ...given.secrets]) })
      if (own && current !== own.current && resealing.needed().has(own.current)) {
        await writes.write(() => resealing.begin())
        reseal()
      }
      return added
    },
    async rotate() {
      if (store.newer) throw store.newer.error()
      await keychain.ensure()
      const next = addKey(open(), random)
      await keychain.keep(next)
      await writes.write(() => resealing.begin())
      reseal()
      return next.current
    },
    list: (after, limit) => sealed.page(after, limit).flatMap((row) => opaque(bodies, row)),
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
    unreadable: sum(rows.filter(({ kid }) => bodies.sealer.reason(kid) !== 'altered')),
    toReseal: resealing.left(),
  }
}

function opaque(bodies: BookStore['bodies'], row: RecordRow): OpaqueRecord[] {
  const sealed = sealedOf(row.body)
  if (!sealed) return []
  const { id, kind, created_at, updated_at, ver, agent, session, resource, sensitivity } = row
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
      sealed: infoOf(sealed),
      locked: bodies.read(row, row.body) === undefined,
    },
  ]
}
