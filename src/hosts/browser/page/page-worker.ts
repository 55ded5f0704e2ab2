// Runs the worker of a page, and starts a new worker after each sleep. When the browser freezes the page or
// puts it into the back-forward cache, the worker ends, so that another tab can own the book; when the page
// returns, a new worker opens the book. WebKit suspends hidden pages and kills a suspended page with open
// files. So in WebKit a hidden page that owns the book sleeps when it is idle, and wakes for a call.
import { type AbortSignalLike, orAborted } from '../../../core/abort.ts'
import type { Status } from '../../../core/capability/status.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { BookTable } from '../../../book/book-table.ts'
import type { WorkerLink } from './worker-link.ts'

export interface StartedWorker {
  readonly link: WorkerLink
  readonly table: BookTable
  /** Ignores later events of this worker: its end is not the end of the book. */
  mute(): void
}

export interface StartingWorker {
  readonly link: WorkerLink
  /** Rejects if the book can't be opened; then the worker has ended. */
  readonly opened: Promise<StartedWorker>
}

export interface PageWorkerParts {
  /** Starts a worker and begins to open the book in it. */
  start(): StartingWorker
  /** Called when the book is lost without `close`. */
  ended(reason: DaybookError): void
  /** Asks the worker for the status of the book. */
  ask(link: WorkerLink): Promise<Status>
}

/** A hidden owner page in WebKit sleeps after this time without calls. */
const quietMs = 500
/**
 * Tests the vendor's name, because a page can't query this behaviour. Every browser on iOS has it, and
 * WebKitGTK.
 */
let isOnWebkit: boolean | undefined
/** Each write asks, and the browser takes long to answer. */
const isWebkit = () => (isOnWebkit ??= navigator.vendor === 'Apple Computer, Inc.')
/** Whether this page is hidden in WebKit, which would suspend it. */
const isAway = () => isWebkit() && document.visibilityState === 'hidden'

/** The error of a call that a sleep cut. Compared by identity. */
export const asleep = new DaybookError('owner-changed', 'The page was put to sleep while this ran.')

export class PageWorker {
  readonly #parts: PageWorkerParts
  readonly #listening = new AbortController()
  /** The worker with the open book; undefined while the page sleeps. */
  #current: StartedWorker | undefined
  /** The worker that had the book open last: the current one, or one that still closes the book. */
  #last: WorkerLink | undefined
  /** The worker that opens the book. */
  #starting: WorkerLink | undefined
  /** Resolves with the current worker, or the next after a sleep. */
  #waking = createWaking()
  /** Timer of `rest`. */
  #quiet: ReturnType<typeof setTimeout> | undefined
  #isClosed = false
  /** Whether another tab owns the book, as far as this page knows. */
  #isFollower = false

  /**
   * Starts the first worker. If the page sleeps before the book is open, it opens the book when it wakes.
   */
  constructor(parts: PageWorkerParts) {
    this.#parts = parts
    this.#listen()
    this.#wake()
  }

