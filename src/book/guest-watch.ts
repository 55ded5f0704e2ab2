// Watches everything that may change the answer of a live query under a token: the book, the rules for reading, the end of the
// token, the hours and ends of policies. Invariant: when the token ends, its holder gets that event, and none after it.
import { credentialKinds, ruledKinds, ruleKinds } from '../core/access/rule-kind.ts'
import type { BookEvent } from '../core/capability/event.ts'
import type { BookDoor } from './book-door.ts'
import type { BookListener } from './guest-events.ts'
import type { LiveClock } from './live/live-clock.ts'
import { type Lineage, lineageOf } from './tool/door-right.ts'

interface Policies {
  readonly policies: readonly {
    readonly expires_at?: string | undefined
    readonly conditions?: { readonly timeOfDay?: unknown; readonly rateLimit?: unknown } | undefined
  }[]
}

interface Reached {
  /** When a rate limit that is used up lets the holder ask again. */
  readonly opens_at?: string | undefined
}

/** The next change that time alone brings. */
interface Next {
  readonly ms: number
  readonly event: BookEvent
}

/** Hours of policies begin and end at whole minutes. */
const minuteMs = 60_000
/** Most that a timer waits for. */
const longestMs = 2_147_483_647

/** Something may be other than it was: nobody can say what. */
const anything: BookEvent = { name: 'change', detail: { ids: [], kinds: [...ruleKinds], more: 0 } }
/** The holder may ask again for what policies decide about, and finds what was refused. */
const opened: BookEvent = { name: 'change', detail: { ids: [], kinds: ruledKinds, more: 0 } }
/** Calls that come together are one reason to look. */
const gatherMs = 20

export class GuestWatch {
  readonly #door: Pick<BookDoor, 'call' | 'on'>
  readonly #token: string
  readonly #clock: LiveClock
  readonly #listeners = new Set<BookListener>()
  #off: () => void = () => undefined
  #cancel: () => void = () => undefined
  /** Grows with each look and each end: what an earlier one has found is not used. */
  #turn = 0
  /** Some policy limits how often is asked. */
  #isLimited = false
  #isLookDue = false

  /** `door`: the owner's, of the book that the token is of. */
  constructor(door: Pick<BookDoor, 'call' | 'on'>, token: string, clock: LiveClock) {
    this.#door = door
    this.#token = token
    this.#clock = clock
  }

  /** Tells `listener` of every event of the book, and of what time changes, until the function it answers is called. */
  on(listener: BookListener): () => void {
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

  /** The holder has called. That may have used up a rate limit, which time alone opens again. */
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
    // Without ids another tab has taken over, and anything may have changed.
    const isAny = event.name === 'change' && event.detail.ids.length === 0
    if (isAny || kinds.some((kind) => ruleKinds.has(kind) || credentialKinds.has(kind))) void this.#look()
    this.#tell(event)
  }

  /** Looks whether the token still holds, and when time will next change something. */
  async #look(): Promise<void> {
    const turn = (this.#turn += 1)
    // Before anything is read: a token that ends while it is read ends after this, and is looked at again.
    const nowMs = this.#clock.now()
    try {
      const [lineage, { policies }] = await Promise.all([
        lineageOf(this.#door, this.#token),
        this.#door.call('consent:list_policies', {}, {}) as Promise<Policies>,
      ])
      this.#isLimited = policies.some(({ conditions }) => conditions?.rateLimit !== undefined)
      const opensMs = this.#isLimited ? await this.#opensMs() : Infinity
      if (turn !== this.#turn) return
      if (!holds(lineage)) return this.#end(lineage)
      const ms = nextOf(lineage, policies, nowMs)
      this.#await(opensMs < ms ? { ms: opensMs, event: opened } : { ms, event: anything })
    } catch {
      // The book is closed or locked: what it tells next is a reason to look again.
    }
  }

  /** `Infinity` where no rate limit is used up, or the token may not even ask. */
  async #opensMs(): Promise<number> {
    const asked = this.#door.call('access:reach', { ids: [] }, { as: this.#token }) as Promise<Reached>
    const { opens_at: at } = await asked.catch((): Reached => ({}))
    return at === undefined ? Infinity : Date.parse(at)
  }

  #await({ ms, event }: Next): void {
    this.#cancel()
    this.#cancel = () => undefined
    if (ms === Infinity) return
    const delayMs = Math.min(Math.max(ms - this.#clock.now(), 1), longestMs)
    this.#cancel = this.#clock.later(delayMs, () => {
      this.#tell(event)
      void this.#look()
    })
  }

  #end({ tokens: [token] }: Lineage): void {
    const reason = `The token does not hold any more (${token?.state ?? 'not found'}): its owner can grant another one.`
    const listeners = Array.from(this.#listeners)
    this.#listeners.clear()
    this.#stop()
    for (const listener of listeners) listener({ name: 'closed', detail: { reason, code: 'unauthorized' } })
  }
}

/** False once the token has ended for good; one whose time has not come may wait for it. */
const holds = ({ tokens: [token] }: Lineage) => token?.state === 'active' || token?.state === 'pending'

/** When time alone next changes what the holder of the token may read; `Infinity` for never. */
function nextOf({ tokens }: Lineage, policies: Policies['policies'], nowMs: number): number {
  const times = [
    ...tokens.map(({ not_before: start }) => start),
    ...[...tokens, ...policies].map(({ expires_at: end }) => end),
  ].flatMap((at) => (at === undefined ? [] : [Date.parse(at)]))
  const hasHours = policies.some(({ conditions }) => conditions?.timeOfDay !== undefined)
  const minute = hasHours ? [nowMs - (nowMs % minuteMs) + minuteMs] : []
  return Math.min(Infinity, ...minute, ...times.filter((at) => at >= nowMs))
}
