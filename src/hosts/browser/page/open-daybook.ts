// Opens a book in a page: starts the worker, waits for its engine, and builds the book over the wire to it.
import { checkAborted, neverAborted, orAborted } from '../../../core/abort.ts'
import { bookScope, checkBookName } from '../../../core/book.ts'
import type { Status } from '../../../core/capability/capability.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import { watchBackground } from './background-sync.ts'
import { type BookDoor, createDaybook, type Daybook } from '../../../book/daybook.ts'
import type { SyncPreferences } from '../../../sync/device/sync-plan.ts'
import type { EmbedderOptions } from '../../../recall/embed/embedder-options.ts'
import { tabOf } from '../wire/call-name.ts'
import { noteKept, wasKept } from './kept-note.ts'
import { createPageModel } from '../model/built-in-model.ts'
import type { BrowserLlmOptions, PageModel } from '../wire/message.ts'
import { showView } from '../tab/page-view.ts'
import { openPageLink } from './page-link.ts'
import type { StartingWorker } from './page-worker.ts'
import { createPageEmbedder, type PageEmbedder } from '../model/page-embedder.ts'
import { createWorkerLink, type LinkRequest, type PageGiven } from './worker-link.ts'

export interface OpenOptions {
  /** One book = one database, one mirror: 1 to 64 letters, digits, `.`, `_`, `-`. */
  readonly name: string
  /** Default scope of what is stored: whose it is, which run, about whom. Default agent `agent`. */
  readonly agent?: string
  readonly session?: string
  readonly resource?: string
  /** What to do where the browser gives no durable storage. Default `reject`: with `storage-unavailable`. */
  readonly onUnavailable?: 'reject' | 'memory'
  /** `durable` rejects everything else; it is what `onUnavailable: 'reject'` does, said as a demand. */
  readonly require?: 'durable'
  /** `relaxed` (default) survives a killed tab or browser; `strict` also waits for the flush at each commit. */
  readonly durability?: 'relaxed' | 'strict'
  /**
   * Guards the keys that encrypt sensitive records. Without one they lie under a key of this browser that no script can
   * read. A wrong one is `wrong-passphrase`; without the right one, sensitive records are `locked` and all others are not.
   */
  readonly passphrase?: string
  /** The mirror: base address of the edge, the key or how to get it, and when and what to sync. */
  readonly sync?: {
    readonly url: string
    readonly key: string | (() => Promise<string>)
    /**
     * Sends what waits with no page open, where the browser has Background Sync and the page a service worker that calls
     * `serveBackgroundSync`. Default false. With `true` that service worker must know how to get a key; a `key` given
     * here lies in IndexedDB, readable for every script of this origin, as long as something waits, a week at most:
     * make it a control token that may do nothing but sync, and ends.
     */
    readonly background?: boolean | { readonly key: string }
  } & SyncPreferences
  /** What gives records vectors. Default none: recall is by full text, and nothing leaves the machine. */
  readonly embedder?: EmbedderOptions
  /**
   * A language model for summaries and profiles: one behind an OpenAI-compatible endpoint, or the browser's own. Default
   * none: stated algorithms do that work. While this tab holds the book, it is the model of all tabs.
   */
  readonly llm?: BrowserLlmOptions
  /**
   * Keeps a copy of the records beside the book, brought up to date in idle moments, from which comes back what can't be read
   * in a damaged file. It takes up to half of what the book takes, as long as there is room for twice that. Default true
   * without `sync`: with it, the mirror is the copy.
   */
  readonly checkpoint?: boolean
  readonly signal?: AbortSignal
}

/** Calls that only read or write are answered within this long, unless the call says otherwise. */
const callDeadlineMs = 30_000

/**
 * Opens a book of this origin, making it when there is none. Any number of tabs may have it open: one of them holds the
 * database and runs the calls of all.
 *
 * Rejects with `storage-unavailable` where nothing durable can be had, `owner-unresponsive` when the tab that holds it
 * does not answer, `tab-outdated` when that tab runs a newer Daybook, `book-newer` when a newer Daybook wrote it,
 * `open-elsewhere` while something else has its files, `engine-died` when the worker could not be started.
 */
