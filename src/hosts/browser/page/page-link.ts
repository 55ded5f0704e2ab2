// A page's link to its book that outlives its worker. When the browser freezes the page or keeps it for the way back, the
// worker ends, so that other tabs can have the book; when the page comes back, a new worker takes a seat. In WebKit that is
// so for every hidden page that holds the book, as soon as it has nothing to do: the system suspends hidden pages, and ends
// those that hold locked files. One that is called while it is hidden wakes for that.
// Invariant: a call that a sleep cut is made again only if that cannot do it twice; else it ends with `owner-changed`. So a
// write has a name as soon as the page may be put to sleep before its outcome is here, or another tab does it anyway; what
// the owner does for a page that is seen needs none, and is spared what a name costs.
import { type AbortSignalLike, neverAborted, orAborted } from '../../../core/abort.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { BookCallOptions } from '../../../book/daybook.ts'
import type { Status } from '../../../core/capability/capability.ts'
import { requestOf } from '../wire/call-name.ts'
import type { MethodRow } from '../wire/message.ts'
import type { WorkerLink } from './worker-link.ts'

export interface StartedWorker {
  readonly link: WorkerLink
  readonly rows: readonly MethodRow[]
  /** What it says from now on is not told: that it ends is not the end of the book. */
  mute(): void
}

export interface StartingWorker {
  readonly link: WorkerLink
  /** Rejects when the book can't be opened in it; the worker has ended by then. */
  readonly opened: Promise<StartedWorker>
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
  start: (first: number) => StartingWorker,
  ended: (reason: DaybookError) => void,
): Promise<PageLink> {
  let current: StartedWorker | undefined
  let last: WorkerLink | undefined
  let waking = doze()
  let starting: WorkerLink | undefined
  let closed = false
  let number = 0
  /** The calls that have no outcome yet, in the order of their numbers. */
  const flying = new Set<number>()
  const settled = () => flying.values().next().value ?? number + 1
  /** As far as this page has heard. */
  let isFollower = false

  const begin = async () => {
    const { link, opened } = start(++number)
    starting = link
    try {
      const started = await opened
      last = link
      void link.gone.then((error) => {
        if (!closed && error !== asleep) ended(error)
      })
      return (current = started)
    } finally {
      if (starting === link) starting = undefined
      rest()
    }
  }
  const sleep = (isHurried = true) => {
    // Nobody has anything of it yet, and it would keep the lock that it waits for.
    starting?.cut(asleep)
    starting = undefined
    if (closed || !current) return
    const { link, mute } = current
    current = undefined
    isFollower = false
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
    if (closed || current || starting) return
    last?.cut(asleep)
    begin().then(waking.resolve, (error: DaybookError) => {
      if (error === asleep) return
      waking.reject(error)
      if (last) ended(error)
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

  const listen = new AbortController()
  const { signal } = listen
  addEventListener('pagehide', whenHidden, { signal })
  addEventListener('pageshow', whenShown, { signal })
  document.addEventListener('freeze', freeze, { signal })
  document.addEventListener('resume', wake, { signal })
  if (isWebkit()) document.addEventListener('visibilitychange', look, { signal })
  const leave = () => {
    closed = true
    clearTimeout(quiet)
    listen.abort()
  }

  // A page that sleeps while it opens its book opens it when it wakes.
  wake()
  const { rows } = await waking.promise.catch((error: unknown) => {
    leave()
    throw error
  })
  const effects = new Map(rows.map(([, id, effect]) => [id, effect]))

  const mayStop = () => isFollower || document.visibilityState === 'hidden'

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
      if (id === 'daybook:status') isFollower = !(answer as Status).owner
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
      isFollower = !isOwners
      if (isOwners) rest()
    },
    async close() {
      leave()
      waking.reject(new DaybookError('book-closed'))
      starting?.cut(new DaybookError('book-closed'))
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
