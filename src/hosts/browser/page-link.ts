// A page's link to its book that outlives its worker. When the browser freezes the page or keeps it for the way back, the
// worker ends, so that other tabs can have the book; when the page comes back, a new worker takes a seat. In WebKit that is
// so for every hidden page that holds the book, as soon as it has nothing to do: the system suspends hidden pages, and ends
// those that hold locked files. One that is called while it is hidden wakes for that.
// Invariant: a call that a sleep cut is made again only if that cannot do it twice; else it ends with `owner-changed`. So a
// write has a name as soon as the page may be put to sleep before its outcome is here, or another tab does it anyway; what
// the owner does for a page that is seen needs none, and is spared what a name costs.
import { type AbortSignalLike, neverAborted, orAborted } from '../../core/abort.ts'
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import type { BookCallOptions } from '../../daybook.ts'
import type { Status } from '../../core/capability.ts'
import { requestOf } from './call-name.ts'
import type { MethodRow } from './message.ts'
import type { WorkerLink } from './worker-link.ts'

export interface StartedWorker {
  readonly link: WorkerLink
  readonly rows: readonly MethodRow[]
  /** What it says from now on is not told: that it ends is not the end of the book. */
  mute(): void
}

export interface PageLink {
  readonly rows: readonly MethodRow[]
  call(id: string, input: unknown, options: BookCallOptions): Promise<unknown>
  /** Whether this tab is the owner: one should not stay that while it is hidden. */
  heard(isOwner: boolean): void
  close(): Promise<void>
}

/** A hidden page is done when nothing was called for this long. */
const quietMs = 500
/** By name, for what it does with hidden pages can't be asked. The browsers of iOS and WebKitGTK have this one too. */
const isWebkit = () => navigator.vendor === 'Apple Computer, Inc.'

const asleep = new DaybookError('owner-changed', 'The page was put to sleep while this ran.')

/**
 * `start` begins a worker and opens the book in it, for calls with numbers above `first`; `ended` is told when the book is
 * gone though nobody closed it. `page` is what calls are named by.
 */
