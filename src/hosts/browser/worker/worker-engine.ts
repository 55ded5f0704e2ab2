// Answers the messages of the page in the worker: opens the tab of a book, and answers calls with values,
// never exceptions. The import of SQLite comes first, because SQLite loads longest.
import { type BookTable, bookTable } from '../../../book/book-table.ts'
import '../storage/load-sqlite.ts'
import { expose, type ProxyMethods, releaseProxy } from 'comlink'
import type { ToolOutcome, ToolSetName, ToolText } from '../../../book/tool/tool-source.ts'
import { type CallMessage, type Reply, failedReply, firstOf } from '../../../book/share/line-message.ts'
import { product } from '../../../bundle/format/product.ts'
import { roomSizeOf, roomSizeText } from '../../../commons/room/room-size.ts'
import { DaybookError } from '../../../core/errors.ts'
import { loadLocalTools } from '../../../doors/mcp/load-local-tools.ts'
import { natureIn } from '../../../engine/verb-table.ts'
import { laterChapters } from '../later-chapters.ts'
import { isOldPassphrase, OpeningPassphrase } from '../../../book/share/opening-passphrase.ts'
import { browserEmbedder } from '../model/browser-embedder.ts'
import { createBrowserLlm } from '../model/browser-llm.ts'
import { browserPorts } from '../port/browser-ports.ts'
import { loadRepair } from '../storage/load-repair.ts'
import { watchPlaces } from '../storage/book-place.ts'
import { BookTab } from '../tab/book-tab.ts'
import { createBrowserTabs } from '../tab/tab-line.ts'
import type { OwnedBook } from '../tab/owned-book.ts'
import { type OpenRequest, type PageDoor, type ToolVerb, type WorkerDoor } from '../worker-message.ts'
import { openOwnedBook } from './open-book.ts'

/** Delay of `#loadAll`, so that the first calls of a page come before it. */
const loadAllAfterMs = 500

async function outcomeOf<Value>(work: Promise<Value>): Promise<Reply<Value>> {
  try {
    return { ok: true, value: await work }
  } catch (error) {
    return failedReply(error)
  }
}

/**
 * Throws `assets-mismatch` if page and worker have different versions, because an outdated worker fails with
 * unclear errors.
 */
function checkVersion(page: string): void {
  const worker = product.version
  if (page !== worker) throw new DaybookError('assets-mismatch', undefined, { details: { page, worker } })
}

export class WorkerEngine implements WorkerDoor {
  #tab: BookTab | undefined
  /** Has the passphrase of the page's options. */
  #passphrase = new OpeningPassphrase()
  /** The last book that this tab owned; open while the tab is the owner. */
  #owned: OwnedBook | undefined
  /**
   * The book had a change while this tab was open: if a later turn finds no book, the browser evicted the
   * book.
   */
  #wasWritten = false
  /** True: a service worker may send pending requests when no page is open. */
  #mayBackground = false
  readonly #tools = loadLocalTools(browserPorts.scheduler)
  #embedder: ReturnType<typeof browserEmbedder>
  /** Ends the watch for a deletion of this site's data. */
  #unwatch = () => undefined as void

  async open(request: OpenRequest, page: PageDoor): Promise<Reply<BookTable>> {
    try {
      return await this.#open(request, page)
    } catch (error) {
      return failedReply(error)
    }
  }

  async call(id: string, calls: readonly CallMessage[], settled: number): Promise<Reply[]> {
    if (this.#tab) {
      const replies = await this.#tab.call(id, calls, settled)
      calls.forEach(({ input }, i) => replies[i]?.ok && this.#passphrase.called(id, input))
      return replies
    }
    const reply = failedReply(new DaybookError('book-closed'))
    return calls.map(() => reply)
  }

  listTools(sets: readonly ToolSetName[]): Promise<Reply<readonly ToolText[]>> {
    return outcomeOf(this.#tools.list(sets))
  }

  async runTool(
    sets: readonly ToolSetName[],
    name: string,
    input: unknown,
    verb: ToolVerb & Partial<ProxyMethods>,
  ): Promise<Reply<ToolOutcome>> {
    const run = this.#tools.run(sets, name, input, async (id, content, step) => {
      const reply = await verb(id, content, step)
      if (reply.ok) return reply.value
      throw DaybookError.from(reply.error)
    })
    return outcomeOf(run).finally(() => verb[releaseProxy]?.())
  }

