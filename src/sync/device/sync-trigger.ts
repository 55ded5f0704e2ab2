// Decides when the device syncs automatically, and when it retries.
// Invariant: each reason has at most one timer; a pending retry survives a restart; offline is a state, not an error.
// After a final refusal no timer runs until a caller's sync succeeds. Writes and the line bring a retry forward, but not
// often, and not before the mirror allows.
import { type AbortSignalLike, neverAborted } from '../../core/abort.ts'
import type { LiveState, SyncDirection, SyncResult, SyncState } from '../../core/capability/status.ts'
import { defined } from '../../core/defined.ts'
import { type DaybookError, type ErrorCode, toDaybookError } from '../../core/errors.ts'
import type { Clock, Random, Scheduler } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { BackgroundSync } from './background.ts'
import { erasedError, erasedAtMirror, removeErased, storeErased } from './book-end.ts'
import type { SyncSession } from './session.ts'
import { isAutomatic, type SyncPlan } from './sync-plan.ts'

interface SyncTriggerOptions {
  readonly plan: SyncPlan
  readonly session: Pick<SyncSession, 'sync' | 'state'>
  /** Hands pending ops to a service worker. Absent without one. */
  readonly background?:
    | Pick<BackgroundSync, 'recordWritten' | 'syncFailed' | 'syncSucceeded' | 'rest' | 'state' | 'close'>
    | undefined
  readonly store: Pick<BookStore, 'settings'> & { readonly writes: Pick<BookStore['writes'], 'write'> }
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
  /** State of the live connection, for `state()`. */
  readonly live?: () => LiveState | undefined
  /** Called after a final refusal. */
  readonly onRefused?: () => void
  /** Called after a caller's sync succeeded. */
  readonly onSynced?: () => void
}

/**
 * `wake`: the book opened, or the network is back. `poke`: the mirror announced a change. `action`: a write.
 * `idle`: the book was unused for a while. `period`: the interval of the plan. `retry`: the last sync failed.
 */
type Reason = 'wake' | 'poke' | 'action' | 'idle' | 'period' | 'retry'

/** Writes within this time share one sync. */
const actionDelayMs = 1000
/** The mirror announces a change to all devices at once; a random delay up to this time spreads their syncs. */
const maxPokeDelayMs = 200

/**
 * Failures without retry that may end without the owner of this device: the periodic, idle and wake triggers continue.
 */
const passingFailures = new Set<ErrorCode>(['book-closed', 'storage-full', 'internal'])

/** A reason that makes a retry come earlier. `line`: the mirror can be reached. */
type EarlyReason = 'write' | 'line'

/** The least time between two retries that the same reason made come earlier. */
const earlyRetryPauseMs = 30_000

const backoffBaseMs = 1000
const maxBackoffMs = 300_000

interface StoredRetry {
  /** Failures in a row. */
  readonly attempt: number
  /** Milliseconds since 1970 UTC. */
  readonly at: number
  /** The mirror allows no earlier request. Earlier versions stored none. */
  readonly notBefore?: number
}

/** Starts the automatic syncs of one book. */
export class SyncTrigger {
  readonly #options: SyncTriggerOptions
  readonly #timers = new Map<Reason, { readonly at: number; readonly cancel: () => void }>()
  readonly #hasTriggers: boolean
  /** By reason: when the last retry that it made come earlier runs, in ms since 1970. */
  readonly #earlyRetries = new Map<EarlyReason, number>()
  #isClosed = false
  /** The mirror allows no retry before this time. */
  #notBefore = 0
  /** The error that stopped the triggers. A successful sync restarts them. */
  #stopReason: DaybookError | undefined

