// A page's link to its book that outlives its worker. When the browser freezes the page or keeps it for the way back, the
// worker ends, so that other tabs can have the book; when the page comes back, a new worker takes a seat. In WebKit that is
// so for every hidden page that holds the book, as soon as it has nothing to do: the system suspends hidden pages, and ends
// those that hold locked files. One that is called while it is hidden wakes for that.
// Invariant: a call that a sleep cut is made again only if that cannot do it twice; else it ends with `owner-changed`.
import { DaybookError } from '../../core/errors.ts'
import type { BookCallOptions } from '../../daybook.ts'
import type { Status } from '../../core/capability.ts'
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
  /** This tab has become the owner, perhaps: it should not stay that while it is hidden. */
  rest(): void
  close(): Promise<void>
}

/** A hidden page is done when nothing was called for this long. */
const quietMs = 500
/** By name, for what it does with hidden pages can't be asked. The browsers of iOS and WebKitGTK have this one too. */
const isWebkit = () => navigator.vendor === 'Apple Computer, Inc.'

const asleep = new DaybookError('owner-changed', 'The page was put to sleep while this ran.')

/** `start` begins a worker and opens the book in it; `ended` is told when the book is gone though nobody closed it. */
export async function openPageLink(
  start: () => Promise<StartedWorker>,
  ended: (reason: DaybookError) => void,
): Promise<PageLink> {
  let current: StartedWorker | undefined
  let last: WorkerLink | undefined
  let waking = doze()
  let isStarting = false
  let closed = false

  const begin = async () => {
    isStarting = true
    try {
      const started = await start()
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
      void link.call('daybook:status', {}, {}).then(
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

  const call: PageLink['call'] = async (id, input, options) => {
    if (!current && isAway()) wake()
    const { link } = current ?? (await waking.promise)
    try {
      return await link.call(id, input, options)
    } catch (error) {
      const safe =
        effects.get(id) === 'read' || (options.requestId !== undefined && effects.get(id) === 'write')
      if (error !== asleep || !safe) throw error
      return call(id, input, options)
    } finally {
      rest()
    }
  }

  return {
    rows,
    call,
    rest,
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