export async function openPageLink(
  page: string,
  start: (first: number) => Promise<StartedWorker>,
  ended: (reason: DaybookError) => void,
): Promise<PageLink> {
  let current: StartedWorker | undefined
  let last: WorkerLink | undefined
  let waking = doze()
  let isStarting = false
  let closed = false
  let number = 0
  /** The calls that have no outcome yet, in the order of their numbers. */
  const flying = new Set<number>()
  const settled = () => flying.values().next().value ?? number + 1
  /** As far as this page has heard. */
  let isOwner = false

  const begin = async () => {
    isStarting = true
    try {
      const started = await start(++number)
      last = started.link
      void last.gone.then((error) => {
        if (!closed && error !== asleep) ended(error)
      })
      return (current = started)
    } finally {
      isStarting = false
      rest()
    }
  }
  const sleep = (isHurried = true) => {
    if (closed || !current) return
    const { link, mute } = current
    current = undefined
    isOwner = false
    waking = doze()
    mute()
    // What was sent may still be committed and answered before the worker goes.
    if (link.isBusy() || !isHurried) void link.close(asleep)
    else link.cut(asleep)
  }
  const freeze = () => {
    sleep()
    last?.cut(asleep)
  }
  const wake = () => {
    if (closed || current || isStarting) return
    last?.cut(asleep)
    begin().then(waking.resolve, (error: DaybookError) => {
      waking.reject(error)
      ended(error)
    })
  }
  let quiet: ReturnType<typeof setTimeout> | undefined
  const isAway = () => isWebkit() && document.visibilityState === 'hidden'
  /** Once it is quiet. What only follows holds no files. */
  const rest = () => {
    clearTimeout(quiet)
    if (closed || !current || !isAway()) return
    quiet = setTimeout(() => {
      const link = current?.link
      if (!link || link.isBusy()) return
      void link.call('daybook:status', {}, { number: ++number, settled: settled() }).then(
        (status) => {
          const { owner, durability } = status as Status
          // What is only in memory would be gone.
          if (!owner || durability === 'memory' || link !== current?.link || !isAway()) return
          if (link.isBusy()) rest()
          else sleep(false)
        },
        () => undefined,
      )
    }, quietMs)
  }
  const look = () => (isAway() ? rest() : wake())
  const whenHidden = ({ persisted }: PageTransitionEvent) => persisted && sleep()
  const whenShown = ({ persisted }: PageTransitionEvent) => persisted && wake()

  const { rows } = await begin()
  const effects = new Map(rows.map(([, id, effect]) => [id, effect]))
  addEventListener('pagehide', whenHidden)
  addEventListener('pageshow', whenShown)
  document.addEventListener('freeze', freeze)
  document.addEventListener('resume', wake)
  if (isWebkit()) document.addEventListener('visibilitychange', look)

  const mayStop = () => !isOwner || document.visibilityState === 'hidden'

  /** The worker that a call is made in; one that may have been made before is never said to be undone. */
  const awake = async (signal: AbortSignalLike, mayBeDone: boolean) => {
    if (!current && isAway()) wake()
    try {
      return (current ?? (await orAborted(waking.promise, signal))).link
    } catch (error) {
      throw mayBeDone && !isDaybookError(error, 'aborted') ? asleep : error
    }
  }
  /** A call until its outcome is here, made again after a sleep. Time that passes in one is no time that it took. */
  const settle = async (
    id: string,
    input: unknown,
    own: number,
    given: BookCallOptions,
    mayBeDone = false,
  ): Promise<unknown> => {
    const link = await awake(given.signal ?? neverAborted, mayBeDone)
    const effect = effects.get(id)
    const isNamed = given.requestId !== undefined || (effect === 'write' && mayStop())
    const options = isNamed ? { ...given, requestId: given.requestId ?? requestOf(page, own) } : given
    const beganMs = performance.now()
    try {
      return await link.call(id, input, { ...options, number: own, settled: settled() })
    } catch (error) {
      const isUndone = isDaybookError(error, 'book-closed')
      const isCut = error === asleep || isUndone || isDaybookError(error, 'owner-changed')
      if (closed || link === current?.link || !isCut) throw error
      // A write that its own tab found closed was not begun.
      const isSafe = effect === 'read' || (effect === 'write' && (isNamed || isUndone))
      if (!isSafe) throw asleep
      const { deadlineMs } = options
      const left =
        deadlineMs === undefined
          ? {}
          : { deadlineMs: Math.max(1, deadlineMs - (performance.now() - beganMs)) }
      return settle(id, input, own, { ...options, ...left }, effect === 'write')
    }
  }
  const call: PageLink['call'] = async (id, input, options) => {
    const own = ++number
    flying.add(own)
    try {
      const answer = await settle(id, input, own, options)
      if (id === 'daybook:status') isOwner = (answer as Status).owner
      return answer
    } finally {
      flying.delete(own)
      rest()
    }
  }

  return {
    rows,
    call,
    heard(isOwners) {
      isOwner = isOwners
      if (isOwners) rest()
    },
    async close() {
      closed = true
      clearTimeout(quiet)
      document.removeEventListener('visibilitychange', look)
      removeEventListener('pagehide', whenHidden)
      removeEventListener('pageshow', whenShown)
      document.removeEventListener('freeze', freeze)
      document.removeEventListener('resume', wake)
      waking.reject(new DaybookError('book-closed'))
      await last?.close()
    },
  }
}

/** What calls wait for until the page is awake; that it never is, is no error of its own. */
function doze(): PromiseWithResolvers<StartedWorker> {
  const waking = Promise.withResolvers<StartedWorker>()
  waking.promise.catch(() => undefined)
  return waking
}
