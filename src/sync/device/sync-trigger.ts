// Decides when the device syncs by itself, and when it retries.
// Invariant: at most one timer per reason; a pending retry survives a restart; offline is a state, not an error.
import { type AbortSignalLike, neverAborted } from '../../core/abort.ts'
import type { LiveState, SyncDirection, SyncResult, SyncState } from '../../core/capability/status.ts'
import { defined } from '../../core/defined.ts'
import { type DaybookError, toDaybookError } from '../../core/errors.ts'
import type { Clock, Random, Scheduler } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { Background } from './background.ts'
import { erasedError, erasedThere, forgetErased, noteErased } from './book-end.ts'
import type { SyncSession } from './session.ts'
import { isAutomatic, type SyncPlan } from './sync-plan.ts'

interface SyncTriggerOptions {
  readonly plan: SyncPlan
  readonly session: Pick<SyncSession, 'sync' | 'state'>
  /** Hands pending ops to a service worker, if there is one. */
  readonly background?: Pick<Background, 'acted' | 'failed' | 'done' | 'state' | 'close'> | undefined
  readonly store: Pick<BookStore, 'settings'> & { readonly writes: Pick<BookStore['writes'], 'write'> }
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
  /** The state of the line to the mirror, for `state()`. */
  readonly live?: () => LiveState | undefined
}

type Reason = 'wake' | 'poke' | 'action' | 'idle' | 'period' | 'retry'

/** Writes within this time go into one sync. */
const actionDelayMs = 1000
/** The mirror notifies all devices at once; their syncs are spread over this time. */
const pokeSpreadMs = 200

const baseMs = 1000
const capMs = 300_000

interface Retry {
  readonly attempt: number
  /** Milliseconds since 1970 UTC. */
  readonly at: number
}

/** Starts the syncs of one book. */
export class SyncTrigger {
  readonly #options: SyncTriggerOptions
  readonly #timers = new Map<Reason, { readonly at: number; readonly cancel: () => void }>()
  readonly #hasTriggers: boolean
  #closed = false
  /** The error that stopped all triggers until a call succeeds. */
  #stopped: DaybookError | undefined

