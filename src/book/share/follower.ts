// The calls of a tab, or a process, that does not hold the book: sent to the owner, sent again to the next one, never lost, never twice.
// Invariant: a call is settled once; every write goes out under a requestId, so that sending it again is harmless.
import { DaybookError } from '../../core/errors.ts'
import type { CallNature } from '../../engine/capability-table.ts'
import type { Durability } from '../../core/record.ts'
import { requestOf } from './call-name.ts'
import {
  type CallMessage,
  failed,
  type FollowerMessage,
  type OwnerMessage,
  type Reply,
} from './line-message.ts'

export interface WaitingCall {
  readonly id: string
  readonly call: CallMessage
  /** How many owners may have begun it. */
  readonly begun: number
  settle(reply: Reply): void
}

export interface FollowerOptions {
  readonly tab: string
  /** Runs a task after a while; answers a function that cancels. */
  readonly port: { later(delayMs: number, task: () => void): () => void }
  natureOf(id: string): CallNature
  post(message: FollowerMessage): void
  /** Asks every tab who the owner is. */
  ask(): void
  /** Asks an owner that has been silent for long to let another tab have the book. */
  complain(epoch: number | undefined): void
  /** Nobody has answered for as long as a tab waits. */
  giveUp(error: DaybookError): void
  /** An owner serves this tab from now on. False turns it down. */
  welcomed(durability: Durability): boolean
  refused(error: DaybookError): void
}

const tickMs = 1000
/** Ticks without a word of the owner until the tab asks it to yield, and until the tab gives up what waits. */
const complainTicks = 3
const giveUpTicks = 8
/** A call under which this many owners ended is given up: it may be what ends them. */
const ownerLimit = 10

type Waiting = WaitingCall & { begun: number }

export class Follower {
  readonly #options: FollowerOptions
  readonly #waiting = new Map<number, Waiting>()
  /** Writes that were given up and that an owner may still do. */
  readonly #givenUp = new Set<number>()
  #seen = 0
  #epoch: number | undefined
  #settled = 0
  /** Ticks since the last word of the owner. */
  #quiet = 0
  #isAtRest = false
  /** No owner has served the tab yet: its opening is not yet answered. */
  #isUnserved = true
  #cancelTick: (() => void) | undefined

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  /** The newest owner this tab knows of, 0 for none. */
  get seen(): number {
    return this.#seen
  }

