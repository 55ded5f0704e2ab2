// Opens a book in a page: starts the worker, waits until the book is open, and returns the book's methods,
// which call the worker.
import { createDaybook, type Daybook, type BookDoor } from '../../../book/daybook.ts'
import { type AbortSignalLike, checkAborted, neverAborted, orAborted } from '../../../core/abort.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { copyJson } from '../../../core/json/copy-json.ts'
import { joinHub } from '../tab/page-hub.ts'
import { showView } from '../tab/page-view.ts'
import { tabOf } from '../../../book/share/line-message.ts'
import { type BackgroundWatch, watchBackground } from './background-sync.ts'
import { BookNote } from './book-note.ts'
import { type OpenedRequest, openRequestOf, type OpenOptions, pageOwnedOf } from './open-options.ts'
import { PageEvents } from './page-events.ts'
import { openPageLink, type PageLink } from './page-link.ts'
import type { StartingWorker } from './page-worker.ts'
import { OpeningPassphrase } from '../../../book/share/opening-passphrase.ts'
import { assetsFolder, assetsHint, checkPage, scriptAddress, startScript } from '../page-script.ts'
import { WorkerLink, type PageParts } from './worker-link.ts'
import type { BookCallOptions } from '../../../book/call-options.ts'
import type { ToolSource } from '../../../book/tool/tool-source.ts'
import type { Status } from '../../../core/capability/status.ts'

export type { OpenOptions } from './open-options.ts'

/**
 * Opens a book of this origin, or creates it. Any number of tabs may open it: one of them owns the database
 * and runs the calls of all tabs.
 *
 * Rejects with `invalid-input` for wrong options, `aborted` when `signal` aborts, `wrong-passphrase`,
 * `storage-unavailable` without durable storage (see `onUnavailable`), `owner-unresponsive` if the owner tab
 * doesn't answer, `tab-outdated` if that tab runs a newer Daybook, `book-newer` if a newer Daybook wrote the
 * book, `open-elsewhere` while another page has its files, `engine-died` if the worker can't be started,
 * `deadline-exceeded` if it doesn't open the book within 20 seconds, `assets-mismatch` if its version differs
 * from the page's, and `needs-page` without a page: in Node, and during server-side rendering.
 */
export function openDaybook(options: OpenOptions): Promise<Daybook> {
  return openWith(options, {})
}

/**
 * Like `openDaybook`; `measured` also decides whether the book keeps the access log. For measurements only:
 * no entry of the package exports it.
 */
export async function openWith(
  openOptions: OpenOptions,
  measured: Pick<OpenedRequest, 'isAudited'>,
): Promise<Daybook> {
  checkPage()
  // Each option is read once; a proxy, such as a reactive object, can't be sent to the worker.
  const options = copyJson(openOptions) as OpenOptions
  const request = { ...openRequestOf(options), ...measured }
  const assets = options.assets === undefined ? undefined : assetsFolder(options.assets)
  const signal = options.signal ?? neverAborted
  checkAborted(signal)
  const events = new PageEvents()
  const background = request.sync?.background ? watchBackground() : undefined
  if (background) events.on(({ name, detail }) => name === 'sync' && background.syncChanged(detail))
  const { pageParts, close: closeModel } = pageOwnedOf(options)
  const page = crypto.randomUUID()
  const note = new BookNote(request.name)
  const passphrase = new OpeningPassphrase(request.passphrase)
  const starting = { page, request, passphrase, assets, pageParts, signal, events, background, note }
  const start = createWorkerStart(starting)
  const link = await openPageLink(page, start, ({ message, code }) =>
    events.tell({ name: 'closed', detail: { reason: message, code } }),
  )
  events.on(({ name, detail }) => {
    // The note of another book with the same name stays.
    if (name === 'closed' && detail.code === 'book-erased' && !note.isGone) note.erase()
  })
  // The owner's line to the mirror is open only while a page is visible.
  const hide = options.sync && showView(request.name)
  const book = new PageBook({ note, passphrase, link, events, background, hide, closeModel })
  return createDaybook(book, link.table, globalThis)
}

interface WorkerStartParts {
  readonly page: string
  readonly request: OpenedRequest
  readonly passphrase: OpeningPassphrase
  /**
   * URL of the folder with the package's scripts. Undefined: a bundler placed them, or they are beside
   * `index.js`.
   */
  readonly assets: string | undefined
  readonly pageParts: PageParts
  readonly signal: AbortSignalLike
  readonly events: PageEvents
  readonly background: BackgroundWatch | undefined
  readonly note: BookNote
}

function startWorker(assets: string | undefined): Worker {
  try {
    const address = scriptAddress('worker.js', assets, import.meta.url)
    if (address !== undefined) return startScript(address, 'daybook')
    // Don't change this form: bundlers recognize only it.
    return new Worker(new URL('../worker.ts', import.meta.url), { type: 'module', name: 'daybook' })
  } catch (cause) {
    throw new DaybookError('engine-died', `The worker could not be started. ${assetsHint}`, { cause })
  }
}

