// Opens the engine of a book over this browser's storage, when its tab becomes the owner.
// Invariant: on every failure the files are released, so that other tabs can open the book.
import { roomSizeOf } from '../../../commons/room/room-size.ts'
import { checkKey } from '../../../core/address.ts'
import { defined } from '../../../core/defined.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { Llm, SqlDatabase } from '../../../core/ports.ts'
import type { EngineOptions } from '../../../engine/engine-options.ts'
import type { Engine } from '../../../engine/engine-shape.ts'
import { openEngine } from '../../../engine/open-engine.ts'
import { isLockedByCall } from '../../../core/sealed.ts'
import { causeText, isDamageError } from '../../../store/repair/damage.ts'
import { createHttpCarrier, syncAddress } from '../../../sync/device/http-carrier.ts'
import { openBookZone } from '../../../web/web-zone.ts'
import { openSpillPlace } from '../background/spill-place.ts'
import { openBrowserKeyring } from '../key/key-store.ts'
import { openBrowserVault } from '../key/vault-store.ts'
import type { browserEmbedder } from '../model/browser-embedder.ts'
import { laterChapters } from '../later-chapters.ts'
import { browserGzip, browserPorts } from '../port/browser-ports.ts'
import { openTabCarrier } from '../tab/tab-carrier.ts'
import { localFetch } from '../port/local-network.ts'
import { openBookStorage, openMemoryDatabase } from '../storage/book-storage.ts'
import { finishErasing, markErasing, removeBook } from '../storage/erase-book.ts'
import { loadSqlite } from '../storage/load-sqlite.ts'
import { isReadOnly, type Suspicion } from '../storage/open-whole.ts'
import type { BookStorage } from '../storage/opfs-database.ts'
import type { Turn } from '../tab/book-tab.ts'
import type { OwnedBook } from '../tab/owned-book.ts'
import { watchView } from '../tab/page-view.ts'
import type { OpenRequest } from '../worker-message.ts'

/** Parts of the engine that need the page. */
export interface EngineParts {
  /** Fetches the mirror's key from the page; undefined: the request has the key, or no mirror. */
  readonly getKey: (() => Promise<string>) | undefined
  readonly embedder: ReturnType<typeof browserEmbedder>
  readonly llm: Llm | undefined
}

interface Opening {
  readonly request: OpenRequest
  readonly parts: EngineParts
  readonly turn: Turn
}

/**
 * Opens the book. If this fails, it tries once more: repairs a damaged file first, and uses reserved space on
 * a full disk.
 */
export async function openOwnedBook(
  request: OpenRequest,
  parts: EngineParts,
  turn: Turn,
): Promise<OwnedBook> {
  const opening = { request, parts, turn }
  try {
    return await openOnce(opening)
  } catch (error) {
    const again = secondTry(error)
    if (!again) throw error
    return openOnce(opening, again)
  }
}

interface SecondTry {
  /** Check the file for damage, and repair it, before it is opened. */
  readonly suspicion?: Suspicion
  /** Release the reserved space before the engine opens: its first writes need space. */
  readonly useReserveFirst?: boolean
}

/** How to try again after `error`; undefined if a second try can't help. */
function secondTry(error: unknown): SecondTry | undefined {
  if (isDamageError(error)) return { suspicion: { damaged: causeText(error) } }
  if (isDaybookError(error, 'storage-full')) return { useReserveFirst: true }
  // A damaged first page can cause any error, so check the file.
  const isSuspect = !isDaybookError(error) || isReadOnly(error)
  return isSuspect ? { suspicion: { isSuspect } } : undefined
}

async function openOnce(
  initial: Opening,
  { suspicion, useReserveFirst = false }: SecondTry = {},
): Promise<OwnedBook> {
  const { turn } = initial
  let opening = initial
  if (await finishErasing(initial.request.name)) {
    // The book that this tab used is erased; a later opening creates a new book.
    if (turn.wasServed) throw new DaybookError('book-erased')
    opening = { ...initial, request: { ...initial.request, existedBefore: false } }
  }
  const { request } = opening
  const opened = await openBookStorage({
    name: request.name,
    suspicion,
    onUnavailable: turn.acceptMemory ? request.onUnavailable : 'reject',
  })
  // The files are released once: an erasure releases them before the end of the turn.
  const storage = { ...opened, release: once(opened.release) }
  try {
    const sqlite3 = await loadSqlite()
    if (useReserveFirst) storage.useReserve?.(true)
    const engine = createBookEngine(opening, storage, () => openMemoryDatabase(sqlite3))
    const owned = await own(engine, opening, storage)
    if (useReserveFirst) storage.useReserve?.(false)
    return owned
  } catch (error) {
    storage.db.close()
    await storage.release()
    throw error
  }
}

/**
 * Unlocks the book, counts this owner, and notifies the engine when the network is back, and when the
 * visibility of the book's pages changes.
 */
