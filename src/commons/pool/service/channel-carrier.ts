// A pool carrier over a broadcast channel without storage: the line to a mirror, or the tabs of a browser. A
// receiver acknowledges an envelope after its commit. `send` resolves when every present receiver has acknowledged
// or is gone.
// Invariant: `send` resolves only after another book has stored the envelope, or for a withdrawn envelope; a
// new receiver gets the envelopes of the outbox, and no older ones.
import { z } from 'zod'
import type { Outgoing, PoolCarrier, PoolCarrierHooks } from '../../../core/pool.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Clock, Scheduler } from '../../../core/ports.ts'

const maxAcksPerFrame = 1000

/** Frames on the channel. Released: a change needs an entry in `liveHistory` of sync/wire/wire-history.ts. */
export const carrierFrame = z.union([
  /** The sender is here; `ask`: receivers answer with `here`. */
  z.object({ here: z.object({ ask: z.boolean() }) }),
  z.object({ bye: z.literal(true) }),
  /** An envelope, with the number that acknowledges it. */
  z.object({ n: z.number().int().min(0), envelope: z.record(z.string(), z.unknown()) }),
  /** Acknowledges the envelopes with these numbers. */
  z.object({ had: z.array(z.number().int().min(0)).max(maxAcksPerFrame) }),
])
export type CarrierFrame = z.output<typeof carrierFrame>

export interface ChannelCarrierDeps {
  readonly name: string
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Sends a frame to one receiver, or to all; false without a channel. */
  readonly sendFrame: (frame: CarrierFrame, to?: string) => boolean
  /** Most frames per second. */
  readonly maxFramesPerSecond: number
  /** True if only books of one person use the channel, such as the tabs of a browser. Default false. */
  readonly servesOnePerson?: boolean
  readonly close?: () => void
}

/** A receiver that has not acknowledged by then counts as gone. */
export const ackTimeoutMs = 10_000
/** Acknowledgements within this time share one frame. */
const ackBatchMs = 30

interface PendingSend {
  /** Receivers that have not acknowledged yet. */
  readonly waitingFor: Set<string>
  /** True if one receiver has acknowledged: then the send succeeds, even if others are gone. */
  isAcknowledged: boolean
  readonly resolve: () => void
  readonly reject: (error: DaybookError) => void
  readonly cancelTimeout: () => void
}

export class ChannelCarrier implements PoolCarrier {
  readonly name: string
  readonly servesOnePerson: boolean
  readonly #deps: ChannelCarrierDeps
  readonly #receivers = new Set<string>()
  readonly #pendingSends = new Map<number, PendingSend>()
  /** By receiver: the numbers to acknowledge. */
  readonly #acks = new Map<string, number[]>()
  #hooks: PoolCarrierHooks | undefined
  #isOpen = false
  #isClosed = false
  #lastNumber = 0
  #sentInSecond = 0
  #second = 0

  constructor(deps: ChannelCarrierDeps) {
    this.#deps = deps
    this.name = deps.name
    this.servesOnePerson = deps.servesOnePerson === true
  }

  /** The receivers on the channel that have sent `here`. */
  get receivers(): ReadonlySet<string> {
    return this.#receivers
  }