  constructor(options: SyncTriggerOptions) {
    this.#options = options
    const { plan, clock, store } = options
    this.#stopped = erasedError(store.settings)
    this.#hasTriggers = isAutomatic(plan)
    const retry = this.#readRetry()
    // The clock may have been set back: wait no longer than any retry may.
    if (retry && this.#hasTriggers)
      this.#schedule('retry', Math.min(capMs, Math.max(0, retry.at - clock.now())))
    if (plan.onWake && !retry && !this.#stopped) this.#schedule('wake', 0)
    this.#planPeriod()
  }

  /** Syncs for a caller. Only a sync in both directions counts for triggers and retries. */
  sync(signal: AbortSignalLike, direction: SyncDirection = 'both'): Promise<SyncResult> {
    return direction === 'both' ? this.#attempt(signal) : this.#options.session.sync(signal, direction)
  }

  /** A record of `kind` was written here. */
  acted(kind: string): void {
    const { plan, background } = this.#options
    const timers = this.#timers
    if (timers.has('retry')) background?.acted()
    const isMeant = plan.onAction === 'all' || plan.onAction.has(kind)
    // A pending retry includes it.
    if (isMeant && !this.#stopped && !timers.has('action') && !timers.has('retry'))
      this.#schedule('action', actionDelayMs)
  }

  /** The book was used. */
  touched(): void {
    const { idleMs } = this.#options.plan
    if (idleMs !== undefined) this.#schedule('idle', idleMs)
  }

  /** The network is back, or the page is visible again. */
  wake(): void {
    if (this.#options.plan.onWake) this.#schedule('wake', 0)
  }

  /** The mirror announced a change. */
  poked(): void {
    const timers = this.#timers
    // A pending retry includes it.
    if (!this.#stopped && !timers.has('poke') && !timers.has('retry'))
      this.#schedule('poke', chance(this.#options.random) * pokeSpreadMs)
  }

  state(): SyncState {
    const { session, background, live } = this.#options
    const state = session.state()
    const line = live?.()
    const stopped = this.#stopped
    const next = Math.min(...[...this.#timers.values()].map(({ at }) => at))
    const waiting = stopped ? 'stopped' : this.#timers.has('retry') ? 'waiting' : 'idle'
    return {
      ...state,
      // Also after a restart, before any request.
      ...(stopped && !state.lastError ? { lastError: { code: stopped.code, message: stopped.message } } : {}),
      phase: state.phase === 'idle' ? waiting : state.phase,
      ...defined({ live: line }),
      ...(Number.isFinite(next) ? { nextAt: formatTime(next) } : {}),
      ...(background ? { background: background.state() } : {}),
    }
  }

  close(): void {
    this.#closed = true
    this.#options.background?.close()
    for (const reason of this.#timers.keys()) this.#cancel(reason)
  }

  #schedule(reason: Reason, delayMs: number): void {
    const { clock, scheduler } = this.#options
    if (this.#closed) return
    this.#timers.get(reason)?.cancel()
    const cancel = scheduler.later(delayMs, () => {
      this.#timers.delete(reason)
      if (reason === 'period') this.#planPeriod()
      this.#attempt().catch(() => undefined)
    })
    this.#timers.set(reason, { at: clock.now() + delayMs, cancel })
  }

  #planPeriod(): void {
    const { everyMs } = this.#options.plan
    if (everyMs !== undefined) this.#schedule('period', everyMs)
  }

  #cancel(reason: Reason): void {
    this.#timers.get(reason)?.cancel()
    this.#timers.delete(reason)
  }

  async #attempt(signal: AbortSignalLike = neverAborted): Promise<SyncResult> {
    const { session, background, store } = this.#options
    const { settings } = store
    this.#cancel('action')
    try {
      const result = await session.sync(signal)
      if (!this.#closed) {
        this.#stopped = undefined
        if (erasedThere(settings) !== undefined) await this.#note(() => forgetErased(settings))
        this.#forgetRetry()
        background?.done()
      }
      return result
    } catch (error) {
      const why = toDaybookError(error)
      if (!this.#closed && why.code !== 'aborted') this.#failed(why)
      // The status reports this from now on, also to a caller that asks at once.
      if (why.code === 'book-erased') await this.#note(() => noteErased(settings, why))
      throw why
    }
  }

  #failed(why: DaybookError): void {
    const { clock, random, store, background } = this.#options
    if (!why.retry && why.code !== 'offline') {
      // A retry can't help: stop until somebody calls.
      this.#stopped = why
      this.#forgetRetry()
      return
    }
    const attempts = 1 + (this.#readRetry()?.attempt ?? 0)
    const least = Number(why.details['retryAfterMs'] ?? 0)
    const delayMs = backoffMs(attempts, chance(random), Number.isFinite(least) ? least : 0)
    const retry: Retry = { attempt: attempts, at: clock.now() + delayMs }
    void this.#note(() => store.settings.set('retry', JSON.stringify(retry)))
    if (this.#hasTriggers) this.#schedule('retry', delayMs)
    background?.failed()
  }

  #readRetry(): Retry | undefined {
    const text = this.#options.store.settings.get('retry')
    return text === undefined ? undefined : (JSON.parse(text) as Retry)
  }

  #forgetRetry(): void {
    this.#cancel('retry')
    if (this.#readRetry()) void this.#note(() => this.#options.store.settings.remove('retry'))
  }

  /** Writes a note that only a restart needs. A book that closes meanwhile may lose it. */
  #note(work: () => void): Promise<void> {
    return this.#options.store.writes.write(work).catch(() => undefined)
  }
}

/** A number in [0, 1). */
export function chance(random: Random): number {
  return random.bytes(4).reduce((sum, byte) => (sum + byte) / 256, 0)
}

/**
 * Milliseconds to wait after the `attempt`th failure in a row, counted from 1: exponential with full jitter (Brooker, "Exponential
 * Backoff And Jitter", 2015), up to 1 s · 2^attempt and 5 minutes, and at least `leastMs`. `chance` is in [0, 1).
 */
export function backoffMs(attempt: number, chance: number, leastMs = 0): number {
  const most = Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30))
  return Math.max(leastMs, Math.floor(chance * most))
}