  /**
   * Resolves with the names of the book's methods and kinds when it is open for the first time. Rejects if it can't be
   * opened.
   */
  async opened(): Promise<BookTable> {
    try {
      return (await this.#waking.promise).table
    } catch (error) {
      this.#leave()
      throw error
    }
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Whether running calls may be cut: the page may be put to sleep, or the owner tab may end. */
  get mayStop(): boolean {
    return this.#isFollower || document.visibilityState === 'hidden'
  }

  isCurrent(link: WorkerLink): boolean {
    return link === this.#current?.link
  }

  /**
   * Resolves with the worker for a call when the page is awake. Rejects when `signal` aborts, or the book is
   * closed.
   */
  async awake(signal: AbortSignalLike): Promise<WorkerLink> {
    // A hidden page in WebKit wakes for a call; any other sleeping page is frozen, and waits for the browser.
    if (!this.#current && isAway()) this.#wake()
    return (this.#current ?? (await orAborted(this.#waking.promise, signal))).link
  }

  /** Notes whether another tab owns the book. In WebKit a hidden page sleeps only if it is the owner. */
  follows(isFollower: boolean): void {
    this.#isFollower = isFollower
  }

  /**
   * Puts a hidden owner page to sleep after `quietMs` without calls. Followers have no open files and stay
   * awake.
   */
  rest(): void {
    clearTimeout(this.#quiet)
    if (this.#isClosed || !this.#current || !isAway()) return
    this.#quiet = setTimeout(() => void this.#sleepIfOwner().catch(() => undefined), quietMs)
  }

  async close(): Promise<void> {
    this.#leave()
    this.#waking.reject(new DaybookError('book-closed'))
    this.#starting?.cut(new DaybookError('book-closed'))
    await this.#last?.close()
  }

  #listen(): void {
    const { signal } = this.#listening
    const wake = () => this.#wake()
    // `persisted`: the page goes into the back-forward cache, or returns from it.
    addEventListener('pagehide', ({ persisted }) => persisted && this.#sleep(), { signal })
    addEventListener('pageshow', ({ persisted }) => persisted && wake(), { signal })
    document.addEventListener('freeze', () => this.#freeze(), { signal })
    document.addEventListener('resume', wake, { signal })
    if (!isWebkit()) return
    document.addEventListener('visibilitychange', () => (isAway() ? this.rest() : wake()), { signal })
  }

  #leave(): void {
    this.#isClosed = true
    clearTimeout(this.#quiet)
    this.#listening.abort()
  }

  async #begin(): Promise<StartedWorker> {
    const { link, opened } = this.#parts.start()
    this.#starting = link
    try {
      const started = await opened
      this.#last = link
      void link.closed.then((error) => {
        if (!this.#isClosed && error !== asleep) this.#parts.ended(error)
      })
      this.#current = started
      return started
    } finally {
      if (this.#starting === link) this.#starting = undefined
      this.rest()
    }
  }

  #wake(): void {
    if (this.#isClosed || this.#current || this.#starting) return
    // It may still close the book, and holds the lock meanwhile.
    this.#last?.cut(asleep)
    const { resolve, reject } = this.#waking
    this.#begin().then(resolve, (error: DaybookError) => {
      if (error === asleep) return
      reject(error)
      // An error of the first opening rejects `opened` only.
      if (this.#last) this.#parts.ended(error)
    })
  }

  /** Ends the worker until the next wake. `isUrgent`: the browser may stop the page before the worker can close. */
  #sleep(isUrgent = true): void {
    // A starting worker has no calls yet, and would keep the lock that it waits for.
    this.#starting?.cut(asleep)
    this.#starting = undefined
    if (this.#isClosed || !this.#current) return
    const { link, mute } = this.#current
    this.#current = undefined
    this.#isFollower = false
    this.#waking = createWaking()
    mute()
    // Running calls may still commit, and get their answers, before the worker ends.
    if (link.isBusy() || !isUrgent) void link.close(asleep)
    else link.cut(asleep)
  }

  /** A frozen page runs nothing, so even a worker with running calls ends at once. */
  #freeze(): void {
    this.#sleep()
    this.#last?.cut(asleep)
  }

  async #sleepIfOwner(): Promise<void> {
    const link = this.#current?.link
    if (!link || link.isBusy()) return
    const { owner, durability } = await this.#parts.ask(link)
    // Sleep would lose a book in memory.
    if (!owner || durability === 'memory' || !this.isCurrent(link) || !isAway()) return
    if (link.isBusy()) this.rest()
    else this.#sleep(false)
  }
}

/** Resolves when the page is awake. A rejection without a waiting call is not reported as unhandled. */
function createWaking(): PromiseWithResolvers<StartedWorker> {
  const waking = Promise.withResolvers<StartedWorker>()
  waking.promise.catch(() => undefined)
  return waking
}
