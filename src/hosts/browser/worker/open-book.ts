// The engine of a book over this browser's storage, opened in a turn of its tab.
// Invariant: whatever fails on the way, the files are let go of, or no other tab could try.
import { roomSizeOf } from '../../../commons/room/room-size.ts'
import { checkKey } from '../../../core/address.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { Llm, SqlDatabase } from '../../../core/ports.ts'
import { createEngine, type Engine } from '../../../engine/engine.ts'
import { faultText, isBroken } from '../../../store/repair/damage.ts'
import { createHttpCarrier, syncAddress } from '../../../sync/device/http-carrier.ts'
import { openBookZone } from '../../../web/web-zone.ts'
import { openSpillPlace } from '../background/spill-place.ts'
import { openBrowserKeyring } from '../key/key-store.ts'
import { openBrowserVault } from '../key/vault-store.ts'
import type { browserEmbedder } from '../model/browser-embedder.ts'
import { browserGzip } from '../port/browser-gzip.ts'
import { openTabCarrier } from '../pool/tab-carrier.ts'
import { browserPorts } from '../port/browser-ports.ts'
import { localFetch } from '../port/local-network.ts'
import { openBookStorage, openMemoryDatabase } from '../storage/book-storage.ts'
import { finishErasing, markErasing, removeBook } from '../storage/erase-book.ts'
import { loadSqlite } from '../storage/load-sqlite.ts'
import { type BookStorage, isReadOnly, type Suspicion } from '../storage/opfs-database.ts'
import type { Turn } from '../tab/book-tab.ts'
import type { OwnedBook } from '../tab/owned-book.ts'
import { watchView } from '../tab/watch-view.ts'
import type { OpenRequest } from '../wire/message.ts'

/** What the page gave along that is no data. */
export interface BookGiven {
  readonly getKey: (() => Promise<string>) | undefined
  readonly embedder: ReturnType<typeof browserEmbedder>
  readonly llm: Llm | undefined
}

interface Opening {
  readonly request: OpenRequest
  readonly given: BookGiven
  readonly turn: Turn
}

/** Opens the book; one whose pages are broken is mended first, and on a full disk it is opened with what is kept back. */
export async function openOwnedBook(request: OpenRequest, given: BookGiven, turn: Turn): Promise<OwnedBook> {
  const opening = { request, given, turn }
  try {
    return await openOnce(opening)
  } catch (error) {
    const again = secondTry(error)
    if (!again) throw error
    return openOnce(opening, again)
  }
}

interface SecondTry {
  readonly suspicion?: Suspicion
  readonly usesReserve?: boolean
}

function secondTry(error: unknown): SecondTry | undefined {
  if (isBroken(error)) return { suspicion: { damaged: faultText(error) } }
  if (isDaybookError(error, 'storage-full')) return { usesReserve: true }
  // Of a first page that is damaged SQLite says all sorts of things.
  const isDoubted = !isDaybookError(error) || isReadOnly(error)
  return isDoubted ? { suspicion: { isDoubted } } : undefined
}

async function openOnce(
  given: Opening,
  { suspicion, usesReserve = false }: SecondTry = {},
): Promise<OwnedBook> {
  const { turn } = given
  let opening = given
  if (await finishErasing(given.request.name)) {
    // The book of this tab is no more; another one of its name is begun by whoever opens it.
    if (turn.wasServed) throw new DaybookError('book-erased')
    opening = { ...given, request: { ...given.request, wasKept: false } }
  }
  const { request } = opening
  const opened = await openBookStorage({
    name: request.name,
    suspicion,
    onUnavailable: turn.acceptMemory ? request.onUnavailable : 'reject',
  })
  const storage = { ...opened, release: once(opened.release) }
  try {
    const sqlite3 = await loadSqlite()
    if (usesReserve) storage.useReserve?.(true)
    const engine = createBookEngine(opening, storage, () => openMemoryDatabase(sqlite3))
    const owned = await own(engine, opening, storage)
    if (usesReserve) storage.useReserve?.(false)
    return owned
  } catch (error) {
    storage.db.close()
    await storage.release()
    throw error
  }
}

