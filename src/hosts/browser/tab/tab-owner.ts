// The tab that holds the book serves the others: runs their calls in its engine and answers on their lines.
// Invariant: only calls of this owner's own epoch are run, and what ended because the book was let go is not answered:
// its follower sends it to the next owner.
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import type { Durability } from '../../../core/record.ts'
import type { Seat } from '../../../engine/engine-shape.ts'
import type { Engine } from '../../../engine/engine.ts'
import { afterRequestsOf, firstOf, requestOf } from '../wire/call-name.ts'
import { aliveLock, type CallMessage, failed, type Reply } from '../wire/message.ts'
import type { TabChannel, TabPort } from './tab-port.ts'
import {
  compareVersions,
  type FollowerMessage,
  type HallMessage,
  type Joiner,
  lineName,
  type OwnerMessage,
  tabVersion,
} from './tab-wire.ts'

/** A book that was opened, in its turn. */
export interface OwnedBook {
  readonly engine: Engine
  /** Counts the owners of this book, this one included. */
  readonly epoch: number
  readonly durability: Durability
  /** From now on each commit waits for the flush: some tab asked for it. */
  makeStrict(): void
  /** Calls `hear` when the book must be opened again: its memory is not what is kept any more. */
  watchFault?(hear: () => void): void
  /** There was no room: looks again how much there is. */
  refit?(): Promise<void>
  /** Lets go of the files; call after the engine is closed. */
  release(): void | Promise<void>
}

export interface TabOwnerOptions {
  readonly book: string
  /** The tab that this is. */
  readonly own: string
  readonly owned: OwnedBook
  readonly port: TabPort
  readonly hall: TabChannel<HallMessage>
  readonly tell: (event: BookEvent) => void
  /** The storage failed under a call: somebody should open the book again. */
  readonly onFault: () => void
}

export interface TabOwner extends OwnedBook {
  readonly closed: boolean
  /** Takes in a follower, or turns an outdated one away. */
  admit(joiner: Joiner): void
  /** Its own page named calls, and has the outcomes of those below this number. */
  settle(below: number): void
  /** Commits what waits, answers it, and lets go of the book. */
  close(): Promise<void>
}

interface Line {
  readonly joiner: Joiner
  readonly channel: TabChannel<OwnerMessage>
  readonly gone: AbortController
  readonly running: Map<number, AbortController>
  /** Calls whose answers are not forgotten with the others. */
  readonly kept: Set<number>
  /** Below this number its page has all outcomes. */
  settled: number
  /** Below this number the answers are forgotten. */
  forgotten: number
}

/** Answers of calls that were committed at the very end are waited for this long. */
const lastWordsMs = 100
/** How many calls may be settled before their answers are forgotten. */
const settledStep = 1000