  constructor(options: SyncTriggerOptions) {
    this.#options = options
    const { plan, clock, store } = options
    this.#stopReason = erasedError(store.settings)
    this.#hasTriggers = isAutomatic(plan)
    const retry = this.#readRetry()
    this.#notBefore = retry?.notBefore ?? retry?.at ?? 0
    // The clock may have been set back: wait at most the longest retry delay.
    if (retry && this.#hasTriggers)
      this.#schedule('retry', Math.min(maxBackoffMs, Math.max(0, retry.at - clock.now())))
    if (plan.onWake && !retry && !this.#stopReason) this.#schedule('wake', 0)
    this.#schedulePeriod()
  }

  /** Syncs for a caller. Only a sync in both directions affects triggers and retries. */
  sync(signal: AbortSignalLike, direction: SyncDirection = 'both'): Promise<SyncResult> {
    if (direction !== 'both') return this.#options.session.sync(signal, direction)
    return this.#runSync(signal).then((result) => {
      this.#options.onSynced?.()
      return result
    })
  }

  /** True after a final refusal: nothing is sent until a caller syncs. */
  get isRefused(): boolean {
    return this.#stopReason !== undefined && !passingFailures.has(this.#stopReason.code)
  }

  /** Syncs at once after a write that can't wait. */
  urged(): void {
    if (!this.isRefused) this.#runSync().catch(() => undefined)
  }

