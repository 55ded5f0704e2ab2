// When the device syncs by itself, and when it tries again after a failure.
// Invariant: one timer for each reason at most; what is due outlives a restart; being offline is a state, no error.
import type { AbortSignalLike } from '../../core/abort.ts'
import { neverAborted } from '../../core/abort.ts'
import type { LiveState, SyncDirection, SyncResult, SyncState } from '../../core/capability/status.ts'
import { type DaybookError, toDaybookError } from '../../core/errors.ts'
import type { Clock, Random, Scheduler } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { Background } from './background.ts'
import { erasedError, erasedThere, forgetErased, noteErased } from './book-end.ts'
import { backoffMs } from './backoff.ts'
import type { SyncSession } from './session.ts'
import { isAutomatic, type SyncPlan } from './sync-plan.ts'

export interface SyncTriggerOptions {
  readonly plan: SyncPlan
  readonly session: SyncSession
  /** Hands over what this engine can't send, where there is a service worker. */
  readonly background?: Background | undefined
  readonly store: Pick<BookStore, 'settings'> & { readonly writes: Pick<BookStore['writes'], 'write'> }
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
  /** The state of the line to the mirror, for `state()`. */
  readonly live?: () => LiveState | undefined
}

export interface SyncTrigger {
  /** Syncs because somebody asked for it. In one direction it is his affair alone: no trigger waits for it or tries again. */
  sync(signal: AbortSignalLike, direction?: SyncDirection): Promise<SyncResult>
  /** Something of `kind` was written here. */
  acted(kind: string): void
  /** Something was asked of the book. */
  touched(): void
  /** The network is there again, or the page is in view again. */
  wake(): void
  /** The mirror says that there is something new. */
  poked(): void
  state(): SyncState
  close(): void
}

type Reason = 'wake' | 'poke' | 'action' | 'idle' | 'period' | 'retry'

/** One sync takes along what somebody writes within this long. */
export const actionDelayMs = 1000
/** The mirror tells all devices of a change at once; their syncs are spread over this long. */
const pokeSpreadMs = 200

interface Retry {
  readonly attempt: number
  /** Milliseconds since 1970 UTC. */
  readonly at: number
}

export function createSyncTrigger(options: SyncTriggerOptions): SyncTrigger {
  const { plan, session, background, clock, random, scheduler } = options
  const { settings, writes } = options.store
  const timers = new Map<Reason, { readonly at: number; readonly cancel: () => void }>()
  let closed = false
  let stopped = erasedError(settings)

  const due = (reason: Reason, delayMs: number) => {
    if (closed) return
    timers.get(reason)?.cancel()
    const cancel = scheduler.later(delayMs, () => {
      timers.delete(reason)
      if (reason === 'period') planPeriod()
      attempt().catch(() => undefined)
    })
    timers.set(reason, { at: clock.now() + delayMs, cancel })
  }
  const cancel = (reason: Reason) => {
    timers.get(reason)?.cancel()
    timers.delete(reason)
  }
  const planPeriod = () => plan.everyMs !== undefined && due('period', plan.everyMs)
  const readRetry = () => {
    const text = settings.get('retry')
    return text === undefined ? undefined : (JSON.parse(text) as Retry)
  }

  // Only a restart needs this note: a book that closes meanwhile loses nothing by it.
  const note = (work: () => void): Promise<void> => writes.write(work).catch(() => undefined)
  const forgetRetry = () => {
    cancel('retry')
    if (readRetry()) void note(() => settings.remove('retry'))
  }

  const attempt = async (signal: AbortSignalLike = neverAborted): Promise<SyncResult> => {
    cancel('action')
    try {
      const result = await session.sync(signal)
      if (!closed) {
        stopped = undefined
        if (erasedThere(settings) !== undefined) await note(() => forgetErased(settings))
        forgetRetry()
        background?.done()
      }
      return result
    } catch (error) {
      const why = toDaybookError(error)
      if (!closed && why.code !== 'aborted') failed(why)
      // Said by the status of the book from now on, also to whoever asks at once.
      if (why.code === 'book-erased') await note(() => noteErased(settings, why))
      throw why
    }
  }

  const failed = (why: DaybookError) => {
    if (!why.retry && why.code !== 'offline') {
      // Only another answer to another question can help: nothing is tried by itself until somebody asks.
      stopped = why
      forgetRetry()
      return
    }
    const attempts = 1 + (readRetry()?.attempt ?? 0)
    const least = Number(why.details['retryAfterMs'] ?? 0)
    const delayMs = backoffMs(attempts, chance(random), Number.isFinite(least) ? least : 0)
    const retry: Retry = { attempt: attempts, at: clock.now() + delayMs }
    void note(() => settings.set('retry', JSON.stringify(retry)))
    if (hasTriggers) due('retry', delayMs)
    background?.failed()
  }

  const hasTriggers = isAutomatic(plan)
  const left = readRetry()
  // The clock may have been set back meanwhile: no wait is longer than the plan of a wait can be.
  if (left && hasTriggers) due('retry', Math.min(300_000, Math.max(0, left.at - clock.now())))
  if (plan.onWake && !left && !stopped) due('wake', 0)
  planPeriod()

  return {
    sync: (signal, direction = 'both') =>
      direction === 'both' ? attempt(signal) : session.sync(signal, direction),
    acted(kind) {
      if (timers.has('retry')) background?.acted()
      const isMeant = plan.onAction === 'all' || plan.onAction.has(kind)
      // While waiting after a failure everything waits with it.
      if (isMeant && !stopped && !timers.has('action') && !timers.has('retry')) due('action', actionDelayMs)
    },
    touched() {
      if (plan.idleMs !== undefined) due('idle', plan.idleMs)
    },
    wake() {
      if (plan.onWake) due('wake', 0)
    },
    poked() {
      // While waiting after a failure everything waits with it.
      if (!stopped && !timers.has('poke') && !timers.has('retry')) due('poke', chance(random) * pokeSpreadMs)
    },
    state() {
      const state = session.state()
      const line = options.live?.()
      const next = Math.min(...[...timers.values()].map(({ at }) => at))
      const waiting = stopped ? 'stopped' : timers.has('retry') ? 'waiting' : 'idle'
      return {
        ...state,
        // Also after an opening in which nothing was asked of the mirror yet.
        ...(stopped && !state.lastError
          ? { lastError: { code: stopped.code, message: stopped.message } }
          : {}),
        phase: state.phase === 'idle' ? waiting : state.phase,
        ...(line === undefined ? {} : { live: line }),
        ...(Number.isFinite(next) ? { nextAt: formatTime(next) } : {}),
        ...(background ? { background: background.state() } : {}),
      }
    },
    close() {
      closed = true
      background?.close()
      for (const reason of timers.keys()) cancel(reason)
    },
  }
}

/** A number in [0, 1). */
export function chance(random: Random): number {
  return random.bytes(4).reduce((sum, byte) => (sum + byte) / 256, 0)
}
