// The worker's side of the wire: opens the engine and answers the page's calls with values, never with throws.
import { capabilityTable } from '../../capability-table.ts'
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import { createEngine, type Engine } from '../../engine.ts'
import { createHttpCarrier } from '../../sync/http-carrier.ts'
import { type BookStorage, openBookStorage } from './book-storage.ts'
import { browserEmbedder } from './browser-embedder.ts'
import { browserPorts } from './browser-ports.ts'
import { openBrowserKeyring } from './key-store.ts'
import type { MethodRow, Reply, WorkerDoor } from './message.ts'

/** A worker that has not opened a book yet. */
export function createWorkerEngine(): WorkerDoor {
  let opened: { engine: Engine; storage: BookStorage } | undefined
  const running = new Map<number, AbortController>()

  const open: WorkerDoor['open'] = async (
    { name, scope, durability, onUnavailable, aliveLock, sync, embedder },
    listener,
    getKey,
    getEmbedderKey,
  ) => {
    const source = browserEmbedder(embedder, getEmbedderKey)
    void navigator.locks.request(aliveLock, () => new Promise(() => undefined))
    const storage = await openBookStorage({ name, durability, onUnavailable })
    try {
      const key = getKey ?? sync?.key ?? ''
      const engine = createEngine({
        db: storage.db,
        ports: browserPorts,
        name,
        scope,
        durability: storage.durability,
        embedder: source,
        keys: openBrowserKeyring(name, { kept: storage.durability !== 'memory' }),
        storage: browserStorage,
        ...(sync
          ? {
              sync,
              carrier: createHttpCarrier({
                url: sync.url,
                book: name,
                key,
                scheduler: browserPorts.scheduler,
                fetch: (...args) => fetch(...args),
              }),
            }
          : {}),
      })
      engine.on(listener)
      opened = { engine, storage }
      addEventListener('online', engine.wake)
    } catch (error) {
      storage.db.close()
      storage.release()
      throw error
    }
    const rows = capabilityTable.flatMap(({ id, methods, effect }) =>
      methods.map((method): MethodRow => [method, id, effect]),
    )
    return { ok: true, value: rows }
  }

  const answer = async (id: string, call: Parameters<WorkerDoor['call']>[1][number]): Promise<Reply> => {
    if (!opened) return failed(new DaybookError('book-closed'))
    const { number, input, requestId } = call
    const abort = new AbortController()
    running.set(number, abort)
    try {
      const options = { signal: abort.signal, ...(requestId === undefined ? {} : { requestId }) }
      return { ok: true, value: await opened.engine.call(id, input, options) }
    } catch (error) {
      return failed(error)
    } finally {
      running.delete(number)
    }
  }

  return {
    open: (...args) => open(...args).catch(failed),
    call(id, calls) {
      const begin = () => calls.map((call) => answer(id, call))
      return Promise.all(opened ? opened.engine.together(begin) : begin())
    },
    abort: (number) => running.get(number)?.abort(),
    close() {
      const { engine, storage } = opened ?? {}
      opened = undefined
      if (engine) removeEventListener('online', engine.wake)
      engine?.close()
      storage?.release()
      return Promise.resolve()
    },
  }
}

async function browserStorage() {
  const [{ quota }, persisted] = await Promise.all([
    navigator.storage.estimate(),
    navigator.storage.persisted(),
  ])
  return { persisted, ...(quota === undefined ? {} : { quotaBytes: quota }) }
}

function failed(error: unknown): { ok: false; error: ReturnType<DaybookError['toJSON']> } {
  return { ok: false, error: toDaybookError(error).toJSON() }
}