  /** Call it after a local write of a record of `kind`. */
  recordWritten(kind: string): void {
    const { plan, background } = this.#options
    const timers = this.#timers
    if (timers.has('retry')) background?.recordWritten()
    const triggersSync = plan.onAction === 'all' || plan.onAction.has(kind)
    if (!triggersSync || this.#stopReason || timers.has('action')) return
    // A pending retry sends this record, too.
    if (timers.has('retry')) this.#retryEarlier('write', actionDelayMs)
    else this.#schedule('action', actionDelayMs)
  }

  /** Call it after each use of the book. */
  bookUsed(): void {
    const { idleMs } = this.#options.plan
    if (idleMs !== undefined) this.#schedule('idle', idleMs)
  }

  /** Call it when the network is back or the page is visible again. */
  wake(): void {
    if (this.#options.plan.onWake) this.#schedule('wake', 0)
  }

  /** Call it when the mirror announced a change. */
  mirrorChanged(): void {
    const timers = this.#timers
    if (this.#stopReason || timers.has('poke')) return
    // A pending retry fetches this change, too.
    if (timers.has('retry')) this.#retryEarlier('line', this.#pokeDelay())
    else this.#schedule('poke', this.#pokeDelay())
  }

  /** Call it when the live connection opened: the mirror can be reached. */
  lineOpened(): void {
    this.#retryEarlier('line', this.#pokeDelay())
  }

  state(): SyncState {
    const { session, background, live } = this.#options
    const state = session.state()
    const line = live?.()
    const stopped = this.#stopReason
    const next = Math.min(...[...this.#timers.values()].map(({ at }) => at))
    const waiting = stopped ? 'stopped' : this.#timers.has('retry') ? 'waiting' : 'idle'
    return {
      ...state,
      // After a restart there is no failed request yet, so take the stored error.
      ...(stopped && !state.lastError ? { lastError: { code: stopped.code, message: stopped.message } } : {}),
      phase: state.phase === 'idle' ? waiting : state.phase,
      ...defined({ live: line }),
      ...(Number.isFinite(next) ? { nextAt: formatTime(next) } : {}),
      ...(background ? { background: background.state() } : {}),
    }
  }

  close(): void {
    this.#isClosed = true
    this.#options.background?.close()
    for (const reason of this.#timers.keys()) this.#cancel(reason)
  }

  #schedule(reason: Reason, delayMs: number): void {
    const { clock, scheduler } = this.#options
    if (this.#isClosed || this.isRefused) return
    this.#timers.get(reason)?.cancel()
    const cancel = scheduler.later(delayMs, () => {
      this.#timers.delete(reason)
      if (reason === 'period') this.#schedulePeriod()
      this.#runSync().catch(() => undefined)
    })
    this.#timers.set(reason, { at: clock.now() + delayMs, cancel })
  }

  #pokeDelay(): number {
    return randomFraction(this.#options.random) * maxPokeDelayMs
  }

  /** Makes a pending retry come in `delayMs`, or as soon after it as the mirror and the pause allow. */
  #retryEarlier(reason: EarlyReason, delayMs: number): void {
    const now = this.#options.clock.now()
    const allowed = (this.#earlyRetries.get(reason) ?? -Infinity) + earlyRetryPauseMs
    const at = Math.max(now + delayMs, this.#notBefore, allowed)
    if (at >= (this.#timers.get('retry')?.at ?? 0)) return
    this.#earlyRetries.set(reason, at)
    this.#schedule('retry', at - now)
  }

  #schedulePeriod(): void {
    const { intervalMs } = this.#options.plan
    if (intervalMs !== undefined && !this.#timers.has('period')) this.#schedule('period', intervalMs)
  }

  #cancel(reason: Reason): void {
    this.#timers.get(reason)?.cancel()
    this.#timers.delete(reason)
  }

  async #runSync(signal: AbortSignalLike = neverAborted): Promise<SyncResult> {
    const { session, background, store } = this.#options
    const { settings } = store
    this.#cancel('action')
    try {
      const result = await session.sync(signal)
      if (!this.#isClosed) {
        this.#stopReason = undefined
        this.#schedulePeriod()
        if (erasedAtMirror(settings) !== undefined) await this.#writeSetting(() => removeErased(settings))
        this.#removeRetry()
        background?.syncSucceeded()
      }
      return result
    } catch (error) {
      const why = toDaybookError(error)
      if (!this.#isClosed && why.code !== 'aborted') this.#handleFailure(why)
      // Store the erasure before the caller gets the error, so that the status is correct at once.
      if (why.code === 'book-erased') await this.#writeSetting(() => storeErased(settings, why))
      throw why
    }
  }

  #handleFailure(why: DaybookError): void {
    const { clock, random, store, background, onRefused } = this.#options
    if (!why.retry && why.code !== 'offline') {
      // A retry can't help: wait for a call.
      this.#stopReason = why
      this.#removeRetry()
      if (!this.isRefused) return
      for (const reason of this.#timers.keys()) this.#cancel(reason)
      background?.rest()
      onRefused?.()
      return
    }
    const attempts = 1 + (this.#readRetry()?.attempt ?? 0)
    const wanted = Number(why.details['retryAfterMs'] ?? 0)
    const least = Number.isFinite(wanted) ? wanted : 0
    const now = clock.now()
    const delayMs = backoffMs(attempts, randomFraction(random), least)
    this.#notBefore = now + least
    const retry: StoredRetry = { attempt: attempts, at: now + delayMs, notBefore: this.#notBefore }
    void this.#writeSetting(() => store.settings.set('retry', JSON.stringify(retry)))
    if (this.#hasTriggers) this.#schedule('retry', delayMs)
    background?.syncFailed()
  }

  #readRetry(): StoredRetry | undefined {
    const text = this.#options.store.settings.get('retry')
    return text === undefined ? undefined : (JSON.parse(text) as StoredRetry)
  }

  #removeRetry(): void {
    this.#cancel('retry')
    if (this.#readRetry()) void this.#writeSetting(() => this.#options.store.settings.remove('retry'))
  }

  /** Writes a setting that matters only after a restart. A book that closes meanwhile may lose it. */
  #writeSetting(work: () => void): Promise<void> {
    return this.#options.store.writes.write(work).catch(() => undefined)
  }
}

/** Returns a random number in [0, 1). */
export function randomFraction(random: Random): number {
  return random.bytes(4).reduce((sum, byte) => (sum + byte) / 256, 0)
}

/**
 * Returns the milliseconds to wait after the `attempt`th failure in a row, from 1: exponential backoff with full
 * jitter (Brooker, "Exponential Backoff And Jitter", 2015). Upper bound: 1 s · 2^attempt and 5 minutes; lower bound:
 * `minMs`. `fraction`: a random number in [0, 1).
 */
export function backoffMs(attempt: number, fraction: number, minMs = 0): number {
  const maxMs = Math.min(maxBackoffMs, backoffBaseMs * 2 ** Math.min(attempt, 30))
  return Math.max(minMs, Math.floor(fraction * maxMs))
}
