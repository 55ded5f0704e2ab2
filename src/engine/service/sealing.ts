// The keys of a book at work: opened when something needs them, changed by the owner, and what they seal brought under the
// current one in idle time. Invariant: a key is dropped only when nothing here needs it and the mirror has what replaced it.
import type { BookEvents } from '../../core/capability/event.ts'
import { isDaybookError } from '../../core/errors.ts'
import type { KeyVault, Ports } from '../../core/ports.ts'
import type { OpaqueRecord, SealDesk, SealState } from '../../core/capability/sealing-port.ts'
import { infoOf, lockedError, sealedOf, type Sensitivity } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import { type RecordRow, recordColumns } from '../../store/schema/record-row.ts'
import { addKey, createKeychain, type Keychain } from '../../trust/keychain.ts'
import { readKeyText, writeKeyText } from '../../trust/key-text.ts'

const batch = 25
const stepMs = 20
const ignore = () => undefined

export interface Sealing {
  readonly keychain: Keychain
  readonly desk: SealDesk
  /** True while the keys that the book needs were not looked for. */
  isUnread(): boolean
  /** Reads the keys where the book has sealed records. */
  begin(): Promise<void>
  /** Runs `work` again once there is a key, if all it lacked was the first one. */
  withKey<Result>(work: () => Promise<Result>): Promise<Result>
  /** What is told of a book whose sensitive records wait for the passphrase. */
  degraded(): string | undefined
  close(): void
}

export interface SealingParts extends Pick<Ports, 'random' | 'cipher' | 'aes' | 'scheduler' | 'log'> {
  readonly book: string
  readonly vault: KeyVault | undefined
  /** Opened after this; the keys are asked for by it. */
  readonly store: () => BookStore
  /** True when the book has a mirror that must have everything first. */
  readonly hasMirror: boolean
  progress(step: BookEvents['progress']): void
  /** Keys came or went: what is seen of the book is different. */
  onChange(): void
}

export function createSealing({
  book,
  vault,
  store,
  hasMirror,
  progress,
  onChange,
  ...ports
}: SealingParts): Sealing {
  const { random, cipher, scheduler, log } = ports
  let closed = false
  let cancel: (() => void) | undefined
  let total = 0
  const keychain = createKeychain({
    book,
    vault,
    random,
    cipher,
    aes: ports.aes,
    onChange() {
      store().openedRecords?.renew()
      onChange()
      resealSoon()
    },
  })
  const hasSealed = () =>
    store().db.get('SELECT 1 AS one FROM records WHERE kid IS NOT NULL LIMIT 1') !== undefined
  /** Calls of a book without sealed records don't ask each time. */
  let knownToHaveNone = false
  let beginning: Promise<void> | undefined

  const resealSoon = (delayMs = stepMs) => {
    if (closed || cancel || keychain.state() !== 'open' || !store().resealing.isBegun()) return
    cancel = scheduler.later(delayMs, () => {
      cancel = undefined
      void resealSome().catch((error: unknown) =>
        log.warn('A record could not be sealed anew.', { error: String(error) }),
      )
    })
  }

  const resealSome = async () => {
    const { resealing, writes, ops } = store()
    if (closed || keychain.state() !== 'open') return
    if (await writes.write(() => resealing.step(batch))) {
      // The last step is told when the old key is gone.
      const left = Math.max(1, resealing.left())
      total = Math.max(total, left + batch)
      progress({ done: total - left, total, what: 'Sealed under the new key', capability: 'seal:rotate' })
      return resealSoon()
    }
    // What the mirror has not acknowledged would be lost there with the old key.
    if (hasMirror && ops.pendingCount() > 0) return resealSoon(1000)
    await dropUnneeded()
  }

  const dropUnneeded = async () => {
    const { resealing, writes } = store()
    const keys = keychain.keys()
    if (!keys) return
    const needed = resealing.needed()
    const secrets = new Map([...keys.secrets].filter(([kid]) => kid === keys.current || needed.has(kid)))
    if (secrets.size < keys.secrets.size) await keychain.keep({ current: keys.current, secrets })
    await writes.write(() => resealing.end())
    store().purge.scrub()
    progress({ done: total, total, what: 'Sealed under the new key', capability: 'seal:rotate' })
    total = 0
  }

  const begin = () => (beginning ??= keychain.begin())

  const state = async (): Promise<SealState> => {
    await begin()
    const keys = keychain.keys()
    const guard = keychain.guard()
    const { db, resealing, bodies } = store()
    const rows = db.all<{ kid: string; n: number }>(
      'SELECT kid, count(*) AS n FROM records WHERE kid IS NOT NULL AND deleted = 0 GROUP BY kid',
    )
    const count = (some: typeof rows) => some.reduce((sum, { n }) => sum + n, 0)
    return {
      state: keychain.state(),
      ...(guard ? { guard } : {}),
      ...(keys ? { current: keys.current } : {}),
      others: [...(keys?.secrets.keys() ?? [])].filter((kid) => kid !== keys?.current),
      sealed: count(rows),
      unreadable: count(rows.filter(({ kid }) => bodies.sealer.reason(kid) !== 'altered')),
      toReseal: resealing.left(),
    }
  }

  const desk: SealDesk = {
    state,
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
      const { resealing, writes } = store()
      // What this device alone has sealed so far comes under the key that both have.
      const current = own && !added.includes(given.current) ? own.current : given.current
      await keychain.keep({ current, secrets: new Map([...(own?.secrets ?? []), ...given.secrets]) })
      if (own && current !== own.current && resealing.needed().has(own.current)) {
        await writes.write(() => resealing.begin())
        resealSoon()
      }
      return added
    },
    async rotate() {
      const { newer } = store()
      if (newer) throw newer.error()
      await keychain.ensure()
      const next = addKey(open(), random)
      await keychain.keep(next)
      await store().writes.write(() => store().resealing.begin())
      resealSoon()
      return next.current
    },
    list(after, limit) {
      const rows = store().db.all<RecordRow>(
        `SELECT ${recordColumns} FROM records r WHERE r.kid IS NOT NULL AND r.deleted = 0 AND r.id > ?
         ORDER BY r.id LIMIT ?`,
        [after, limit],
      )
      return rows.flatMap((row) => opaque(store(), row))
    },
  }

  const open = () => {
    const keys = keychain.keys()
    if (!keys) throw lockedError(keychain)
    return keys
  }

  return {
    keychain,
    desk,
    isUnread() {
      if (closed || !keychain.isUnread() || knownToHaveNone) return false
      if (hasSealed()) return true
      knownToHaveNone = true
      store().records.watchSealed({
        changed: () => (knownToHaveNone = false),
        placed: ignore,
        mirrorCleared: ignore,
      })
      return false
    },
    begin,
    degraded: () =>
      keychain.state() === 'locked' ? 'locked: sensitive records wait for the passphrase.' : undefined,
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
    close() {
      closed = true
      cancel?.()
      store().openedRecords?.close()
    },
  }
}

function opaque({ bodies }: BookStore, row: RecordRow): OpaqueRecord[] {
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