/**
 * Returns a function that starts a worker, the first worker or the next after a sleep, and opens the book in
 * it. `first`: number of the worker's first call; calls of earlier workers have lower numbers.
 */
function createWorkerStart({
  page,
  request,
  passphrase,
  assets,
  pageParts,
  signal,
  events,
  background,
  note,
}: WorkerStartParts) {
  /** The page had the book open: a later start follows a sleep. */
  let isBack = false
  return (first: number): StartingWorker => {
    let isMuted = false
    const worker = startWorker(assets)
    const link = new WorkerLink(worker, () => joinHub(assets))
    const openRequest = {
      ...request,
      passphrase: passphrase.value,
      tab: tabOf(page, first),
      isBack,
      existedBefore: note.exists,
    }
    // Otherwise the worker would create the book again, for calls that the sleep cut.
    const opening = note.isGone
      ? Promise.reject(new DaybookError('book-erased'))
      : link.open(openRequest, (event) => isMuted || events.hear(event), pageParts)
    // The caller's signal cancels only the first opening, not an opening after a sleep.
    const opened = orAborted(opening, isBack ? neverAborted : signal).then(
      (table) => {
        background?.started(link)
        isBack = true
        const mute = () => {
          note.remember()
          isMuted = true
        }
        return { link, table, mute }
      },
      (error: DaybookError) => {
        // End the worker at once: it holds or awaits locks that the next opening needs.
        link.cut(error)
        throw error
      },
    )
    return { link, opened }
  }
}

const eraseId = 'daybook:erase'
/** Default deadline of reads and writes. Tasks have no default deadline: they may take long. */
const callDeadlineMs = 30_000

interface PageBookParts {
  readonly note: BookNote
  readonly passphrase: OpeningPassphrase
  readonly link: PageLink
  readonly events: PageEvents
  /** Background sync; undefined unless `sync.background` is set. */
  readonly background: BackgroundWatch | undefined
  /** Stops publishing whether this page is visible. Undefined without `sync`. */
  readonly hide: (() => void) | undefined
  /** Releases the page's language model. */
  readonly closeModel: () => void
}

class PageBook implements BookDoor {
  readonly #parts: PageBookParts
  /** Ids of the verbs that are tasks, and of those that are tasks or writes. */
  readonly #tasks: ReadonlySet<string>
  readonly #writes: ReadonlySet<string>
  #hasWritten = false
  #closing: Promise<void> | undefined

  constructor(parts: PageBookParts) {
    const { events, link } = parts
    this.#parts = parts
    const { methods } = link.table
    this.#tasks = new Set(methods.filter(([, , effect]) => effect === 'task').map(([, id]) => id))
    this.#writes = new Set(methods.filter(([, , effect]) => effect !== 'read').map(([, id]) => id))
    events.attach({ status: () => this.#status(), setOwner: link.setOwner })
  }

  async call(id: string, input: unknown, options: BookCallOptions): Promise<unknown> {
    const { link, background, passphrase } = this.#parts
    if (this.#closing) throw new DaybookError('book-closed')
    const isTimed = options.deadlineMs === undefined && !this.#tasks.has(id)
    const answer = await this.#unlessErased(
      id,
      link.call(id, input, isTimed ? { ...options, deadlineMs: callDeadlineMs } : options),
    )
    passphrase.called(id, input)
    if (this.#writes.has(id) && id !== eraseId) {
      if (!this.#hasWritten) void this.#settleFirstWrite()
      this.#hasWritten = true
      background?.wrote()
    }
    return answer
  }

  /**
   * Deletes the note before the book is erased, and restores the note if the erasure fails.
   */
  async #unlessErased(id: string, answer: Promise<unknown>): Promise<unknown> {
    const { note } = this.#parts
    if (id !== eraseId || !note.exists) return answer
    const restore = note.erase()
    try {
      return await answer
    } catch (error) {
      if (!isDaybookError(error, 'book-erased')) restore()
      throw error
    }
  }

  get tools(): ToolSource {
    return this.#parts.link.tools
  }

  on(listener: Parameters<BookDoor['on']>[0]): () => void {
    return this.#parts.events.on(listener)
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    const { link, background, hide, closeModel } = this.#parts
    background?.stop()
    hide?.()
    await link.close().finally(closeModel)
  }

  async #status(): Promise<Status> {
    return (await this.#parts.link.call('daybook:status', {}, {})) as Status
  }

  /** Asks the browser not to evict the book, notes the book, and reports both in a `status` event. */
  async #settleFirstWrite(): Promise<void> {
    const persisted = (await navigator.storage?.persist?.().catch(() => undefined)) ?? false
    try {
      const status = await this.#status()
      if (status.durability !== 'memory') this.#parts.note.write()
      this.#parts.events.tellStatus(status, persisted)
    } catch {
      // The book was closed before the answer: the first write after the next opening notes the book.
    }
  }
}
