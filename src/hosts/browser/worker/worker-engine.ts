// The worker's side of the wire: opens its tab's way to the book and answers the page's calls with values, never with throws.
import { capabilityTable } from '../../../engine/capability-table.ts'
import { checkKey } from '../../../core/address.ts'
import type { AnyCapability } from '../../../core/capability/capability.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Llm } from '../../../core/ports.ts'
import { createEngine } from '../../../engine/engine.ts'
import { isBroken } from '../../../store/repair/broken.ts'
import { createHttpCarrier, syncAddress } from '../../../sync/device/http-carrier.ts'
import { openBookStorage, openMemoryDatabase } from '../storage/book-storage.ts'
import { loadSqlite } from '../storage/load-sqlite.ts'
import { browserEmbedder } from '../model/browser-embedder.ts'
import { createBrowserLlm } from '../model/browser-llm.ts'
import { browserGzip } from '../port/browser-gzip.ts'
import { browserPorts } from '../port/browser-ports.ts'
import { createBrowserTabs } from '../tab/browser-tabs.ts'
import { watchPlaces } from '../storage/book-place.ts'
import { openBrowserKeyring } from '../key/key-store.ts'
import { openSpillPlace } from '../background/spill-place.ts'
import { firstOf } from '../wire/call-name.ts'
import { failed, type MethodRow, type OpenRequest, type WorkerDoor } from '../wire/message.ts'
import type { CallNature } from '../tab/tab-follower.ts'
import type { OwnedBook } from '../tab/owned-book.ts'
import { openBrowserVault } from '../key/vault-store.ts'
import type { BookStorage } from '../storage/opfs-database.ts'
import { watchView } from '../tab/watch-view.ts'
import { BookTab, type Turn } from '../tab/book-tab.ts'

const natures: ReadonlyMap<string, CallNature> = new Map(
  capabilityTable
    .map((one): AnyCapability => one)
    .map(({ id, effect, repeatable = false }) => [id, { effect, repeatable }]),
)
/** A call of something that is not in the table only finds out that it is not. */
const unknown: CallNature = { effect: 'read', repeatable: true }

/** A worker that has not opened a book yet. */
export function createWorkerEngine(): WorkerDoor {
  let tab: BookTab | undefined
  /** The book, while this tab holds it. */
  let owned: OwnedBook | undefined
  /** Something was written while this tab was there: if the book is new in a turn of it, it was taken away in between. */
  let wasWritten = false
  let mayBackground = false
  let unwatch = () => undefined as void

  const open: WorkerDoor['open'] = async (request, listener, getHub, getKey, getEmbedderKey, model, page) => {
    const embedder = browserEmbedder(request.embedder, { getKey: getEmbedderKey, page })
    const llm = createBrowserLlm(request.llm, model)
    tab = new BookTab({
      book: request.name,
      tab: request.tab,
      isBack: request.isBack,
      scope: request.scope,
      strict: request.durability === 'strict',
      embedder: embedder?.name ?? 'none',
      mirror: request.sync?.url,
      llm: llm?.name,
      acceptMemory: request.onUnavailable === 'memory',
      port: createBrowserTabs(getHub),
      clock: browserPorts.clock,
      natureOf: (id) => natures.get(id) ?? unknown,
      async open(turn) {
        const asked = { ...request, wasKept: request.wasKept || wasWritten }
        owned = await openOwned(asked, { getKey, embedder, llm }, turn)
        owned.engine.background?.allow(mayBackground)
        return owned
      },
      tell(event) {
        wasWritten ||= event.name === 'change'
        listener(event)
      },
    })
    await tab.ready
    unwatch = watchPlaces(() => {
      // The page ends this worker: it can neither close such files nor go on with locks that others do not see.
      throw new Error(
        `The data of this site was cleared while book ${request.name} was open: load the page again`,
      )
    })
    const { passphrase } = request
    if (passphrase !== undefined) {
      const [reply] = await tab.call('seal:unlock', [{ number: firstOf(request.tab), input: { passphrase } }])
      if (reply?.ok === false) {
        await tab.close()
        return reply
      }
    }
    const rows = capabilityTable.flatMap(({ id, methods, effect }) =>
      methods.map((method): MethodRow => [method, id, effect]),
    )
    return { ok: true, value: rows }
  }

  const spill = async () => (await owned?.engine.background?.spill()) ?? false

  return {
    open: (...args) => open(...args).catch(failed),
    call(id, calls, settled) {
      if (tab) return tab.call(id, calls, settled)
      const reply = failed(new DaybookError('book-closed'))
      return Promise.resolve(calls.map(() => reply))
    },
    abort: (number) => tab?.abort(number),
    allowBackground(isAllowed) {
      mayBackground = isAllowed
      owned?.engine.background?.allow(isAllowed)
    },
    spill,
    async close(isBack) {
      unwatch()
      await spill()
      await tab?.close(isBack)
    },
  }
}

