// The calls of a tab that does not hold the book: sent to the owner, sent again to the next one, never lost, never twice.
// Invariant: a call is settled once; every write goes out under a requestId, so that sending it again is harmless.
import type { CapabilityEffect } from '../../../core/capability/capability.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Durability } from '../../../core/record.ts'
import { type CallMessage, failed, type Reply } from '../wire/message.ts'
import type { TabPort } from './tab-port.ts'
import { requestOf } from '../wire/call-name.ts'
import type { FollowerMessage, OwnerMessage } from './tab-wire.ts'

/** What must be known of a capability to send a call of it twice. */
export interface CallNature {
  readonly effect: CapabilityEffect
  /** A task that may be run again from its start; reads and writes always may. */
  readonly repeatable: boolean
}

export interface WaitingCall {
  readonly id: string
  readonly call: CallMessage
  /** How many owners may have begun it. */
  readonly begun: number
  settle(reply: Reply): void
}

export interface FollowerOptions {
  readonly tab: string
  readonly port: Pick<TabPort, 'later'>
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

export interface Follower {
  /** The newest owner this tab has heard of, 0 for none. */
  readonly seen: number
  call(id: string, calls: readonly CallMessage[], begun?: number): Promise<Reply>[]
  /** The page has the outcomes of all calls below this number. */
  settle(below: number): void
  abort(number: number): void
  hear(message: OwnerMessage): void
  /** There is a new owner, or none: nothing is sent until one says welcome. Earlier owners are heeded no more. */
  lose(epoch: number): void
  /** Everything that waits, in the order of the calls, for this tab's own engine. Silence counts no more. */
  take(): WaitingCall[]
  /** Rejects everything that waits. */
  fail(error: DaybookError): void
}

const tickMs = 1000
/** Ticks without a word of the owner until it is asked to yield, and until those who wait are told. */
const complainTicks = 3
const giveUpTicks = 8
/** A call under which this many owners ended is given up: it may be what ends them. */
const ownerLimit = 10

export function createFollower(options: FollowerOptions): Follower {
  const { tab, port, natureOf, post, ask, complain, giveUp, welcomed, refused } = options
  const waiting = new Map<number, WaitingCall & { begun: number }>()
  let seen = 0
  let epoch: number | undefined
  let settled = 0
  let quiet = 0
  let atRest = false
  let cancelTick: (() => void) | undefined
  /** No owner has served the tab yet: its opening is not yet answered. */
  let unserved = true
  /** Writes that were given up and that an owner may still do. */
  const givenUp = new Set<number>()

  const watch = () => {
    if (!atRest) cancelTick ??= port.later(tickMs, tick)
  }
  // Ticks are counted, not time: a tab that was frozen itself must not blame the owner for it.
  const tick = () => {
    cancelTick = undefined
    if (atRest || (waiting.size === 0 && !unserved)) return
    quiet += 1
    if (quiet >= giveUpTicks) return surrender()
    if (quiet === complainTicks) complain(epoch)
    if (epoch === undefined) ask()
    else post({ type: 'ping', epoch })
    watch()
  }
  const surrender = () => {
    for (const { id, call, begun, settle } of waiting.values()) {
      const isSafe = call.requestId !== undefined && isRepeatable(natureOf(id))
      if (isSafe && begun > 0) givenUp.add(call.number)
      settle(
        failed(
          unresponsive(begun > 0 ? 'It may have begun this.' : 'It has not begun this.', {
            mayHaveBegun: begun > 0,
            ...(isSafe ? { requestId: call.requestId } : {}),
          }),
        ),
      )
    }
    keep()
    if (unserved) giveUp(unresponsive())
  }
  /** What was given up may be called again under its requestId, also when this tab is gone: then its answer decides. */
  const keep = () => {
    if (epoch !== undefined && givenUp.size > 0) post({ type: 'keep', epoch, numbers: [...givenUp] })
  }

  const send = (id: string, calls: readonly CallMessage[]) => {
    if (epoch === undefined) return
    for (const { number } of calls) {
      const one = waiting.get(number)
      if (one) one.begun += 1
    }
    post({ type: 'call', epoch, id, calls, settled })
  }

  const resend = () => {
    let group: CallMessage[] = []
    let of = ''
    const flush = () => {
      if (group.length > 0) send(of, group)
      group = []
    }
    for (const { id, call, begun, settle } of waiting.values()) {
      if (begun > ownerLimit || (begun > 0 && !isRepeatable(natureOf(id)))) {
        settle(failed(new DaybookError('owner-changed')))
        continue
      }
      if (id !== of) flush()
      of = id
      group.push(call)
    }
    flush()
  }

  const enter = (id: string, given: CallMessage, begun: number): Promise<Reply> => {
    const named = given.requestId !== undefined || natureOf(id).effect === 'read'
    const call = named ? given : { ...given, requestId: requestOf(tab, given.number) }
    return new Promise((resolve) => {
      // By who asked last: what was run here and let go of in the middle is entered again.
      const settle = (reply: Reply) => {
        if (waiting.get(call.number)?.settle === settle) waiting.delete(call.number)
        resolve(reply)
      }
      waiting.set(call.number, { id, call, begun, settle })
    })
  }

  return {
    get seen() {
      return seen
    },
    call(id, calls, begun = 0) {
      if (waiting.size === 0) quiet = 0
      const replies = calls.map((call) => enter(id, call, begun))
      const now = calls.map(({ number }) => waiting.get(number)?.call).filter((call) => call !== undefined)
      send(id, now)
      watch()
      return replies
    },
    settle(below) {
      settled = Math.max(settled, below)
    },
    abort(number) {
      const one = waiting.get(number)
      if (!one) return
      if (epoch !== undefined && one.begun > 0) post({ type: 'abort', epoch, number })
      one.settle(failed(new DaybookError('aborted')))
    },
    hear(message) {
      if (message.type === 'room') return
      if (message.type === 'refuse') return refused(DaybookError.from(message.error))
      if (message.epoch < seen) return
      if (message.type === 'welcome') {
        if (message.epoch === epoch || !welcomed(message.durability)) return
        seen = epoch = message.epoch
        quiet = 0
        unserved = false
        keep()
        return resend()
      }
      if (message.epoch !== epoch) return
      quiet = 0
      if (message.type === 'answer')
        for (const [number, reply] of message.replies) waiting.get(number)?.settle(reply)
    },
    lose(newest) {
      epoch = undefined
      atRest = false
      quiet = 0
      seen = Math.max(seen, newest)
      watch()
    },
    take() {
      epoch = undefined
      atRest = true
      unserved = false
      return [...waiting.values()].sort((a, b) => a.call.number - b.call.number)
    },
    fail(error) {
      atRest = true
      cancelTick?.()
      for (const { settle } of waiting.values()) settle(failed(error))
    },
  }
}

function unresponsive(begun = '', details: Record<string, unknown> = {}): DaybookError {
  const waitedMs = giveUpTicks * tickMs
  const what = `The tab that holds the book has not answered for ${waitedMs / 1000} seconds.`
  return new DaybookError('owner-unresponsive', `${what} ${begun}`.trim(), {
    details: { waitedMs, ...details },
  })
}

function isRepeatable({ effect, repeatable }: CallNature): boolean {
  return effect !== 'task' || repeatable
}
