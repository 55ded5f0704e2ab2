// Keeps the answer of one live query current while there are listeners.
// Invariant: `getSnapshot` returns the same object until something in it changes. One call runs at a time; changes
// during it cause another call afterwards. An answer after the last listener left changes nothing. The last answer
// stays during a call and after an error, but not once the right to read it has ended.
import type { BookEvent, BookEvents } from '../../core/capability/event.ts'
import { DaybookError, toDaybookError, endsReading } from '../../core/errors.ts'
import { type Json, sameJson } from '../../core/json/path.ts'
import { type LiveClock, callListener } from './live-clock.ts'

interface Timed {
  /** Time of this snapshot, in milliseconds since 1970 UTC; 0 before the first answer. */
  readonly updatedAt: number
}

type LiveState<T> =
  /** Until the first answer for the current listeners; `data` is an earlier answer. */
  | { readonly status: 'loading'; readonly data: T | undefined; readonly error: undefined }
  | { readonly status: 'ready'; readonly data: T; readonly error: undefined }
  /**
   * The last call failed. `data` is the last answer; undefined once the caller may not read it any more: after
   * `unauthorized`, `forbidden`, `consent-required` and `book-erased`.
   */
  | { readonly status: 'error'; readonly data: T | undefined; readonly error: DaybookError }

/** The state of a live query. With the status `ready` it has data, with the status `error` an error. */
export type LiveSnapshot<T> = LiveState<T> & Timed

export interface LiveParts {
  /** Runs the query's call. */
  ask(): Promise<unknown>
  /** Listens to the book; returns a function that removes the listener. */
  on(listener: (event: BookEvent) => void): () => void
  /** True if the event may change the answer. */
  isNews(event: BookEvent): boolean
  /** True for the holder of a token: an old answer is not shown again before a new call. */
  readonly isGuest: boolean
  readonly clock: LiveClock
  /** Called with true at the first listener, and with false after the last listener. */
  used(isUsed: boolean): void
}

/**
 * Shortest pause between two calls: one frame. After a longer call, the pause is as long as the call, so that writes
 * are not blocked.
 */
const restMs = 16

const nothing: LiveSnapshot<never> = { status: 'loading', data: undefined, error: undefined, updatedAt: 0 }

export class LiveAnswer {
  readonly #parts: LiveParts
  readonly #listeners = new Set<() => void>()
  #snapshot: LiveSnapshot<unknown> = nothing
  /** Counts starts and ends of the query: results of an earlier turn are ignored. */
  #turn = 0
  /** `resting`: the pause after a call. Only `idle` may start a call. */
  #state: 'idle' | 'asking' | 'resting' = 'idle'
  /** True if something changed since the last call started. */
  #isStale = false
  #off: () => void = () => undefined
  #cancelRest: () => void = () => undefined

  constructor(parts: LiveParts) {
    this.#parts = parts
  }

  getSnapshot(): LiveSnapshot<unknown> {
    return this.#snapshot
  }

  subscribe(onChange: () => void): () => void {
    // A new entry for each call: a function may be passed twice.
    const listener = () => onChange()
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) this.#start()
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#stop()
    }
  }

  #start(): void {
    this.#turn += 1
    this.#parts.used(true)
    // There were no listeners meanwhile: the old answer may be stale.
    if (this.#snapshot.status !== 'loading')
      this.#snapshot = this.#parts.isGuest
        ? nothing
        : { ...this.#snapshot, status: 'loading', error: undefined }
    this.#off = this.#parts.on((event) => this.#hear(event))
    this.#ask()
  }

  #stop(): void {
    this.#turn += 1
    this.#off()
    this.#cancelRest()
    this.#parts.used(false)
  }

  #hear(event: BookEvent): void {
    if (event.name === 'closed') return this.#end(event.detail)
    if (!this.#parts.isNews(event)) return
    this.#isStale = true
    if (this.#state === 'idle') this.#ask()
  }

  /** The book, the handle or the right to read ended: ignores pending calls, and calls no more. */
  #end({ reason, code }: BookEvents['closed']): void {
    this.#turn += 1
    this.#cancelRest()
    const isKnownEnd = code === 'book-erased' || code === 'unauthorized'
    this.#fail(new DaybookError(isKnownEnd ? code : 'book-closed', reason))
  }

  /** Starts a call, then a rest; a change during either causes the next call. */
  #ask(): void {
    const turn = this.#turn
    const { clock, ask } = this.#parts
    const began = clock.now()
    this.#state = 'asking'
    this.#isStale = false
    // The pause starts after the answer, and ends with the next call if something changed.
    const rest = () => {
      this.#state = 'resting'
      this.#cancelRest = clock.later(Math.max(restMs, clock.now() - began), () => {
        this.#state = 'idle'
        if (this.#isStale) this.#ask()
      })
    }
    const answered = (tell: () => void) => {
      if (turn !== this.#turn) return
      rest()
      tell()
    }
    ask().then(
      (data) => answered(() => this.#take(data)),
      (error: unknown) => answered(() => this.#fail(toDaybookError(error))),
    )
  }

  #take(data: unknown): void {
    const { status, data: last } = this.#snapshot
    const isSame = sameJson(data as Json, last as Json)
    if (isSame && status === 'ready') return
    // Equal data keep their identity, so that no view renders again.
    this.#notify({ status: 'ready', data: isSame ? last : data, error: undefined })
  }

  #fail(error: DaybookError): void {
    const data = endsReading(error) ? undefined : this.#snapshot.data
    this.#notify({ status: 'error', data, error })
  }

  #notify(next: LiveState<unknown>): void {
    this.#snapshot = { ...next, updatedAt: this.#parts.clock.now() }
    for (const listener of Array.from(this.#listeners)) callListener(this.#parts.clock, listener)
  }
}
