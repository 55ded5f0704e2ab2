// The answer of one query, kept true while somebody listens. Invariants: `getSnapshot` gives the same object until something
// in it changed; one call is on its way at a time, and what changed meanwhile is asked for after it; a late answer of somebody
// who stopped listening changes nothing; what was answered last stays there while it is asked for again, and after an error,
// but not once it may not be read any more.
import type { BookEvent, BookEvents } from '../../core/capability/event.ts'
import { DaybookError, toDaybookError, endsReading } from '../../core/errors.ts'
import type { Json } from '../../core/json/path.ts'
import { sameJson } from '../../core/json/same-json.ts'
import { callListener } from './call-listener.ts'
import type { LiveClock } from './live-clock.ts'

export interface LiveSnapshot<T> {
  /** `loading` until the first answer since somebody listens; `error` when the last call failed. */
  readonly status: 'loading' | 'ready' | 'error'
  /**
   * The last answer there was, also while `loading` and after an `error`. None once it may not be read any more: after
   * `unauthorized`, `forbidden`, `consent-required` and `book-erased`.
   */
  readonly data: T | undefined
  /** Why there is no newer answer; undefined unless `status` is `error`. */
  readonly error: DaybookError | undefined
  /** When this came to be, in milliseconds since 1970; 0 before the first answer. */
  readonly updatedAt: number
}

export interface LiveParts {
  ask(): Promise<unknown>
  /** Listens to the book until the function it answers is called. */
  on(listener: (event: BookEvent) => void): () => void
  isNews(event: BookEvent): boolean
  /** The holder of a token asks: what was answered is not shown again before it was asked for again. */
  readonly isGuest: boolean
  readonly clock: LiveClock
  /** Somebody listens, or nobody does any more. */
  used(isUsed: boolean): void
}

/** At least one frame lies between two calls; longer ones rest as long as they took, so that writes get through. */
const restMs = 16

const nothing: LiveSnapshot<never> = { status: 'loading', data: undefined, error: undefined, updatedAt: 0 }

export class LiveAnswer {
  readonly #parts: LiveParts
  readonly #listeners = new Set<() => void>()
  #snapshot: LiveSnapshot<unknown> = nothing
  /** Grows when somebody begins to listen and when nobody does any more: what was asked before is known by it. */
  #turn = 0
  #state: 'idle' | 'asking' | 'resting' = 'idle'
  /** Something has changed since the last call was made. */
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
    // An entry for each call: one function may be given twice.
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
    // Nobody has listened since: what was answered then may be true no more.
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

  /** The book ended: whatever is on its way comes to nothing. */
  #end({ reason, code }: BookEvents['closed']): void {
    this.#turn += 1
    this.#cancelRest()
    const isSaid = code === 'book-erased' || code === 'unauthorized'
    this.#fail(new DaybookError(isSaid ? code : 'book-closed', reason))
  }

  #ask(): void {
    const turn = this.#turn
    const { clock, ask } = this.#parts
    const began = clock.now()
    this.#state = 'asking'
    this.#isStale = false
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
    // What did not change keeps its identity, so that nobody draws it again.
    this.#tell({ status: 'ready', data: isSame ? last : data, error: undefined })
  }

  #fail(error: DaybookError): void {
    const data = endsReading(error) ? undefined : this.#snapshot.data
    this.#tell({ status: 'error', data, error })
  }

  #tell(told: Omit<LiveSnapshot<unknown>, 'updatedAt'>): void {
    this.#snapshot = { ...told, updatedAt: this.#parts.clock.now() }
    for (const listener of Array.from(this.#listeners)) callListener(this.#parts.clock, listener)
  }
}
