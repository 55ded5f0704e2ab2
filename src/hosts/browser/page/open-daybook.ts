// Opens a book in a page: starts the worker, waits for its engine, and builds the book over the wire to it.
import { createDaybook, type Daybook } from '../../../book/daybook.ts'
import { type AbortSignalLike, checkAborted, neverAborted, orAborted } from '../../../core/abort.ts'
import { DaybookError } from '../../../core/errors.ts'
import { joinHub } from '../tab/page-hub.ts'
import { showView } from '../tab/page-view.ts'
import { tabOf } from '../../../book/share/call-name.ts'
import { type BackgroundWatch, watchBackground } from './background-sync.ts'
import { forgetKept, wasKept } from './kept-note.ts'
import { type OpenedRequest, openRequestOf, type OpenOptions, pageOwnedOf } from './open-options.ts'
import { PageBook } from './page-book.ts'
import { PageEvents } from './page-events.ts'
import { openPageLink } from './page-link.ts'
import type { StartingWorker } from './page-worker.ts'
import { assetsFolder, assetsHint, checkPage, scriptAddress, startScript } from '../script/page-script.ts'
import { createWorkerLink, type PageGiven } from './worker-link.ts'

export type { OpenOptions } from './open-options.ts'

/**
 * Opens a book of this origin, making it when there is none. Any number of tabs may have it open: one of them holds the
 * database and runs the calls of all.
 *
 * Rejects with `storage-unavailable` where nothing durable can be had, `owner-unresponsive` when the tab that holds it
 * does not answer, `tab-outdated` when that tab runs a newer Daybook, `book-newer` when a newer Daybook wrote it,
 * `open-elsewhere` while something else has its files, `engine-died` when the worker could not be started, `assets-mismatch` when it is of another
 * version than the page, `needs-page`
 * where there is no page: in Node, and while a page is made on a server.
 */
export function openDaybook(options: OpenOptions): Promise<Daybook> {
  return openWith(options, {})
}

/** The same with what only measurements want: whether a log of access is kept. In no entry of the package. */
export async function openWith(
  options: OpenOptions,
  measured: Pick<OpenedRequest, 'isAudited'>,
): Promise<Daybook> {
  checkPage()
  const request = { ...openRequestOf(options), ...measured }
  const assets = options.assets === undefined ? undefined : assetsFolder(options.assets)
  const signal = options.signal ?? neverAborted
  checkAborted(signal)
  const events = new PageEvents()
  const background = request.sync?.background ? watchBackground() : undefined
  if (background) events.on(({ name, detail }) => name === 'sync' && background.syncChanged(detail))
  const { given, close: closeModel } = pageOwnedOf(options)
  const page = crypto.randomUUID()
  const start = createWorkerStart({ page, request, assets, given, signal, events, background })
  const link = await openPageLink(page, start, ({ message, code }) =>
    events.tell({ name: 'closed', detail: { reason: message, code } }),
  )
  events.on(({ name, detail }) => {
    if (name === 'closed' && detail.code === 'book-erased') forgetKept(request.name)
  })
  const hide = options.sync && showView(request.name)
  const book = new PageBook({ name: request.name, link, events, background, hide, closeModel })
  return createDaybook(book, link.rows, globalThis)
}

interface WorkerStartParts {
  readonly page: string
  readonly request: OpenedRequest
  /** Where the scripts of the package are, if not where a bundler put them. */
  readonly assets: string | undefined
  readonly given: PageGiven
  readonly signal: AbortSignalLike
  readonly events: PageEvents
  readonly background: BackgroundWatch | undefined
}

function startWorker(assets: string | undefined): Worker {
  try {
    const address = scriptAddress('worker.js', assets, import.meta.url)
    if (address !== undefined) return startScript(address, 'daybook')
    // Word for word as bundlers look for it.
    return new Worker(new URL('../worker.ts', import.meta.url), { type: 'module', name: 'daybook' })
  } catch (cause) {
    throw new DaybookError('engine-died', `The worker could not be started. ${assetsHint}`, { cause })
  }
}

/** Starts a worker of the page, the first or one after a sleep, and opens the book in it. */
function createWorkerStart({ page, request, assets, given, signal, events, background }: WorkerStartParts) {
  let isBack = false
  return (first: number): StartingWorker => {
    let isMuted = false
    const worker = startWorker(assets)
    const link = createWorkerLink(worker, () => joinHub(assets))
    const asked = { ...request, tab: tabOf(page, first), isBack, wasKept: wasKept(request.name) }
    const opening = link.open(asked, (event) => isMuted || events.hear(event), given)
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
}
