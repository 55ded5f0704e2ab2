// Sends the calls of a tab or process to the owner of the book (the tab or process that has its files open), and
// resends them to the next owner. An epoch is the number of an owner; each next owner has a higher one.
// Invariant: a call is settled exactly once; every write has a requestId, so resending is harmless. The
// fields of messages: line-message.ts.
import { DaybookError } from '../../core/errors.ts'
import type { CallNature } from '../../engine/verb-table.ts'
import type { Durability } from '../../core/record.ts'
import {
  type CallMessage,
  type FollowerMessage,
  type OwnerMessage,
  type Reply,
  failedReply,
  requestOf,
} from './line-message.ts'

export interface WaitingCall {
  /** Id of the verb. */
  readonly id: string
  readonly call: CallMessage
  /** Number of owners that may have started the call. */
  readonly begun: number
  settle(reply: Reply): void
}

export interface FollowerOptions {
  /** Name of this tab's worker (`tabOf`): the owner stores answers under it. */
  readonly tab: string
  /** Runs a task later; returns a function that cancels the task. */
  readonly port: { later(delayMs: number, task: () => void): () => void }
  /** The effect of the verb `id`, and whether it declares `repeatable`. */
  natureOf(id: string): CallNature
  post(message: FollowerMessage): void
  /** Sends every tab the question which tab owns the book. */
  ask(): void
  /** Asks a silent owner to hand over the book; without `epoch`, any owner. */
  complain(epoch: number | undefined): void
  /** Called if no owner answered within the limit. */
  giveUp(error: DaybookError): void
  /** Called when an owner serves this tab from now on. False refuses the owner. `isLocked`: see `isLockedByCall`. */
  welcomed(durability: Durability, isLocked: boolean): boolean
  /** Called when the owner refuses this tab, or ended its service: the book is lost for this tab. */
  refused(error: DaybookError): void
}

const tickMs = 1000
/** Ticks without a message before the tab complains, and before it gives up its calls. */
const complainTicks = 3
const giveUpTicks = 8
/** A call that more than this many owners may have started is given up: the call may be the cause of their end. */
const ownerLimit = 10

type Waiting = WaitingCall & { begun: number }

export class Follower {
  readonly #options: FollowerOptions
  readonly #waiting = new Map<number, Waiting>()
  /** Given-up writes that an owner may still carry out. */
  readonly #givenUp = new Set<number>()
  /** Epoch of the newest known owner, 0 for none. */
  #seen = 0
  /** Epoch of the owner that serves this tab; undefined: none does, and nothing is sent. */
  #epoch: number | undefined
  /** The page has all outcomes below this number. */
  #settled = 0
  /** Ticks since the last message of the owner. */
  #quiet = 0
  /** True while no owner needs watching: this tab owns the book, or has lost it. */
  #isAtRest = false
  /** True until an owner has served the tab: the opening of the book has no answer yet. */
  #isUnserved = true
  #cancelTick: (() => void) | undefined

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  /** Epoch of the newest known owner, 0 for none. */
  get seen(): number {
    return this.#seen
  }