export function createTabOwner({ book, own, owned, port, hall, tell, onFault }: TabOwnerOptions): TabOwner {
  const { engine, epoch, durability } = owned
  const lines = new Map<string, Line>()
  const serving = new Set<Promise<void>>()
  let closed = false
  /** Below this number the answers of its own page are forgotten. */
  let forgotten = 0
  owned.watchFault?.(onFault)

  engine.on((event) => {
    if (event.name === 'closed') return
    tell(event)
    if (event.name === 'room') {
      // On the lines, behind the copy of the room that each began with.
      const message: OwnerMessage = { type: 'room', epoch, whole: false, events: [event.detail] }
      for (const { channel } of lines.values()) channel.post(message)
    } else if (lines.size > 0) hall.post({ type: 'event', epoch, event })
  })
  const gone = new AbortController()
  // Who was in the room through a tab that ended with the last owner, or with this turn's beginning, is not any more.
  for (const tab of engine.room.tabs()) {
    if (tab === own) continue
    port.lock(aliveLock(tab), gone.signal).then(
      (free) => {
        free()
        if (!closed) engine.room.leaveTab(tab)
      },
      () => undefined,
    )
  }

  const run = async (line: Line, id: string, call: CallMessage): Promise<[number, Reply] | undefined> => {
    const abort = new AbortController()
    const { number, input, ...options } = call
    line.running.set(number, abort)
    try {
      const value = await engine.call(id, input, {
        ...options,
        signal: abort.signal,
        seat: seatOf(line.joiner),
      })
      return [number, { ok: true, value }]
    } catch (error) {
      // What found no room would find none in the next turn either.
      if (closed && !isDaybookError(error, 'storage-full')) return undefined
      if (isDaybookError(error, 'storage-full')) await owned.refit?.()
      if (!isDaybookError(error, 'storage-failed')) return [number, failed(error)]
      onFault()
      return undefined
    } finally {
      line.running.delete(number)
    }
  }

  const serve = async (line: Line, id: string, calls: readonly CallMessage[]) => {
    const outcomes = await Promise.all(engine.together(() => calls.map((call) => run(line, id, call))))
    const replies = outcomes.filter((outcome) => outcome !== undefined)
    if (replies.length > 0) line.channel.post({ type: 'answer', epoch, replies })
  }

  const forgetAnswers = (tab: string, numbers: ReadonlySet<number>, below?: number) => {
    // What earlier workers of its page left may have been given up, and be called again.
    const first = firstOf(tab)
    // Behind the answers that are being given, and as nobody waits for it, whenever the next commit is made.
    const until = below === undefined ? afterRequestsOf(tab) : requestOf(tab, below)
    const isMeant = (number: number) => number >= first && number < (below ?? Infinity)
    const kept = [...numbers].filter(isMeant).sort((a, b) => a - b)
    const starts = [requestOf(tab, first), ...kept.map((number) => requestOf(tab, number + 1))]
    const ends = [...kept.map((number) => requestOf(tab, number)), until]
    const { requests, writes } = engine.store
    const forget = () => starts.forEach((from, i) => requests.forget(from, ends[i] ?? from))
    void writes.write(forget).catch(() => undefined)
  }

  /** A tab that did not say that it leaves may be asleep: its page asks again for what it has no outcome of. */
  const drop = (line: Line, hasLeft = false) => {
    if (!lines.delete(line.joiner.tab)) return
    line.gone.abort()
    line.channel.close()
    for (const abort of line.running.values()) abort.abort()
    if (closed) return
    forgetAnswers(line.joiner.tab, line.kept, hasLeft ? undefined : line.settled)
    engine.room.leaveTab(line.joiner.tab)
  }

  const hear = (line: Line, message: FollowerMessage) => {
    if (closed) return
    if (message.type === 'leave') return drop(line, true)
    if (message.epoch !== epoch) return
    if (message.type === 'ping') return line.channel.post({ type: 'pong', epoch })
    if (message.type === 'keep') return message.numbers.forEach((number) => line.kept.add(number))
    if (message.type === 'abort') return line.running.get(message.number)?.abort()
    const work = serve(line, message.id, message.calls)
    serving.add(work)
    void work.finally(() => serving.delete(work))
    line.settled = Math.max(line.settled, message.settled)
    if (line.settled - line.forgotten < settledStep) return
    line.forgotten = line.settled
    forgetAnswers(line.joiner.tab, line.kept, line.settled)
  }

  const refuse = (joiner: Joiner) => {
    const channel = port.open<FollowerMessage, OwnerMessage>(lineName(book, joiner.tab), () => undefined)
    const error = new DaybookError('tab-outdated', undefined, {
      details: { version: joiner.version, needed: tabVersion },
    })
    channel.post({ type: 'refuse', error: error.toJSON() })
    channel.close()
  }

  return {
    ...owned,
    get closed() {
      return closed
    },
    settle(below) {
      if (closed || below - forgotten < settledStep) return
      forgotten = below
      forgetAnswers(own, new Set(), below)
    },
    admit(joiner) {
      if (closed) return
      if (compareVersions(joiner.version, tabVersion) < 0) return refuse(joiner)
      const { tab } = joiner
      let line = lines.get(tab)
      if (!line) {
        const heard = (message: FollowerMessage) => {
          if (line) hear(line, message)
        }
        const channel = port.open<FollowerMessage, OwnerMessage>(lineName(book, tab), heard, {
          of: 'owner',
          epoch,
        })
        const opened: Line = {
          joiner,
          channel,
          gone: new AbortController(),
          running: new Map(),
          kept: new Set(),
          settled: 0,
          forgotten: 0,
        }
        line = opened
        lines.set(tab, opened)
        if (joiner.strict) owned.makeStrict()
        // Granted when the follower's worker is gone.
        port.lock(aliveLock(tab), opened.gone.signal).then(
          (free) => {
            free()
            drop(opened)
          },
          () => undefined,
        )
      }
      line.channel.post({ type: 'welcome', epoch, durability })
      line.channel.post({ type: 'room', epoch, whole: true, events: engine.room.snapshot() })
    },
    async close() {
      if (closed) return
      closed = true
      gone.abort()
      let fault: unknown
      try {
        engine.close()
      } catch (error) {
        fault = error
      }
      for (const { running } of lines.values()) for (const abort of running.values()) abort.abort()
      if (serving.size > 0) {
        await new Promise<void>((resolve) => {
          const cancel = port.later(lastWordsMs, resolve)
          void Promise.allSettled(serving).then(() => {
            cancel()
            resolve()
          })
        })
      }
      for (const { channel, gone } of lines.values()) {
        gone.abort()
        channel.close()
      }
      lines.clear()
      try {
        await owned.release()
      } catch {
        // A worker that cannot let go of the files must end. Its page ends it when something in it throws.
        port.later(0, () => {
          throw fault
        })
      }
    },
  }
}

function seatOf({ tab, scope, embedder, mirror, llm }: Joiner): Seat {
  return {
    tab,
    scope,
    owner: false,
    ...(embedder === undefined ? {} : { embedder }),
    ...(mirror === undefined ? {} : { mirror }),
    ...(llm === undefined ? {} : { llm }),
  }
}