  /** `begun`: how many owners may have begun these calls before. */
  call(id: string, calls: readonly CallMessage[], begun = 0): Promise<Reply>[] {
    if (this.#waiting.size === 0) this.#quiet = 0
    const replies = calls.map((call) => this.#enter(id, call, begun))
    const entered = calls.map(({ number }) => this.#waiting.get(number)?.call)
    this.#send(
      id,
      entered.filter((call) => call !== undefined),
    )
    this.#watch()
    return replies
  }

  /** The page has the outcomes of all calls below this number. */
  settle(below: number): void {
    this.#settled = Math.max(this.#settled, below)
  }

  abort(number: number): void {
    const one = this.#waiting.get(number)
    if (!one) return
    const epoch = this.#epoch
    if (epoch !== undefined && one.begun > 0) this.#options.post({ type: 'abort', epoch, number })
    one.settle(failed(new DaybookError('aborted')))
  }

  hear(message: OwnerMessage): void {
    if (message.type === 'room') return
    if (message.type === 'refuse') return this.#options.refused(DaybookError.from(message.error))
    if (message.epoch < this.#seen) return
    if (message.type === 'welcome') return this.#hearWelcome(message)
    if (message.epoch !== this.#epoch) return
    this.#quiet = 0
    if (message.type !== 'answer') return
    for (const [number, reply] of message.replies) this.#waiting.get(number)?.settle(reply)
  }

  /** There is a new owner, or none: nothing is sent until one says welcome. Earlier owners are heeded no more. */
  lose(epoch: number): void {
    this.#epoch = undefined
    this.#isAtRest = false
    this.#quiet = 0
    this.#seen = Math.max(this.#seen, epoch)
    this.#watch()
  }

  /** Everything that waits, in the order of the calls, for this tab's own engine. Silence counts no more. */
  take(): WaitingCall[] {
    this.#epoch = undefined
    this.#isAtRest = true
    this.#isUnserved = false
    return [...this.#waiting.values()].sort((a, b) => a.call.number - b.call.number)
  }

  /** Rejects everything that waits. */
  fail(error: DaybookError): void {
    this.#isAtRest = true
    this.#cancelTick?.()
    for (const { settle } of this.#waiting.values()) settle(failed(error))
  }

  #hearWelcome({ epoch, durability }: Extract<OwnerMessage, { type: 'welcome' }>): void {
    if (epoch === this.#epoch || !this.#options.welcomed(durability)) return
    this.#seen = epoch
    this.#epoch = epoch
    this.#quiet = 0
    this.#isUnserved = false
    this.#keep()
    this.#resend()
  }

  #watch(): void {
    if (!this.#isAtRest) this.#cancelTick ??= this.#options.port.later(tickMs, () => this.#tick())
  }

  /** Ticks are counted, not time: a tab that was frozen itself must not blame the owner for it. */
  #tick(): void {
    const { post, ask, complain } = this.#options
    const epoch = this.#epoch
    this.#cancelTick = undefined
    if (this.#isAtRest || (this.#waiting.size === 0 && !this.#isUnserved)) return
    this.#quiet += 1
    if (this.#quiet >= giveUpTicks) return this.#surrender()
    if (this.#quiet === complainTicks) complain(epoch)
    if (epoch === undefined) ask()
    else post({ type: 'ping', epoch })
    this.#watch()
  }

  #surrender(): void {
    const { natureOf, giveUp } = this.#options
    for (const { id, call, begun, settle } of this.#waiting.values()) {
      const mayHaveBegun = begun > 0
      const isSafe = call.requestId !== undefined && isRepeatable(natureOf(id))
      if (isSafe && mayHaveBegun) this.#givenUp.add(call.number)
      const details = { mayHaveBegun, ...(isSafe ? { requestId: call.requestId } : {}) }
      settle(
        failed(unresponsive(mayHaveBegun ? 'It may have begun this.' : 'It has not begun this.', details)),
      )
    }
    this.#keep()
    if (this.#isUnserved) giveUp(unresponsive())
  }

  /** What was given up may be called again under its requestId, also when this tab is gone: then its answer decides. */
  #keep(): void {
    const epoch = this.#epoch
    if (epoch === undefined || this.#givenUp.size === 0) return
    this.#options.post({ type: 'keep', epoch, numbers: [...this.#givenUp] })
  }

  #send(id: string, calls: readonly CallMessage[]): void {
    const epoch = this.#epoch
    if (epoch === undefined) return
    for (const { number } of calls) {
      const one = this.#waiting.get(number)
      if (one) one.begun += 1
    }
    this.#options.post({ type: 'call', epoch, id, calls, settled: this.#settled })
  }

  /** Sends what waits to the owner of now, calls of one capability together. */
  #resend(): void {
    let group: CallMessage[] = []
    let of = ''
    const flush = () => {
      if (group.length > 0) this.#send(of, group)
      group = []
    }
    for (const { id, call, begun, settle } of this.#waiting.values()) {
      if (begun > ownerLimit || (begun > 0 && !isRepeatable(this.#options.natureOf(id)))) {
        settle(failed(new DaybookError('owner-changed')))
        continue
      }
      if (id !== of) flush()
      of = id
      group.push(call)
    }
    flush()
  }

  #enter(id: string, given: CallMessage, begun: number): Promise<Reply> {
    const { tab, natureOf } = this.#options
    const isNamed = given.requestId !== undefined || natureOf(id).effect === 'read'
    const call = isNamed ? given : { ...given, requestId: requestOf(tab, given.number) }
    return new Promise((resolve) => {
      // By who asked last: what was run here and let go of in the middle is entered again.
      const settle = (reply: Reply) => {
        if (this.#waiting.get(call.number)?.settle === settle) this.#waiting.delete(call.number)
        resolve(reply)
      }
      this.#waiting.set(call.number, { id, call, begun, settle })
    })
  }
}

function unresponsive(begun = '', details: Record<string, unknown> = {}): DaybookError {
  const waitedMs = giveUpTicks * tickMs
  const what = `Who holds the book has not answered for ${waitedMs / 1000} seconds.`
  return new DaybookError('owner-unresponsive', `${what} ${begun}`.trim(), {
    details: { waitedMs, ...details },
  })
}

function isRepeatable({ effect, repeatable }: CallNature): boolean {
  return effect !== 'task' || repeatable
}
