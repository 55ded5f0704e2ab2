// One origin without a browser: the storage of its books in memory, for the workers of pages that open them.
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { product } from '../../../../src/bundle/format/product.ts'
import type { BookEvent } from '../../../../src/core/capability/event.ts'
import { DaybookError } from '../../../../src/core/errors.ts'
import type { KeyVault } from '../../../../src/core/ports.ts'
import { nodePorts } from '../../../../src/hosts/node/port/node-ports.ts'
import { openJournalDatabase } from '../../../../src/hosts/browser/storage/journal-database.ts'
import type { BookStorage } from '../../../../src/hosts/browser/storage/opfs-database.ts'
import { WorkerEngine } from '../../../../src/hosts/browser/worker/worker-engine.ts'
import type { OpenRequest, PageDoor } from '../../../../src/hosts/browser/worker-message.ts'
import { type Reply, tabOf } from '../../../../src/book/share/line-message.ts'
import { loadBrowserSqlite } from './crash/fake-opfs.ts'
import { MemoryJournals } from './journal/memory-journal.ts'

const books = new Map<string, MemoryJournals>()
const vaults = new Map<string, string>()
const erasing = new Set<string>()
/** The next so many removals fail. */
let failures = 0
let sqlite: Promise<Sqlite3Static> | undefined

/** `loadBrowserSqlite` replaces the navigator, whose locks the tabs need. */
export function loadSqlite(): Promise<Sqlite3Static> {
  const { locks } = navigator
  return (sqlite ??= loadBrowserSqlite().then((loaded) => {
    Object.assign(navigator, { locks, onLine: true })
    return loaded
  }))
}

export async function openBookStorage({ name }: { readonly name: string }): Promise<BookStorage> {
  const journals = books.get(name) ?? new MemoryJournals()
  books.set(name, journals)
  const { scheduler } = nodePorts
  return {
    ...openJournalDatabase(await loadSqlite(), journals.open(), { scheduler }),
    degraded: async () => [],
  }
}

export function openBrowserVault(name: string): KeyVault {
  return {
    read: async () => vaults.get(name),
    write: async (text) => void vaults.set(name, text),
    deviceKey: () => Promise.reject(new DaybookError('storage-unavailable')),
  }
}

/** How often the book's storage was opened. */
export const openings = (name: string) => books.get(name)?.shelf.writer ?? 0

export const hasBook = (name: string) => books.has(name)

export const failRemovals = (count: number) => void (failures = count)

export async function markErasing(name: string): Promise<void> {
  erasing.add(name)
}

export async function removeBook(name: string): Promise<void> {
  if (failures-- > 0) throw new DaybookError('storage-failed', 'The erasure is not finished.')
  books.delete(name)
  vaults.delete(name)
  erasing.delete(name)
}

export async function finishErasing(name: string): Promise<boolean> {
  if (!erasing.has(name)) return false
  await removeBook(name)
  return true
}

let pages = 0

/** Opens the book in the worker of a page. */
export async function openWorker(name: string, options: Partial<OpenRequest> = {}) {
  const worker = new WorkerEngine()
  const events: BookEvent[] = []
  const tab = tabOf(`page-${++pages}`, 1)
  const page = {
    hear: (event: BookEvent) => void events.push(event),
    joinHub: () => Promise.resolve(undefined),
  } as unknown as PageDoor
  const request: OpenRequest = {
    version: product.version,
    name,
    scope: { agent: 'a' },
    durability: 'relaxed',
    timeZone: 'UTC',
    onUnavailable: 'reject',
    tab,
    isBack: false,
    existedBefore: false,
    offers: [],
    checkpoint: false,
    ...options,
  }
  const opened = await worker.open(request, page)
  let number = 1
  return {
    worker,
    opened,
    /** The codes of the `closed` events that the page got. */
    closed: () => events.flatMap(({ name: event, detail }) => (event === 'closed' ? [detail.code] : [])),
    async call(id: string, input: unknown = {}): Promise<Reply> {
      const [reply] = await worker.call(id, [{ number: ++number, input }], 0)
      if (!reply) throw new Error('There is no reply.')
      return reply
    },
  }
}

export const codeOf = (reply: Reply | undefined) => (reply?.ok ? 'ok' : reply?.error.code)