/** What the page gave along that is no data. */
interface Given {
  readonly getKey: (() => Promise<string>) | undefined
  readonly embedder: ReturnType<typeof browserEmbedder>
  readonly llm: Llm | undefined
}

/** Opens the book; one whose pages are broken is mended first. */
async function openOwned(request: OpenRequest, given: Given, turn: Turn): Promise<OwnedBook> {
  try {
    return await openOnce(request, given, turn)
  } catch (error) {
    if (!isBroken(error)) throw error
    return openOnce(request, given, turn, error.message)
  }
}

async function openOnce(
  { name, tab, scope, onUnavailable, sync, passphrase, wasKept, checkpoint = !sync }: OpenRequest,
  { getKey, embedder, llm }: Given,
  turn: Turn,
  damaged?: string,
): Promise<OwnedBook> {
  const storage = await openBookStorage({
    name,
    ...(damaged === undefined ? {} : { damaged }),
    onUnavailable: turn.acceptMemory ? onUnavailable : 'reject',
  })
  try {
    const sqlite3 = await loadSqlite()
    const carrier =
      sync &&
      createHttpCarrier({
        url: sync.url,
        book: name,
        key: getKey ?? sync.key,
        scheduler: browserPorts.scheduler,
        fetch: (...args) => fetch(...args),
        gzip: browserGzip,
        socket: (address, protocols) => new WebSocket(address, protocols),
      })
    const spillPlace =
      sync?.background && storage.durability !== 'memory'
        ? openSpillPlace({
            book: name,
            url: syncAddress(sync.url, name),
            key: sync.background === true ? undefined : checkKey(sync.background.key, 'sync.background.key'),
          })
        : undefined
    const engine = createEngine({
      db: storage.db,
      ports: browserPorts,
      name,
      scope,
      durability: storage.durability,
      embedder,
      llm,
      keys: openBrowserKeyring(name, { kept: storage.durability !== 'memory' }),
      vault: openBrowserVault(name, { kept: storage.durability !== 'memory' }),
      openMemory: () => openMemoryDatabase(sqlite3),
      storage: () => browserStorage(storage),
      ...(storage.check ? { care: { check: storage.check, onDamage: turn.fault }, reopen: turn.fault } : {}),
      ...(storage.spare ? { spare: { file: storage.spare, isWanted: checkpoint } } : {}),
      lend: storage.lend,
      wasKept: wasKept && storage.durability !== 'memory',
      tab,
      room: turn.room(),
      spillPlace,
      ...(carrier ? { sync, carrier, mirror: sync.url } : {}),
    })
    // As the owner from the start; that a passphrase is wrong is said when the tab has opened, see below.
    if (passphrase !== undefined) await engine.call('seal:unlock', { passphrase }).catch(() => undefined)
    const { settings } = engine.store
    const epoch = Math.max(turn.after, settings.getNumber('owner_epoch')) + 1
    // A book that can't be written is told from another turn of it by what this tab heard.
    if (!engine.store.newer) storage.db.transaction(() => settings.set('owner_epoch', epoch))
    addEventListener('online', engine.wake)
    // The first commits of this turn are kept before anybody is served; on a full disk there is nothing to be kept.
    await storage.db.settled?.('read')
    const { durability, makeStrict, watchFault, refit } = storage
    const unwatch = sync ? watchView(name, engine.attend) : undefined
    const release = () => {
      removeEventListener('online', engine.wake)
      unwatch?.()
      return storage.release()
    }
    return {
      engine,
      epoch,
      durability,
      makeStrict,
      release,
      ...(watchFault ? { watchFault } : {}),
      ...(refit ? { refit } : {}),
    }
  } catch (error) {
    storage.db.close()
    await storage.release()
    throw error
  }
}

async function browserStorage({ degraded, mended, refit }: BookStorage) {
  await refit?.()
  const { storage } = navigator as { readonly storage?: Partial<StorageManager> }
  const [estimate, persisted] = await Promise.all([storage?.estimate?.(), storage?.persisted?.()])
  const quota = estimate?.quota
  return {
    persisted: persisted ?? false,
    ...(quota === undefined ? {} : { quotaBytes: quota }),
    degraded: [...((await degraded?.()) ?? []), ...((await mended?.()) ?? [])],
  }
}
