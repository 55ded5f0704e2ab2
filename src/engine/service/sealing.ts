// The keys of a book at work: opened when something needs them, and changed by the owner.
// Invariant: a book without sealed records never asks for its keys, and one that has some asks once.
import type { BookEvents } from '../../core/capability/event.ts'
import type { OpaqueRecord, SealingPort, SealState } from '../../core/capability/port/sealing-port.ts'
import type { Changed, Service } from '../../core/capability/service.ts'
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import type { Ports } from '../../core/ports.ts'
import { infoOf, lockedError, sealedOf, type Sensitivity } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import { toBase64Url } from '../../shape/encoded-bytes.ts'
import { SealedList } from '../../store/sealed/sealed-list.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { type Keys, withNames } from '../../trust/seal/key-vault.ts'
import { addKey, type Keychain } from '../../trust/seal/keychain.ts'
import { publicKeyKind } from '../../trust/seal/key-pair.ts'
import { readKeyText, writeKeyText } from '../../trust/seal/key-text.ts'
import { createArrivals } from './arrival.ts'
import { lockedText, noteKeys } from './keys-here.ts'
import { createPublicKey, type PublicKey } from './public-key.ts'
import { createResealWork } from './reseal-work.ts'

export interface Sealing extends Service {
  readonly port: SealingPort
  /** True while the keys that the book needs were not looked for. */
  isUnread(): boolean
  /** Reads the keys where the book has sealed records. */
  begin(): Promise<void>
  /** Receives the keys of what arrived sealed to the book's public key; undefined when nothing did. */
  arrived(): Promise<void> | undefined
  /** Runs `work` again once there is a key, if all it lacked was one that can be had: the first one, or that of an arrival. */
  withKey<Result>(work: () => Promise<Result>): Promise<Result>
  /** Answers a read, again if it met an arrival whose key was not received. */
  reading<Result>(work: () => Result | Promise<Result>): Promise<Result>
  /** Answers what `work` does inside a transaction, unless it met such an arrival: then nothing of it counts. */
  writing<Result>(work: () => Result): Result
}

export interface SealingParts extends Pick<Ports, 'clock' | 'random' | 'cipher' | 'scheduler' | 'log'> {
  /** In whose name the book's public key is put. */
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
    | 'resealing'
    | 'writes'
    | 'ops'
    | 'purge'
    | 'stamps'
    | 'settings'
  >
  /** True when the book has a mirror that must have everything first. */
  readonly hasMirror: boolean
  readonly progress: (step: BookEvents['progress']) => void
  /** Keys came or went: what is seen of the book is different. */
  readonly onChange: () => void
  readonly wrote: (changed: readonly Changed[]) => void
}

const ignore = () => undefined

export function createSealing(parts: SealingParts): Sealing {
  const { keychain, store } = parts
  const publicKey = createPublicKey(parts)
  const arrivals = createArrivals(parts)
  const resealWork = createResealWork({ ...parts, isSettled: publicKey.isSettled })
  const sealed = new SealedList(store.db)
  let closed = false
  /** Calls of a book without sealed records don't ask each time. */
  let knownToHaveNone = false
  let beginning: Promise<void> | undefined
  const begin = () => (beginning ??= keychain.begin())

  keychain.watch(() => {
    store.openedRecords?.renew()
    store.sources.links.awaited.renew()
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
    arrived: arrivals.receive,
    reading: arrivals.reading,
    writing: arrivals.writing,
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
    withKey: (work) =>
      arrivals.again(async () => {
        try {
          return await work()
        } catch (error) {
          if (!isDaybookError(error, 'locked')) throw error
          if (keychain.state() === 'off') return sendSealed(parts, publicKey, work, error)
          if (keychain.state() !== 'unused') throw error
          await begin()
          await keychain.ensure()
          return work()
        }
      }),
    degraded: () => lockedText(keychain, sealed),
    close() {
      closed = true
      resealWork.close()
      store.openedRecords?.close()
    },
  }
}

/** Where no keys are kept: runs `work` again, and what it seals is sealed to the public key of the book. */
async function sendSealed<Result>(
  { keychain }: Pick<SealingParts, 'keychain'>,
  publicKey: PublicKey,
  work: () => Promise<Result>,
  why: DaybookError,
): Promise<Result> {
  // What was to be read can't be read here, whatever is done.
  if (why.details['sealed'] !== undefined || why.details['id'] === undefined) throw why
  const half = publicKey.read()
  if (!half) throw noPublicKey(why)
  const isCurrent = () => {
    const now = publicKey.read()
    return now?.book === half.book && toBase64Url(now.publicKey) === toBase64Url(half.publicKey)
  }
  const end = await keychain.sendTo(half, isCurrent)
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

const noneYet =
  'This copy of the book keeps no keys, and the book has no public key yet that sensitive records could be sealed to: make its keys on a device (`seal.exportKeys` does, and so does the first sensitive record), and sync.'

/** Why nothing can be sealed where no keys are kept, with a way out. */
function noPublicKey(why: DaybookError, message = noneYet): DaybookError {
  return new DaybookError('locked', message, { details: { ...why.details, missing: publicKeyKind.name } })
}

interface SealingSteps {
  /** Has the keys read. */
  readonly begin: () => Promise<void>
  /** Has what was replaced sealed anew. */
  readonly reseal: () => void
  /** Has the book's public key follow the key that seals. */
  readonly publish: () => Promise<void>
}

/** What the verbs of sealing work with. */
function createSealingPort(
  { keychain, store, random, cipher }: SealingParts,
  { begin, reseal, publish }: SealingSteps,
): SealingPort {
  const { resealing, writes, bodies } = store
  const sealed = new SealedList(store.db)
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
      return writeKeyText(open(), keychain.names().present, passphrase, { cipher, random })
    },
    async importKeys(text, passphrase) {
      await begin()
      const { present, others } = keychain.names()
      const own = keychain.keys()
      const books = [present, ...others, ...(own?.names ?? [])]
      const given = await readKeyText(text, books, passphrase, cipher)
      if (!own && keychain.state() === 'locked') open()
      const added = [...given.secrets.keys()].filter((kid) => !own?.secrets.has(kid))
      const isNamed = given.names.every((name) => books.includes(name))
      if (own && added.length === 0 && isNamed) return []
      // What this device alone has sealed so far comes under the key that both have.
      const current = own && !added.includes(given.current) ? own.current : given.current
      const secrets = new Map([...(own?.secrets ?? []), ...given.secrets])
      await keychain.keep(withNames({ current, secrets, names: own?.names ?? [] }, given.names))
      if (own && current !== own.current && resealing.needed().has(own.current)) {
        await writes.write(() => resealing.begin())
        reseal()
      }
      return added
    },
    async rotate() {
      if (store.newer) throw store.newer.error()
      await begin()
      // The owner begins anew in so many words.
      const isLost = keychain.state() === 'lost'
      if (!isLost) await keychain.ensure()
      const next = addKey(isLost ? undefined : open(), random)
      await keychain.keep(next)
      await publish()
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
    toReseal: resealing.remaining(),
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