/** Counts this owner, and has the engine hear of the network and of who looks at the book. */
async function own(engine: Engine, { request, turn }: Opening, storage: BookStorage): Promise<OwnedBook> {
  const { name, sync, passphrase } = request
  // The owner unlocks at once; that the passphrase is wrong, `worker-engine.ts` tells the page when the tab has opened.
  if (passphrase !== undefined) await engine.call('seal:unlock', { passphrase }).catch(() => undefined)
  const { settings } = engine.store
  const epoch = Math.max(turn.after, settings.getNumber('owner_epoch')) + 1
  // A book that can't be written keeps no count; then `turn.after` alone tells its turns apart.
  if (!engine.store.newer) countOwner(storage.db, () => settings.set('owner_epoch', epoch))
  addEventListener('online', engine.wake)
  // The first commits of this turn are kept before anybody is served; on a full disk there is nothing to be kept.
  await storage.db.settled?.('read')
  const unwatch = sync ? watchView(name, engine.attend) : undefined
  const { durability, makeStrict, watchFault, refit } = storage
  return {
    engine,
    epoch,
    durability,
    makeStrict,
    release() {
      removeEventListener('online', engine.wake)
      unwatch?.()
      return storage.release()
    },
    ...(watchFault ? { watchFault } : {}),
    ...(refit ? { refit } : {}),
  }
}

/** A full disk keeps no count either. */
function countOwner(db: SqlDatabase, count: () => void): void {
  try {
    db.transaction(count)
  } catch (error) {
    if (!isDaybookError(error, 'storage-full')) throw error
  }
}

function createBookEngine(
  { request, given, turn }: Opening,
  storage: BookStorage,
  openMemory: () => SqlDatabase,
): Engine {
  const { name, tab, scope, timeZone, sync, wasKept, secrets, checkpoint = !sync } = request
  const { db, durability, check, checkpointFile, useReserve, isScarce } = storage
  const isKept = durability !== 'memory'
  const carrier = carrierOf(request, given.getKey)
  const engine: Engine = createEngine({
    db,
    isAudited: request.isAudited,
    activity: request.activity,
    ports: browserPorts,
    name,
    scope,
    zone: openBookZone(timeZone),
    durability,
    embedder: given.embedder,
    llm: given.llm,
    keys: openBrowserKeyring(name, { kept: isKept }),
    vault: openBrowserVault(name, { kept: isKept }),
    secrets,
    openMemory,
    storage: () => browserStorage(storage),
    ...(check ? { care: { check, onDamage: turn.fault }, reopen: turn.fault } : {}),
    ...(checkpointFile ? { checkpointFile: { file: checkpointFile, isWanted: checkpoint } } : {}),
    useReserve,
    isScarce,
    wasKept: wasKept && isKept,
    tab,
    room: turn.room(),
    roomSize: roomSizeOf(request.room),
    carriers: request.pool?.tabs ? [openTabCarrier(browserPorts)] : [],
    poolLine: request.pool?.edge,
    spillPlace: isKept ? spillPlaceOf(request) : undefined,
    ...(sync && carrier ? { sync, carrier, mirror: sync.url } : {}),
    async eraseHere() {
      if (isKept) await markErasing(name)
      engine.close()
      await storage.release()
      if (isKept) await removeBook(name)
      turn.erased()
    },
  })
  return engine
}

/** `work`, done once however often it is asked for. */
function once(work: () => void | Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => (done ??= Promise.resolve(work()))
}

function carrierOf({ name, sync }: OpenRequest, getKey: BookGiven['getKey']) {
  if (!sync) return undefined
  return createHttpCarrier({
    url: sync.url,
    book: name,
    key: getKey ?? sync.key,
    scheduler: browserPorts.scheduler,
    fetch: (...args) => localFetch(...args),
    gzip: browserGzip,
    socket: (address, protocols) => new WebSocket(address, protocols),
  })
}

/** Where what waits for the mirror is left for the service worker, if the page wants that. */
function spillPlaceOf({ name, sync }: OpenRequest) {
  if (!sync?.background) return undefined
  return openSpillPlace({
    book: name,
    url: syncAddress(sync.url, name),
    key: sync.background === true ? undefined : checkKey(sync.background.key, 'sync.background.key'),
  })
}

async function browserStorage({ degraded, mended, refit }: BookStorage) {
  await refit?.()
  const { storage } = navigator as { readonly storage?: Partial<StorageManager> }
  const [estimate, persisted] = await Promise.all([storage?.estimate?.(), storage?.persisted?.()])
  const quota = estimate?.quota
  return {
    persisted: persisted ?? false,
    ...(quota === undefined ? {} : { quotaBytes: quota }),
    degraded: ((await degraded?.()) ?? []).concat((await mended?.()) ?? []),
  }
}
