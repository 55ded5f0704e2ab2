// A way of the pool over a channel on which everybody who is there hears everybody else, and which keeps nothing: the line to a
// mirror, the tabs of a browser. Who hears an envelope says so when it is committed, and until everybody who is there has
// said it the envelope is not in anybody's keeping.
// Invariant: an envelope is resolved only after somebody else has it in his book; whoever comes later is told of what still waits
// in the outbox, and of nothing before it.
import { z } from 'zod'
import type { Outgoing, PoolCarrier, PoolCarrierHooks } from '../../../core/pool/pool-carrier.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Clock, Scheduler } from '../../../core/ports.ts'

/** What is said on the channel. */
export const talk = z.union([
  /** I am here; `ask`: say so too, whoever hears it. */
  z.object({ here: z.object({ ask: z.boolean() }) }),
  z.object({ bye: z.literal(true) }),
  z.object({ n: z.number().int().min(0), envelope: z.record(z.string(), z.unknown()) }),
  z.object({ had: z.array(z.number().int().min(0)).max(1000) }),
])
export type Talk = z.output<typeof talk>

export interface TalkParts {
  readonly name: string
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Says something to one of the others, or to all; false when there is no channel just now. */
  readonly say: (talk: Talk, to?: string) => boolean
  /** How many frames may be said in a second. */
  readonly perSecond: number
  /** See `PoolCarrier`. */
  readonly isOnePersons?: boolean
  readonly close?: () => void
}

/** Who has not said by then that he has it is not there. */
export const hadWithinMs = 10_000
/** What was had within this time is said in one frame. */
const gatherMs = 30

interface Sending {
  /** Who is still to have it. */
  readonly missing: Set<string>
  wasHad: boolean
  readonly done: () => void
  readonly failed: (error: DaybookError) => void
  readonly cancel: () => void
}

export class TalkCarrier implements PoolCarrier {
  readonly name: string
  readonly isOnePersons: boolean
  readonly #parts: TalkParts
  readonly #present = new Set<string>()
  readonly #sending = new Map<number, Sending>()
  /** What is to be said to each of the others: that it is had. */
  readonly #toSay = new Map<string, number[]>()
  #hooks: PoolCarrierHooks | undefined
  #isOpen = false
  #closed = false
  #n = 0
  #saidInSecond = 0
  #second = 0

  constructor(parts: TalkParts) {
    this.#parts = parts
    this.name = parts.name
    this.isOnePersons = parts.isOnePersons === true
  }

  /** Who else is there, as far as they have said so. */
  get present(): ReadonlySet<string> {
    return this.#present
  }

  open(hooks: PoolCarrierHooks): void {
    this.#hooks = hooks
    if (this.#isOpen) this.#greet()
  }

  /** The channel is there, or there again. */
  opened(): void {
    this.#isOpen = true
    this.#greet()
  }

  /** The channel is gone, and with it everybody. */
  gone(): void {
    this.#isOpen = false
    this.#present.clear()
    for (const n of this.#sending.keys()) this.#settle(n)
  }

  /** `from` has said something, to this one or to all. */
  hear(data: unknown, from: string): void {
    const said = talk.safeParse(data).data
    if (!said || this.#closed || !this.#hooks) return
    if ('here' in said) this.#meet(from, said.here.ask)
    else if ('bye' in said) this.#lose(from)
    else if ('had' in said) for (const n of said.had) this.#had(n, from)
    else void this.#take(said.envelope, said.n, from)
  }

  async send({ text, isTakenBack }: Outgoing): Promise<void> {
    this.#check()
    await this.#pace()
    if (isTakenBack?.() === true) return
    // They may have gone meanwhile.
    this.#check()
    const envelope = JSON.parse(text) as Record<string, unknown>
    this.#n += 1
    const n = this.#n
    return new Promise((done, failed) => {
      const cancel = this.#parts.scheduler.later(hadWithinMs, () => this.#late(n))
      this.#sending.set(n, { missing: new Set(this.#present), wasHad: false, done, failed, cancel })
      if (!this.#parts.say({ n, envelope })) this.#settle(n)
    })
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    if (this.#isOpen) this.#parts.say({ bye: true })
    for (const n of this.#sending.keys()) this.#settle(n)
    this.#parts.close?.()
  }

  #check(): void {
    if (this.#closed) throw new DaybookError('book-closed')
    if (!this.#isOpen || this.#present.size === 0) throw nobody()
  }

  #greet(): void {
    if (this.#hooks && !this.#closed) this.#parts.say({ here: { ask: true } })
  }

  #meet(from: string, isAsking: boolean): void {
    if (isAsking) this.#parts.say({ here: { ask: false } }, from)
    this.#present.add(from)
    this.#hooks?.ready()
  }

  #lose(from: string): void {
    this.#present.delete(from)
    for (const [n, { missing }] of this.#sending)
      if (missing.delete(from) && missing.size === 0) this.#settle(n)
  }

  #had(n: number, from: string): void {
    const sending = this.#sending.get(n)
    if (!sending?.missing.delete(from)) return
    sending.wasHad = true
    if (sending.missing.size === 0) this.#settle(n)
  }

  /** Who is silent is not there, until he says so again. */
  #late(n: number): void {
    for (const one of this.#sending.get(n)?.missing ?? []) this.#present.delete(one)
    this.#settle(n)
    this.#greet()
  }

  #settle(n: number): void {
    const sending = this.#sending.get(n)
    if (!sending) return
    this.#sending.delete(n)
    sending.cancel()
    if (sending.wasHad) sending.done()
    else sending.failed(nobody())
  }

  async #take(envelope: Record<string, unknown>, n: number, from: string): Promise<void> {
    try {
      await this.#hooks?.received(JSON.stringify(envelope))
    } catch {
      // The book can't be written now: whoever said it says it again.
      return
    }
    const waiting = this.#toSay.get(from)
    if (waiting) return void waiting.push(n)
    this.#toSay.set(from, [n])
    this.#parts.scheduler.later(gatherMs, () => {
      const had = this.#toSay.get(from) ?? []
      this.#toSay.delete(from)
      if (!this.#closed) this.#parts.say({ had: had.slice(0, 1000) }, from)
    })
  }

  /**
   * Waits until one more may be said; the other half of what a channel takes is for what is said of
   * others' envelopes.
   */
  async #pace(): Promise<void> {
    for (;;) {
      const second = Math.floor(this.#parts.clock.now() / 1000)
      if (second !== this.#second) this.#saidInSecond = 0
      this.#second = second
      if (this.#saidInSecond < this.#parts.perSecond / 2) {
        this.#saidInSecond += 1
        return
      }
      await new Promise<void>((resolve) => this.#parts.scheduler.later(1000, resolve))
    }
  }
}

const nobody = () =>
  new DaybookError('offline', 'Nobody else is there to take the envelope; it waits in the outbox.')
