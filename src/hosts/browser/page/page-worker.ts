// The worker of a page, and the next one after each sleep. When the browser freezes the page or keeps it for the way back,
// the worker ends, so that other tabs can have the book; when the page comes back, a new worker opens it. In WebKit that is
// so for every hidden page that holds the book, as soon as it has nothing to do: the system suspends hidden pages, and ends
// those that hold locked files. A page that is called while it is hidden wakes for that.
import { type AbortSignalLike, orAborted } from '../../../core/abort.ts'
import type { Status } from '../../../core/capability/status.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { MethodRow } from '../wire/message.ts'
import type { WorkerLink } from './worker-link.ts'

export interface StartedWorker {
  readonly link: WorkerLink
  readonly rows: readonly MethodRow[]
  /** The page passes on nothing more of what this worker says: that it ends is not the end of the book. */
  mute(): void
}

export interface StartingWorker {
  readonly link: WorkerLink
  /** Rejects when the book can't be opened in it; the worker has ended by then. */
  readonly opened: Promise<StartedWorker>
}

export interface PageWorkerParts {
  /** Begins a worker and opens the book in it. */
  start(): StartingWorker
  /** The book is gone though nobody closed it. */
  ended(reason: DaybookError): void
  /** Asks the worker for the status of the book. */
  ask(link: WorkerLink): Promise<Status>
}

/** A hidden page is done when nothing was called for this long. */
const quietMs = 500
/** By name, for what it does with hidden pages can't be asked. The browsers of iOS and WebKitGTK have this one too. */
const isWebkit = () => navigator.vendor === 'Apple Computer, Inc.'
/** A hidden page that its system would suspend. */
const isAway = () => isWebkit() && document.visibilityState === 'hidden'

/** Why a call that a sleep cut has no outcome. */
export const asleep = new DaybookError('owner-changed', 'The page was put to sleep while this ran.')

export class PageWorker {
  readonly #parts: PageWorkerParts
  readonly #listening = new AbortController()
  #current: StartedWorker | undefined
  #last: WorkerLink | undefined
  #starting: WorkerLink | undefined
  #waking = createWaking()
  #quiet: ReturnType<typeof setTimeout> | undefined
  #isClosed = false
  /** As far as this page has heard. */
  #isFollower = false

  /** Begins the first worker; a page that sleeps while it opens its book opens it when it wakes. */
  constructor(parts: PageWorkerParts) {
    this.#parts = parts
    this.#listen()
    this.#wake()
  }

  /** Resolves when the book was opened for the first time. */
  async opened(): Promise<readonly MethodRow[]> {
    try {
      return (await this.#waking.promise).rows
    } catch (error) {
      this.#leave()
      throw error
    }
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Whether what runs now may be cut: the page may be put to sleep, or the tab that runs it may end. */
  get mayStop(): boolean {
    return this.#isFollower || document.visibilityState === 'hidden'
  }

  isCurrent(link: WorkerLink): boolean {
    return link === this.#current?.link
  }

  /** The worker that a call is made in, once the page is awake. */
  async awake(signal: AbortSignalLike): Promise<WorkerLink> {
    if (!this.#current && isAway()) this.#wake()
    return (this.#current ?? (await orAborted(this.#waking.promise, signal))).link
  }

  /** Whether another tab is the owner: this one should not stay that while it is hidden. */
  follows(isFollower: boolean): void {
    this.#isFollower = isFollower
  }

  /** A hidden page goes to sleep once it is quiet. What only follows holds no files. */
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
      void link.gone.then((error) => {
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
    this.#last?.cut(asleep)
    const { resolve, reject } = this.#waking
    this.#begin().then(resolve, (error: DaybookError) => {
      if (error === asleep) return
      reject(error)
      if (this.#last) this.#parts.ended(error)
    })
  }

  #sleep(isHurried = true): void {
    // Nobody has anything of it yet, and it would keep the lock that it waits for.
    this.#starting?.cut(asleep)
    this.#starting = undefined
    if (this.#isClosed || !this.#current) return
    const { link, mute } = this.#current
    this.#current = undefined
    this.#isFollower = false
    this.#waking = createWaking()
    mute()
    // What was sent may still be committed and answered before the worker goes.
    if (link.isBusy() || !isHurried) void link.close(asleep)
    else link.cut(asleep)
  }

  #freeze(): void {
    this.#sleep()
    this.#last?.cut(asleep)
  }

  async #sleepIfOwner(): Promise<void> {
    const link = this.#current?.link
    if (!link || link.isBusy()) return
    const { owner, durability } = await this.#parts.ask(link)
    // What is only in memory would be gone.
    if (!owner || durability === 'memory' || !this.isCurrent(link) || !isAway()) return
    if (link.isBusy()) this.rest()
    else this.#sleep(false)
  }
}

/** What calls wait for until the page is awake; that it never is, is no error of its own. */
function createWaking(): PromiseWithResolvers<StartedWorker> {
  const waking = Promise.withResolvers<StartedWorker>()
  waking.promise.catch(() => undefined)
  return waking
}