  /** `begun`: number of earlier owners that may have started these calls. */
  call(id: string, calls: readonly CallMessage[], begun = 0): Promise<Reply>[] {
    if (this.#waiting.size === 0) this.#quiet = 0
    const replies = calls.map((call) => this.#enter(id, call, begun))
    // The calls with the requestIds that `#enter` added.
    const entered = calls.map(({ number }) => this.#waiting.get(number)?.call)
    this.#send(
      id,
      entered.filter((call) => call !== undefined),
    )
    this.#watch()
    return replies
  }

  /** Call it when the page has all outcomes below this number. */
  settle(below: number): void {
    this.#settled = Math.max(this.#settled, below)
  }

  /**
   * Settles the call with `aborted`; also the owner aborts it, if it may have started it. `details`: see `#giveUp`.
   */
  abort(number: number): void {
    const one = this.#waiting.get(number)
    if (!one) return
    const epoch = this.#epoch
    if (epoch !== undefined && one.begun > 0) this.#options.post({ type: 'abort', epoch, number })
    this.#giveUp(one, (remark, details) => new DaybookError('aborted', remark, { details }))
    this.#keep()
  }

  hear(message: OwnerMessage): void {
    // Its host handles the messages of the room.
    if (message.type === 'room') return
    if (message.type === 'refuse') return this.#options.refused(DaybookError.from(message.error))
    if (message.epoch < this.#seen) return
    if (message.type === 'welcome') return this.#hearWelcome(message)
    if (message.epoch !== this.#epoch) return
    this.#quiet = 0
    if (message.type !== 'answer') return
    for (const [number, reply] of message.replies) this.#waiting.get(number)?.settle(reply)
  }

  /**
   * Call it when the owner is gone, or when there is a new owner. Nothing is sent until an owner sends `welcome`;
   * messages of owners before `epoch` are ignored.
   */
  lose(epoch: number): void {
    this.#epoch = undefined
    this.#isAtRest = false
    this.#quiet = 0
    this.#seen = Math.max(this.#seen, epoch)
    this.#watch()
  }

  /**
   * Returns all waiting calls in order, for this tab's own engine, and stops the ticks. The calls stay here
   * until their `settle` is called.
   */
  take(): WaitingCall[] {
    this.#epoch = undefined
    this.#isAtRest = true
    this.#isUnserved = false
    return [...this.#waiting.values()].sort((a, b) => a.call.number - b.call.number)
  }

  /** Settles all waiting calls with `error`, and stops the ticks. */
  fail(error: DaybookError): void {
    this.#isAtRest = true
    this.#cancelTick?.()
    for (const { settle } of this.#waiting.values()) settle(failedReply(error))
  }

  /** Gives up all waiting calls with `error`. Those that may have changed something get `owner-changed`. */
  refuse(error: DaybookError): void {
    for (const one of this.#waiting.values())
      this.#giveUp(one, (_remark, details) => {
        const isUndone = details['mayHaveBegun'] !== true || this.#options.natureOf(one.id).effect === 'read'
        return isUndone ? error : new DaybookError('owner-changed', error.message, { details })
      })
  }

  #hearWelcome({ epoch, durability, locked = false }: Extract<OwnerMessage, { type: 'welcome' }>): void {
    if (epoch === this.#epoch || !this.#options.welcomed(durability, locked)) return
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

  /** Counts ticks, not time: while a tab is frozen, the owner must not count as silent. */
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

  /** Gives up all waiting calls; also the opening of the book, if no owner ever served this tab. */
  #surrender(): void {
    for (const one of this.#waiting.values()) this.#giveUp(one, unresponsive)
    this.#keep()
    if (this.#isUnserved) this.#options.giveUp(unresponsive())
  }

  /** Settles a call with the error of `make`, which says whether an owner may carry the call out. */
  #giveUp(
    { id, call, begun, settle }: Waiting,
    make: (remark: string, details: Record<string, unknown>) => DaybookError,
  ): void {
    // At rest, this tab's own engine has the call.
    const mayHaveBegun = begun > 0 || this.#isAtRest
    // The caller may repeat such a call with its requestId.
    const isSafe = call.requestId !== undefined && isRepeatable(this.#options.natureOf(id))
    if (isSafe && mayHaveBegun) this.#givenUp.add(call.number)
    const remark = mayHaveBegun ? 'The call may have started.' : 'The call has not started.'
    settle(failedReply(make(remark, { mayHaveBegun, ...(isSafe ? { requestId: call.requestId } : {}) })))
  }

  /**
   * Requests the owner to keep the answers of given-up calls: each may be repeated under its requestId, even after
   * this tab is gone.
   */
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

  /** Sends all waiting calls to the current owner, grouped by capability. */
  #resend(): void {
    let group: CallMessage[] = []
    let groupId = ''
    const flush = () => {
      if (group.length > 0) this.#send(groupId, group)
      group = []
    }
    for (const { id, call, begun, settle } of this.#waiting.values()) {
      if (begun > ownerLimit || (begun > 0 && !isRepeatable(this.#options.natureOf(id)))) {
        settle(failedReply(new DaybookError('owner-changed')))
        continue
      }
      if (id !== groupId) flush()
      groupId = id
      group.push(call)
    }
    flush()
  }

  #enter(id: string, message: CallMessage, begun: number): Promise<Reply> {
    const { tab, natureOf } = this.#options
    // Only a read needs no requestId.
    const isNamed = message.requestId !== undefined || natureOf(id).effect === 'read'
    const call = isNamed ? message : { ...message, requestId: requestOf(tab, message.number) }
    return new Promise((resolve) => {
      // Compare functions: a call that ran here and was released is entered again under the same number.
      const settle = (reply: Reply) => {
        if (this.#waiting.get(call.number)?.settle === settle) this.#waiting.delete(call.number)
        resolve(reply)
      }
      this.#waiting.set(call.number, { id, call, begun, settle })
    })
  }
}

function unresponsive(remark = '', details: Record<string, unknown> = {}): DaybookError {
  const waitedMs = giveUpTicks * tickMs
  const noAnswer = `The owner of the book has not answered for ${waitedMs / 1000} seconds.`
  return new DaybookError('owner-unresponsive', `${noAnswer} ${remark}`.trim(), {
    details: { waitedMs, ...details },
  })
}

/** True if a second run does no harm: reads, writes (each has a requestId), and tasks that declare it. */
function isRepeatable({ effect, repeatable }: CallNature): boolean {
  return effect !== 'task' || repeatable
}
