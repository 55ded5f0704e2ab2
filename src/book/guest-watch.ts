// Watches for every event that may change a token holder's answers: changes of the book and of the rules for reading,
// the end of the token, the hours and rate limits of policies.
// Invariant: the holder gets the end of its token as an event, and no event after it.
import { credentialKinds, kindsUnderPolicy, ruleKinds } from '../core/access/governed.ts'
import type { BookEvent } from '../core/capability/event.ts'
import { longestTimerMs } from '../core/time.ts'
import type { BookDoor } from './book-door.ts'
import type { BookListener } from './guest-events.ts'
import type { LiveClock } from './live/live-clock.ts'
import { type Lineage, lineageOf } from './tool/door-right.ts'

interface Policies {
  readonly policies: readonly {
    readonly expiresAt?: string | undefined
    readonly conditions?: { readonly timeOfDay?: unknown; readonly rateLimit?: unknown } | undefined
  }[]
}

interface Reached {
  /** Time at which an exhausted rate limit opens again; absent if no limit is exhausted. */
  readonly opensAt?: string | undefined
}

/** The next change caused by time alone. */
interface Next {
  readonly ms: number
  readonly event: BookEvent
}

/** Hours of policies start and end at full minutes. */
const minuteMs = 60_000

/** Event for a possible change of the rules: the holder may read more or fewer records, of any kind. */
const anything: BookEvent = { name: 'change', detail: { ids: [], kinds: [...ruleKinds], more: 0 } }
/**
 * Event for a rate limit that opened again: refused records can be read again. With `ruleKinds`,
 * `GuestEvents` would drop it, because the readable ids are the same.
 */
const opened: BookEvent = { name: 'change', detail: { ids: [], kinds: kindsUnderPolicy, more: 0 } }
/** Calls within this time share one check (`#look`). */
const gatherMs = 20

export class GuestWatch {
  readonly #door: Pick<BookDoor, 'call' | 'on'>
  readonly #token: string
  readonly #clock: LiveClock
  readonly #listeners = new Set<BookListener>()
  #off: () => void = () => undefined
  /** Cancels the timer of the next change caused by time. */
  #cancel: () => void = () => undefined
  /** Counts checks and ends: results of an earlier turn are ignored. */
  #turn = 0
  /** True if a policy has a rate limit. */
  #isLimited = false
  /** True if `called` has planned a check. */
  #isLookDue = false

  /** `door`: the owner's door of the token's book. */
  constructor(door: Pick<BookDoor, 'call' | 'on'>, token: string, clock: LiveClock) {
    this.#door = door
    this.#token = token
    this.#clock = clock
  }

  /**
   * Notifies `listener` of every event of the book, and of changes caused by time; returns a function that removes
   * the listener.
   */
  on(listener: BookListener): () => void {
    // A new function for each call: a listener may be passed twice.
    const one: BookListener = (event) => listener(event)
    this.#listeners.add(one)
    if (this.#listeners.size === 1) {
      this.#off = this.#door.on((event) => this.#take(event))
      void this.#look()
    }
    return () => {
      if (this.#listeners.delete(one) && this.#listeners.size === 0) this.#stop()
    }
  }

  /** Call it after a call of the holder: the call may have exhausted a rate limit, which only time opens again. */
  called(): void {
    if (!this.#isLimited || this.#isLookDue || this.#listeners.size === 0) return
    this.#isLookDue = true
    this.#clock.later(gatherMs, () => {
      this.#isLookDue = false
      if (this.#listeners.size > 0) void this.#look()
    })
  }

  #stop(): void {
    this.#turn += 1
    this.#off()
    this.#cancel()
  }

  #tell(event: BookEvent): void {
    for (const listener of Array.from(this.#listeners)) listener(event)
  }

  #take(event: BookEvent): void {
    const kinds = event.name === 'change' ? event.detail.kinds : []
    // Without ids, another tab now owns the book, and anything may have changed.
    const isAny = event.name === 'change' && event.detail.ids.length === 0
    if (isAny || kinds.some((kind) => ruleKinds.has(kind) || credentialKinds.has(kind))) void this.#look()
    this.#tell(event)
  }

  /** Checks whether the token is still valid, and when time next changes something. */
  async #look(): Promise<void> {
    const turn = (this.#turn += 1)
    // Read the clock first: if the token ends during this check, its end is later than `nowMs` and causes another
    // check.
    const nowMs = this.#clock.now()
    try {
      const [lineage, { policies }] = await Promise.all([
        lineageOf(this.#door, this.#token),
        this.#door.call('consent:list_policies', {}, {}) as Promise<Policies>,
      ])
      this.#isLimited = policies.some(({ conditions }) => conditions?.rateLimit !== undefined)
      const opensMs = this.#isLimited ? await this.#opensMs() : Infinity
      if (turn !== this.#turn) return
      if (!isAlive(lineage)) return this.#end(lineage)
      const ms = nextOf(lineage, policies, nowMs)
      this.#planNext(opensMs < ms ? { ms: opensMs, event: opened } : { ms, event: anything })
    } catch {
      // The book is closed or locked; its next event causes another check.
    }
  }

  /**
   * When a rate limit opens again, in ms since 1970; `Infinity` if no limit is exhausted, or if the call
   * fails. The call itself counts for no limit, and `ids: []` asks for no records.
   */
  async #opensMs(): Promise<number> {
    const answer = this.#door.call('access:reach', { ids: [] }, { as: this.#token }) as Promise<Reached>
    const { opensAt: at } = await answer.catch((): Reached => ({}))
    return at === undefined ? Infinity : Date.parse(at)
  }

  /**
   * Sends `event` at `ms`, then checks again. A time beyond `longestTimerMs` is cut to it: an early event
   * only repeats reads.
   */
  #planNext({ ms, event }: Next): void {
    this.#cancel()
    this.#cancel = () => undefined
    if (ms === Infinity) return
    const delayMs = Math.min(Math.max(ms - this.#clock.now(), 1), longestTimerMs)
    this.#cancel = this.#clock.later(delayMs, () => {
      this.#tell(event)
      void this.#look()
    })
  }

  /** Sends the end of the token to all listeners, and removes them. */
  #end({ tokens: [token] }: Lineage): void {
    const reason = `The token is no longer valid (${token?.state ?? 'not found'}). Ask the owner of the book for another one.`
    const listeners = Array.from(this.#listeners)
    this.#listeners.clear()
    this.#stop()
    for (const listener of listeners) listener({ name: 'closed', detail: { reason, code: 'unauthorized' } })
  }
}

/**
 * False once the token has ended for good; a pending token may still become valid. The first token is the watched one;
 * its state includes the ends of its ancestors.
 */
const isAlive = ({ tokens: [token] }: Lineage) => token?.state === 'active' || token?.state === 'pending'

/** The next time, in ms since 1970, at which time alone may change what the holder may read; `Infinity` for never. */
function nextOf({ tokens }: Lineage, policies: Policies['policies'], nowMs: number): number {
  const times = [
    ...tokens.map(({ not_before: start }) => start),
    ...tokens.map(({ expires_at: end }) => end),
    ...policies.map(({ expiresAt: end }) => end),
  ].flatMap((at) => (at === undefined ? [] : [Date.parse(at)]))
  const hasHours = policies.some(({ conditions }) => conditions?.timeOfDay !== undefined)
  const minute = hasHours ? [nowMs - (nowMs % minuteMs) + minuteMs] : []
  return Math.min(Infinity, ...minute, ...times.filter((at) => at >= nowMs))
}