  open(hooks: PoolCarrierHooks): void {
    this.#hooks = hooks
    if (this.#isOpen) this.#announceSelf()
  }

  /** Call it when the channel is open. */
  channelOpened(): void {
    this.#isOpen = true
    this.#announceSelf()
  }

  /** Call it when the channel is closed. All receivers count as gone. */
  channelClosed(): void {
    this.#isOpen = false
    this.#receivers.clear()
    for (const n of this.#pendingSends.keys()) this.#finishSend(n)
  }

  /** Takes a frame that `from` sent. */
  receive(data: unknown, from: string): void {
    const frame = carrierFrame.safeParse(data).data
    if (!frame || this.#isClosed || !this.#hooks) return
    if ('here' in frame) this.#addReceiver(from, frame.here.ask)
    else if ('bye' in frame) this.#removeReceiver(from)
    else if ('had' in frame) for (const n of frame.had) this.#acknowledge(n, from)
    else void this.#deliver(frame.envelope, frame.n, from)
  }

  async send({ text, isTakenBack }: Outgoing): Promise<void> {
    this.#assertHasReceiver()
    await this.#waitForRate()
    if (isTakenBack?.() === true) return
    // All receivers may have left during the wait.
    this.#assertHasReceiver()
    const envelope = JSON.parse(text) as Record<string, unknown>
    this.#lastNumber += 1
    const n = this.#lastNumber
    return new Promise((resolve, reject) => {
      const cancelTimeout = this.#deps.scheduler.later(ackTimeoutMs, () => this.#timeOut(n))
      this.#pendingSends.set(n, {
        waitingFor: new Set(this.#receivers),
        isAcknowledged: false,
        resolve,
        reject,
        cancelTimeout,
      })
      if (!this.#deps.sendFrame({ n, envelope })) this.#finishSend(n)
    })
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    if (this.#isOpen) this.#deps.sendFrame({ bye: true })
    for (const n of this.#pendingSends.keys()) this.#finishSend(n)
    this.#deps.close?.()
  }

  #assertHasReceiver(): void {
    if (this.#isClosed) throw new DaybookError('book-closed')
    if (!this.#isOpen || this.#receivers.size === 0) throw noReceiverError()
  }

  #announceSelf(): void {
    if (this.#hooks && !this.#isClosed) this.#deps.sendFrame({ here: { ask: true } })
  }

  #addReceiver(from: string, isAsking: boolean): void {
    if (isAsking) this.#deps.sendFrame({ here: { ask: false } }, from)
    this.#receivers.add(from)
    this.#hooks?.ready()
  }

  #removeReceiver(from: string): void {
    this.#receivers.delete(from)
    for (const [n, { waitingFor }] of this.#pendingSends)
      if (waitingFor.delete(from) && waitingFor.size === 0) this.#finishSend(n)
  }

  #acknowledge(n: number, from: string): void {
    const sending = this.#pendingSends.get(n)
    if (!sending?.waitingFor.delete(from)) return
    sending.isAcknowledged = true
    if (sending.waitingFor.size === 0) this.#finishSend(n)
  }

  /** Silent receivers count as gone until they send `here` again. */
  #timeOut(n: number): void {
    for (const one of this.#pendingSends.get(n)?.waitingFor ?? []) this.#receivers.delete(one)
    this.#finishSend(n)
    this.#announceSelf()
  }

  #finishSend(n: number): void {
    const sending = this.#pendingSends.get(n)
    if (!sending) return
    this.#pendingSends.delete(n)
    sending.cancelTimeout()
    if (sending.isAcknowledged) sending.resolve()
    else sending.reject(noReceiverError())
  }

  async #deliver(envelope: Record<string, unknown>, n: number, from: string): Promise<void> {
    try {
      await this.#hooks?.received(JSON.stringify(envelope))
    } catch {
      // The book can't be written now. Without an acknowledgement the sender repeats the envelope.
      return
    }
    const batch = this.#acks.get(from)
    if (batch) return void batch.push(n)
    this.#acks.set(from, [n])
    this.#deps.scheduler.later(ackBatchMs, () => {
      const acks = this.#acks.get(from) ?? []
      this.#acks.delete(from)
      // The sender repeats envelopes without an acknowledgement.
      if (!this.#isClosed) this.#deps.sendFrame({ had: acks.slice(0, maxAcksPerFrame) }, from)
    })
  }

  /** Waits until one more envelope may be sent. Acknowledgements use the other half of the channel's rate. */
  async #waitForRate(): Promise<void> {
    for (;;) {
      const second = Math.floor(this.#deps.clock.now() / 1000)
      if (second !== this.#second) this.#sentInSecond = 0
      this.#second = second
      if (this.#sentInSecond < this.#deps.maxFramesPerSecond / 2) {
        this.#sentInSecond += 1
        return
      }
      await new Promise<void>((resolve) => this.#deps.scheduler.later(1000, resolve))
    }
  }
}

const noReceiverError = () =>
  new DaybookError('offline', 'No other book is on the channel. The envelope waits in the outbox.')