export async function openDaybook(options: OpenOptions): Promise<Daybook> {
  const request = openRequest(options)
  const signal = options.signal ?? neverAborted
  checkAborted(signal)
  const listeners = new Set<(event: BookEvent) => void>()
  const tell = (event: BookEvent) => {
    for (const listener of listeners) listener(event)
  }
  /** What is there once the book is open. */
  const later: { status?: () => Promise<Status>; heard?: (isOwner: boolean) => void } = {}
  /** The state of a book is told as this tab has it: who follows, or has just taken over, has more or less to be told of. */
  const hear = (event: BookEvent) => {
    if (event.name === 'status') later.heard?.(event.detail.owner)
    if (event.name !== 'status' || (event.detail.owner && event.detail.degraded)) return tell(event)
    const isWhole = event.detail.degraded !== undefined
    if (!isWhole) tell(event)
    void later.status?.().then(
      ({ owner, durability, degraded }) => tell({ name: 'status', detail: { owner, durability, degraded } }),
      () => isWhole && tell(event),
    )
  }
  const background = request.sync?.background ? watchBackground() : undefined
  if (background) listeners.add(({ name, detail }) => name === 'sync' && background.heard(detail))
  const model = pageModelOf(options.llm)
  const syncKey = fetcherOf(options.sync?.key)
  const embedderKey = fetcherOf(keyOf(options.embedder))
  const modelWorker = pageEmbedderOf(options.embedder)
  const given: PageGiven = {
    ...(syncKey ? { syncKey } : {}),
    ...(embedderKey ? { embedderKey } : {}),
    ...(model ? { model } : {}),
    ...(modelWorker ? { modelWorker } : {}),
  }
  let isBack = false
  const page = crypto.randomUUID()
  const start = (first: number): StartingWorker => {
    let isMuted = false
    const worker = new Worker(new URL('../worker.ts', import.meta.url), { type: 'module', name: 'daybook' })
    const link = createWorkerLink(worker)
    const tab = tabOf(page, first)
    const asked = { ...request, tab, isBack, wasKept: wasKept(request.name) }
    const opening = link.open(asked, (event) => isMuted || hear(event), given)
    // Who has the book may cancel its opening no more.
    const opened = orAborted(opening, isBack ? neverAborted : signal).then(
      (rows) => {
        background?.started(link)
        isBack = true
        return { link, rows, mute: () => (isMuted = true) }
      },
      (error: DaybookError) => {
        // On the spot, whatever it is doing: it holds or waits for what the next opening needs.
        link.cut(error)
        throw error
      },
    )
    return { link, opened }
  }
  const link = await openPageLink(page, start, ({ message }) =>
    tell({ name: 'closed', detail: { reason: message } }),
  )
  const hide = options.sync && showView(request.name)
  const ask = async () => (await link.call('daybook:status', {}, {})) as Status
  Object.assign(later, { status: ask, heard: link.heard })
  const { rows } = link
  const long = new Set(rows.filter(([, , effect]) => effect === 'task').map(([, id]) => id))
  const writes = new Set(rows.filter(([, , effect]) => effect !== 'read').map(([, id]) => id))
  let hasWritten = false
  /** Asks the browser not to evict what the user now has, and tells what it said. */
  const settleFirstWrite = async () => {
    const persisted = (await navigator.storage?.persist?.().catch(() => undefined)) ?? false
    try {
      const { owner, durability, degraded } = await ask()
      if (durability !== 'memory') noteKept(request.name)
      tell({ name: 'status', detail: { owner, durability, degraded, persisted } })
    } catch {
      // The book was closed meanwhile; the note is made at the next opening.
    }
  }
  const door: BookDoor = {
    async call(id, input, call) {
      const deadline = call.deadlineMs === undefined && !long.has(id) ? { deadlineMs: callDeadlineMs } : {}
      const answer = await link.call(id, input, { ...call, ...deadline })
      if (writes.has(id)) {
        if (!hasWritten) void settleFirstWrite()
        hasWritten = true
        background?.wrote()
      }
      return answer
    },
    on(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      background?.stop()
      hide?.()
      return link.close().finally(() => model?.close())
    },
  }
  return createDaybook(
    door,
    rows.map(([method, id]) => [method, id] as const),
    globalThis,
  )
}

function openRequest(options: OpenOptions): Omit<LinkRequest, 'tab' | 'isBack' | 'wasKept'> {
  if (options.require === 'durable' && options.onUnavailable === 'memory') {
    throw new DaybookError(
      'invalid-input',
      "`require: 'durable'` and `onUnavailable: 'memory'` exclude each other.",
      {
        details: { path: 'onUnavailable' },
      },
    )
  }
  const { sync, embedder, llm, passphrase, checkpoint } = options
  return {
    name: checkBookName(options.name),
    scope: bookScope(options),
    durability: options.durability ?? 'relaxed',
    onUnavailable: options.onUnavailable ?? 'reject',
    ...(sync ? { sync: { ...sync, key: typeof sync.key === 'string' ? sync.key : '' } } : {}),
    ...(embedder ? { embedder: withoutFetcher(embedder) } : {}),
    ...(llm ? { llm: withoutFetcher(llm) } : {}),
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(checkpoint === undefined ? {} : { checkpoint }),
  }
}

type Key = string | (() => Promise<string>) | undefined

const fetcherOf = (key: Key) => (typeof key === 'function' ? key : undefined)

const keyOf = (options: EmbedderOptions | BrowserLlmOptions | undefined): Key =>
  options && 'key' in options ? options.key : undefined

/** A function can't be sent to the worker; one that fetches the key is handed over beside the options. */
function withoutFetcher<Options extends EmbedderOptions | BrowserLlmOptions>(options: Options): Options {
  if ('start' in options) return { ...options, start: undefined }
  return typeof keyOf(options) === 'function' ? { ...options, key: 'fetched' } : options
}

/** What starts the worker of a local embedding model. */
function pageEmbedderOf(embedder: EmbedderOptions | undefined): PageEmbedder | undefined {
  return embedder?.provider === 'local' && embedder.start ? createPageEmbedder(embedder.start) : undefined
}

/** What the worker asks the page for: answers of the browser's model, or the key of another. */
function pageModelOf(llm: BrowserLlmOptions | undefined): (PageModel & { close(): void }) | undefined {
  const key = fetcherOf(keyOf(llm))
  if (llm?.provider !== 'browser' && !key) return undefined
  const languages = llm?.provider === 'browser' ? llm : {}
  return { ...createPageModel(languages), key: key ?? (() => Promise.resolve('')) }
}