  abort(number: number): void {
    this.#tab?.abort(number)
  }

  allowBackground(isAllowed: boolean): void {
    this.#mayBackground = isAllowed
    this.#owned?.engine.background?.allow(isAllowed)
  }

  /** Hands changes that the mirror hasn't acknowledged to the service worker. True if there were such changes. */
  async spill(): Promise<boolean> {
    return (await this.#owned?.engine.background?.handOver()) ?? false
  }

  /** `isBack`: the page goes to sleep, and may repeat its calls later. */
  async close(isBack: boolean): Promise<void> {
    this.#unwatch()
    await this.spill()
    await this.#tab?.close(isBack)
  }

  async #open(request: OpenRequest, page: PageDoor): Promise<Reply<BookTable>> {
    checkVersion(request.version)
    this.#passphrase = new OpeningPassphrase(request.passphrase)
    const tab = this.#createTab(request, page)
    this.#tab = tab
    const watch = watchPlaces(() => {
      // This uncaught error makes the page end the worker: it can't close deleted files, and other tabs don't
      // see its locks.
      throw new Error(
        `The data of this site was cleared while book ${request.name} was open: load the page again`,
      )
    })
    this.#unwatch = () => watch.stop()
    await tab.ready
    // A tab that opens while the data is cleared would keep a book that nobody else sees.
    await watch.ready
    const { passphrase } = request
    // The owner's engine checks the passphrase, in this tab or another. A page that wakes doesn't undo `seal.lock`.
    if (passphrase !== undefined && !(request.isBack && tab.isLocked)) {
      // The page leaves the first number to this call.
      const call = { number: firstOf(request.tab), input: { passphrase } }
      const [reply] = await tab.call('seal:unlock', [call])
      // After a sleep the passphrase may be an old one: then the book stays locked.
      if (reply?.ok === false && !(request.isBack && isOldPassphrase(reply.error))) {
        await tab.close()
        return reply
      }
    }
    browserPorts.scheduler.later(loadAllAfterMs, () => void this.#loadAll())
    return { ok: true, value: bookTable(laterChapters.facts, laterChapters.kinds) }
  }

  /**
   * Loads everything that is loaded when needed: verbs, tools, the repair of a damaged book, and the table of `meaning`. A
   * follower too: it may become the owner when there is no connection.
   */
  async #loadAll(): Promise<void> {
    // Some browsers repeat the failure of a module that could not be fetched once.
    if (!navigator.onLine) return
    await laterChapters.loadAll()
    // The first use of the tools loads their module.
    await this.#tools.list([]).catch(() => undefined)
    await loadRepair().catch(() => undefined)
    await this.#embedder?.loadAhead()
  }

  #createTab(request: OpenRequest, page: PageDoor): BookTab {
    const { name, tab, isBack, scope, durability, onUnavailable, sync, offers } = request
    const getKey = offers.includes('syncKey') ? () => page.syncKey() : undefined
    const embedder = browserEmbedder(request.embedder, {
      getKey: offers.includes('embedderKey') ? () => page.embedderKey() : undefined,
      page: offers.includes('modelWorker') ? page.modelWorker : undefined,
    })
    this.#embedder = embedder
    const llm = createBrowserLlm(request.llm, offers.includes('model') ? page.model : undefined)
    return new BookTab({
      book: name,
      tab,
      isBack,
      scope,
      strict: durability === 'strict',
      embedder: request.embedder && (embedder?.name ?? 'none'),
      mirror: sync?.url,
      llm: llm?.name,
      room: request.room && roomSizeText(roomSizeOf(request.room)),
      acceptMemory: onUnavailable === 'memory',
      port: createBrowserTabs(() => page.joinHub()),
      clock: browserPorts.clock,
      natureOf: (id) => natureIn(laterChapters.factsOf(id)),
      open: async (turn) => {
        const existedBefore = request.existedBefore || this.#wasWritten
        const openRequest = { ...request, existedBefore, passphrase: this.#passphrase.value }
        this.#owned = await openOwnedBook(openRequest, { getKey, embedder, llm }, turn)
        this.#owned.engine.background?.allow(this.#mayBackground)
        return this.#owned
      },
      tell: (event) => {
        this.#wasWritten ||= event.name === 'change'
        page.hear(event)
      },
    })
  }
}

/** Answers the messages that this worker gets. */
export const servePage = (): void => expose(new WorkerEngine())