async function own(engine: Engine, { request, turn }: Opening, storage: BookStorage): Promise<OwnedBook> {
  const { name, sync, passphrase } = request
  // A wrong passphrase is no error here: `worker-engine.ts` reports it when the tab is open.
  if (passphrase !== undefined && !(turn.wasServed && isLockedByCall(engine.store)))
    await engine.call('seal:unlock', { passphrase }).catch(() => undefined)
  const { settings } = engine.store
  // The number of this owner: higher than that of every owner before.
  const epoch = Math.max(turn.after, settings.getNumber('owner_epoch')) + 1
  // A book of a newer Daybook is read-only and stores no count; then only `turn.after` distinguishes turns.
  if (!engine.store.newer) countOwner(storage.db, () => settings.set('owner_epoch', epoch))
  addEventListener('online', engine.wake)
  // Store the first commits of this turn before any call is served. On a full disk this resolves without
  // storing.
  await storage.db.settled?.('read')
  // Without a visible page, no line to the mirror stays open.
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

/** Stores the count of owners; on a full disk it stores nothing. */
function countOwner(db: SqlDatabase, count: () => void): void {
  try {
    db.transaction(count)
  } catch (error) {
    if (!isDaybookError(error, 'storage-full')) throw error
  }
}

function createBookEngine(
  { request, parts, turn }: Opening,
  storage: BookStorage,
  openMemory: () => SqlDatabase,
): Engine {
  const { name, tab, scope, timeZone, sync, existedBefore, secrets, checkpoint = !sync } = request
  const { db, durability, check, checkpointFile, useReserve, isScarce } = storage
  const isDurable = durability !== 'memory'
  const carrier = carrierOf(request, parts.getKey)
  // `isAudited`: false switches the access log off. `isScarce`: the disk is nearly full, so derived rows are stored at
  // once. `poolLine`: envelopes of the pool also go over the line to the mirror.
  const options: EngineOptions = {
    db,
    isAudited: request.isAudited,
    activity: request.activity,
    ports: browserPorts,
    name,
    scope,
    zone: openBookZone(timeZone),
    durability,
    embedder: parts.embedder,
    llm: parts.llm,
    keys: openBrowserKeyring(name, { isDurable }),
    vault: openBrowserVault(name, { isDurable }),
    secrets,
    openMemory,
    storage: () => browserStorage(storage),
    // `check` is absent in memory. `turn.fault` reopens the book: a damaged file is then repaired.
    ...(check ? { care: { check, onDamage: turn.fault }, reopen: turn.fault } : {}),
    ...(checkpointFile ? { checkpointFile: { file: checkpointFile, isWanted: checkpoint } } : {}),
    useReserve,
    isScarce,
    existedBefore: existedBefore && isDurable,
    tab,
    room: turn.room(),
    roomSize: roomSizeOf(request.room),
    carriers: request.pool?.tabs ? [openTabCarrier(browserPorts)] : [],
    poolLine: request.pool?.edge,
    spillPlace: isDurable ? spillPlaceOf(request) : undefined,
    ...(sync && carrier ? { sync, carrier, mirror: sync.url } : {}),
    async eraseHere() {
      if (isDurable) await markErasing(name)
      try {
        engine.close()
        await storage.release()
        if (isDurable) await removeBook(name)
      } finally {
        // After a failure too: the mark stays, and the next opening finishes the erasure.
        turn.erased()
      }
    },
  }
  const engine = openEngine(options, laterChapters)
  return engine
}

/** Returns a function that runs `work` at the first call; all calls get the same promise. */
function once(work: () => void | Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => (done ??= Promise.resolve(work()))
}

function carrierOf({ name, sync }: OpenRequest, getKey: EngineParts['getKey']) {
  if (!sync) return undefined
  return createHttpCarrier({
    url: sync.url,
    book: name,
    key: getKey ?? sync.key,
    scheduler: browserPorts.scheduler,
    fetch: (to, { timeoutMs, ...init }) =>
      localFetch(to, { ...init, signal: timeoutMs === undefined ? null : AbortSignal.timeout(timeoutMs) }),
    gzip: browserGzip,
    socket: (address, protocols) => new WebSocket(address, protocols),
  })
}

/** The place where requests wait for the service worker; undefined unless `sync.background` is set. */
function spillPlaceOf({ name, sync }: OpenRequest) {
  if (!sync?.background) return undefined
  return openSpillPlace({
    book: name,
    url: syncAddress(sync.url, name),
    key: sync.background === true ? undefined : checkKey(sync.background.key, 'sync.background.key'),
  })
}

async function browserStorage({ degraded, mended, refit }: BookStorage) {
  // Measures the free space again.
  await refit?.()
  const { storage } = navigator as { readonly storage?: Partial<StorageManager> }
  const [estimate, persisted] = await Promise.all([storage?.estimate?.(), storage?.persisted?.()])
  const quota = estimate?.quota
  return {
    persisted: persisted ?? false,
    ...defined({ quotaBytes: quota }),
    degraded: ((await degraded?.()) ?? []).concat((await mended?.()) ?? []),
  }
}
