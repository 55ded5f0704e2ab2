// A pool carrier over a broadcast channel without storage: the line to a mirror, or the tabs of a browser. A
// receiver acknowledges an envelope after its commit. `send` resolves when every present receiver has acknowledged
// or is gone.
// Invariant: `send` resolves only after another book has stored the envelope; a new receiver gets the envelopes of
// the outbox, and no older ones.
import { z } from 'zod'
import type { Outgoing, PoolCarrier, PoolCarrierHooks } from '../../../core/pool.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Clock, Scheduler } from '../../../core/ports.ts'

/** Frames on the channel. */
export const carrierFrame = z.union([
  /** The sender is here; `ask`: receivers answer with `here`. */
  z.object({ here: z.object({ ask: z.boolean() }) }),
  z.object({ bye: z.literal(true) }),
  /** An envelope, with the number that acknowledges it. */
  z.object({ n: z.number().int().min(0), envelope: z.record(z.string(), z.unknown()) }),
  /** Acknowledges the envelopes with these numbers. */
  z.object({ had: z.array(z.number().int().min(0)).max(1000) }),
])
export type CarrierFrame = z.output<typeof carrierFrame>

export interface TalkParts {
  readonly name: string
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Sends a frame to one receiver, or to all; false without a channel. */
  readonly say: (frame: CarrierFrame, to?: string) => boolean
  /** Most frames per second. */
  readonly perSecond: number
  /** See `PoolCarrier`. Default false. */
  readonly isOnePersons?: boolean
  readonly close?: () => void
}

/** A receiver that has not acknowledged by then counts as gone. */
export const ackTimeoutMs = 10_000
/** Acknowledgements within this time share one frame. */
const ackBatchMs = 30

interface Sending {
  /** Receivers that have not acknowledged yet. */
  readonly pending: Set<string>
  isAcknowledged: boolean
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
  /** By receiver: the numbers to acknowledge. */
  readonly #acks = new Map<string, number[]>()
  #hooks: PoolCarrierHooks | undefined
  #isOpen = false
  #closed = false
  #n = 0
  #sentInSecond = 0
  #second = 0

  constructor(parts: TalkParts) {
    this.#parts = parts
    this.name = parts.name
    this.isOnePersons = parts.isOnePersons === true
  }

  /** The receivers on the channel that have sent `here`. */
  get present(): ReadonlySet<string> {
    return this.#present
  }

  open(hooks: PoolCarrierHooks): void {
    this.#hooks = hooks
    if (this.#isOpen) this.#greet()
  }

  /** Call it when the channel is open. */
  opened(): void {
    this.#isOpen = true
    this.#greet()
  }

  /** Call it when the channel is closed. All receivers count as gone. */
  gone(): void {
    this.#isOpen = false
    this.#present.clear()
    for (const n of this.#sending.keys()) this.#settle(n)
  }

  /** Takes a frame that `from` sent. */
  hear(data: unknown, from: string): void {
    const frame = carrierFrame.safeParse(data).data
    if (!frame || this.#closed || !this.#hooks) return
    if ('here' in frame) this.#meet(from, frame.here.ask)
    else if ('bye' in frame) this.#lose(from)
    else if ('had' in frame) for (const n of frame.had) this.#acknowledge(n, from)
    else void this.#take(frame.envelope, frame.n, from)
  }

  async send({ text, isTakenBack }: Outgoing): Promise<void> {
    this.#check()
    await this.#pace()
    if (isTakenBack?.() === true) return
    // All receivers may have left during the wait.
    this.#check()
    const envelope = JSON.parse(text) as Record<string, unknown>
    this.#n += 1
    const n = this.#n
    return new Promise((done, failed) => {
      const cancel = this.#parts.scheduler.later(ackTimeoutMs, () => this.#timeOut(n))
      this.#sending.set(n, { pending: new Set(this.#present), isAcknowledged: false, done, failed, cancel })
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
    if (!this.#isOpen || this.#present.size === 0) throw noReceiver()
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
    for (const [n, { pending }] of this.#sending)
      if (pending.delete(from) && pending.size === 0) this.#settle(n)
  }

  #acknowledge(n: number, from: string): void {
    const sending = this.#sending.get(n)
    if (!sending?.pending.delete(from)) return
    sending.isAcknowledged = true
    if (sending.pending.size === 0) this.#settle(n)
  }

  /** Silent receivers count as gone until they send `here` again. */
  #timeOut(n: number): void {
    for (const one of this.#sending.get(n)?.pending ?? []) this.#present.delete(one)
    this.#settle(n)
    this.#greet()
  }

  #settle(n: number): void {
    const sending = this.#sending.get(n)
    if (!sending) return
    this.#sending.delete(n)
    sending.cancel()
    if (sending.isAcknowledged) sending.done()
    else sending.failed(noReceiver())
  }

  async #take(envelope: Record<string, unknown>, n: number, from: string): Promise<void> {
    try {
      await this.#hooks?.received(JSON.stringify(envelope))
    } catch {
      // The book can't be written now. Without an acknowledgement the sender repeats the envelope.
      return
    }
    const batch = this.#acks.get(from)
    if (batch) return void batch.push(n)
    this.#acks.set(from, [n])
    this.#parts.scheduler.later(ackBatchMs, () => {
      const acks = this.#acks.get(from) ?? []
      this.#acks.delete(from)
      if (!this.#closed) this.#parts.say({ had: acks.slice(0, 1000) }, from)
    })
  }

  /** Waits until one more envelope may be sent. Acknowledgements use the other half of the channel's rate. */
  async #pace(): Promise<void> {
    for (;;) {
      const second = Math.floor(this.#parts.clock.now() / 1000)
      if (second !== this.#second) this.#sentInSecond = 0
      this.#second = second
      if (this.#sentInSecond < this.#parts.perSecond / 2) {
        this.#sentInSecond += 1
        return
      }
      await new Promise<void>((resolve) => this.#parts.scheduler.later(1000, resolve))
    }
  }
}

const noReceiver = () =>
  new DaybookError('offline', 'No other book is on the channel. The envelope waits in the outbox.')
