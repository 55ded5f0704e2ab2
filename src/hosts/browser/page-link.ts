// A page's link to its book that outlives its worker. When the browser freezes the page or keeps it for the way back, the
// worker ends, so that other tabs can have the book; when the page comes back, a new worker takes a seat.
// Invariant: a call that a sleep cut is made again only if that cannot do it twice; else it ends with `owner-changed`.
import { DaybookError } from '../../core/errors.ts'
import type { BookCallOptions } from '../../daybook.ts'
import type { MethodRow } from './message.ts'
import type { WorkerLink } from './worker-link.ts'

export interface StartedWorker {
  readonly link: WorkerLink
  readonly rows: readonly MethodRow[]
}

export interface PageLink {
  readonly rows: readonly MethodRow[]
  call(id: string, input: unknown, options: BookCallOptions): Promise<unknown>
  close(): Promise<void>
}

const asleep = new DaybookError('owner-changed', 'The page was put to sleep while this ran.')

/** `start` begins a worker and opens the book in it; `ended` is told when the book is gone though nobody closed it. */
export async function openPageLink(
  start: () => Promise<StartedWorker>,
  ended: (reason: DaybookError) => void,
): Promise<PageLink> {
  let current: StartedWorker | undefined
  let last: WorkerLink | undefined
  let waking = doze()
  let closed = false

  const begin = async () => {
    const started = await start()
    last = started.link
    void last.gone.then((error) => {
      if (!closed && error !== asleep) ended(error)
    })
    return (current = started)
  }
  const sleep = () => {
    if (closed || !current) return
    const { link } = current
    current = undefined
    waking = doze()
    // What was sent may still be committed and answered before the worker goes.
    if (link.isBusy()) void link.close(asleep)
    else link.cut(asleep)
  }
  const freeze = () => {
    sleep()
    last?.cut(asleep)
  }
  const wake = () => {
    if (closed || current) return
    last?.cut(asleep)
    begin().then(waking.resolve, (error: DaybookError) => {
      waking.reject(error)
      ended(error)
    })
  }
  const whenHidden = ({ persisted }: PageTransitionEvent) => persisted && sleep()
  const whenShown = ({ persisted }: PageTransitionEvent) => persisted && wake()

  const { rows } = await begin()
  const effects = new Map(rows.map(([, id, effect]) => [id, effect]))
  addEventListener('pagehide', whenHidden)
  addEventListener('pageshow', whenShown)
  document.addEventListener('freeze', freeze)
  document.addEventListener('resume', wake)

  const call: PageLink['call'] = async (id, input, options) => {
    const { link } = current ?? (await waking.promise)
    try {
      return await link.call(id, input, options)
    } catch (error) {
      const safe =
        effects.get(id) === 'read' || (options.requestId !== undefined && effects.get(id) === 'write')
      if (error !== asleep || !safe) throw error
      return call(id, input, options)
    }
  }

  return {
    rows,
    call,
    async close() {
      closed = true
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
