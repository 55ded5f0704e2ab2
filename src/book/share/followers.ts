// The followers of a book's owner (the tab or process that has its files open): tabs or processes whose calls the
// owner's engine runs, each over its own line.
// Invariant: the engine closes before the lines, so that the last commits are answered. Calls that the end of the
// engine interrupts get no answer: their followers send them to the next owner. The fields of messages:
// line-message.ts.
import type { BookEvent } from '../../core/capability/event.ts'
import { createAbort } from '../../core/abort.ts'
import { defined } from '../../core/defined.ts'
import { type DaybookError, isDaybookError } from '../../core/errors.ts'
import type { Durability } from '../../core/record.ts'
import type { CallingTab } from '../../engine/engine-shape.ts'
import type { Engine } from '../../engine/engine.ts'
import { isLockedByCall } from '../../core/sealed.ts'
import { AnswerLog } from './answer-log.ts'
import {
  type CallMessage,
  type EventMessage,
  failedReply,
  type FollowerMessage,
  type OwnerMessage,
  type Reply,
} from './line-message.ts'

/** The owner's end of a line: a channel, a port or a socket. */
export interface FollowerLine {
  /** May throw for a message that is too large for the line. */
  post(message: OwnerMessage | EventMessage): void
  close(): void
}

export interface ServingOwner {
  readonly engine: Engine
  readonly epoch: number
  readonly durability: Durability
  /** Runs a task after a delay; returns a function that cancels the task. */
  later(delayMs: number, task: () => void): () => void
  /** Called when the storage failed during a call: reopen the book. */
  onFault?(): void
  /** Called when the storage was full: measure the space again. */
  refit?(): Promise<void> | undefined
}

/**
 * A follower that joins. The last four fields describe its options as in `CallingTab`
 * (engine/engine-shape.ts), so that the owner's status names differences.
 */
type Joiner = {
  readonly tab: string
  readonly scope: {
    readonly agent: string
    readonly session?: string | undefined
    readonly resource?: string | undefined
  }
} & { readonly [Name in 'embedder' | 'mirror' | 'llm' | 'room']?: string | undefined }

/** Longest wait for the answers of the last commits. */
const lastAnswersMs = 100
/** Longest wait until refused followers leave. */
const leaveMs = 1000

export class Followers {
  readonly owner: ServingOwner
  /** Answers in progress, of all followers. */
  readonly work = new Set<Promise<void>>()
  readonly #served = new Set<ServedFollower>()
  #isClosed = false
  /** Called when the last follower has left. */
  #onEmpty: () => void = () => undefined

  constructor(owner: ServingOwner) {
    this.owner = owner
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get size(): number {
    return this.#served.size
  }

  find(tab: string): ServedFollower | undefined {
    return Array.from(this.#served).find((one) => one.tab === tab)
  }

  /** Adds a follower; the caller then sends `welcome`. */
  add(joiner: Joiner, line: FollowerLine): ServedFollower {
    const follower: ServedFollower = new ServedFollower(this, callingTab(joiner), line, () => {
      this.#served.delete(follower)
      if (this.#served.size === 0) this.#onEmpty()
    })
    this.#served.add(follower)
    return follower
  }

  /** Posts an event of the book on every line. */
  post(event: BookEvent): void {
    const { epoch } = this.owner
    const message =
      event.name === 'room'
        ? ({ type: 'room', epoch, whole: false, events: [event.detail] } as const)
        : ({ type: 'event', epoch, event: asFollower(event) } as const)
    for (const one of this.#served) one.post(message)
  }

  /** Sends every follower the error that ended its book. Resolves when all have left, or after a time limit. */
  async refuseAll(error: DaybookError): Promise<void> {
    if (this.#served.size === 0) return
    await new Promise<void>((resolve) => {
      const cancel = this.owner.later(leaveMs, resolve)
      this.#onEmpty = () => {
        cancel()
        resolve()
      }
      for (const one of this.#served) one.post({ type: 'refuse', error: error.toJSON() })
    })
  }

  /** Commits pending writes by `closeEngine`, answers them, and closes the lines. */
  async close(closeEngine: () => void): Promise<void> {
    this.#isClosed = true
    try {
      closeEngine()
    } finally {
      for (const one of this.#served) one.abortAll()
      await this.lastAnswers()
      for (const one of this.#served) one.close()
      this.#served.clear()
    }
  }

  /** Resolves when requests of followers are answered, or after a time limit. */
  async lastAnswers(): Promise<void> {
    if (this.work.size === 0) return
    await new Promise<void>((resolve) => {
      const cancel = this.owner.later(lastAnswersMs, resolve)
      void Promise.allSettled(this.work).then(() => {
        cancel()
        resolve()
      })
    })
  }
}

/** One follower, as its owner serves it. */
export class ServedFollower {
  readonly #all: Followers
  readonly #caller: CallingTab
  readonly #line: FollowerLine
  readonly #onEnd: () => void
  readonly #answers: AnswerLog
  /** Running calls by number. */
  readonly #running = new Map<number, ReturnType<typeof createAbort>>()
  #isClosed = false

  constructor(all: Followers, caller: CallingTab, line: FollowerLine, onEnd: () => void) {
    this.#all = all
    this.#caller = caller
    this.#line = line
    this.#onEnd = onEnd
    this.#answers = new AnswerLog(caller.tab, all.owner.engine.store)
  }

  get tab(): string {
    return this.#caller.tab
  }

  post(message: OwnerMessage | EventMessage): void {
    if (!this.#isClosed) this.#line.post(message)
  }

  welcome(): void {
    const { engine, epoch, durability } = this.#all.owner
    this.post({ type: 'welcome', epoch, durability, locked: isLockedByCall(engine.store) })
    this.post({ type: 'room', epoch, whole: true, events: engine.room.snapshot() })
  }

  /** Handles a message of the follower. Call it only with messages for this owner. */
  hear(message: FollowerMessage): void {
    if (this.#isClosed || this.#all.isClosed) return
    if (message.type === 'leave') this.end(true)
    else if (message.type === 'ping') this.post({ type: 'pong', epoch: this.#all.owner.epoch })
    else if (message.type === 'keep') this.#answers.keep(message.numbers)
    else if (message.type === 'abort') this.#running.get(message.number)?.abort()
    else {
      this.#serve(message.id, message.calls)
      this.#answers.settle(message.settled)
    }
  }

  abortAll(): void {
    for (const abort of this.#running.values()) abort.abort()
  }

  /** Closes the line: no more messages are handled or sent. */
  close(): void {
    this.#isClosed = true
    this.#line.close()
  }

  /** Call it when the follower left (`hasLeft`), or when its line broke. */
  end(hasLeft: boolean): void {
    if (this.#isClosed) return
    this.close()
    this.abortAll()
    this.#onEnd()
    if (this.#all.isClosed) return
    this.#answers.end(hasLeft)
    this.#all.owner.engine.room.leaveTab(this.tab)
  }

  #serve(id: string, calls: readonly CallMessage[]): void {
    const { work } = this.#all
    const answering = this.#answer(id, calls)
    work.add(answering)
    void answering.finally(() => work.delete(answering))
  }

  async #answer(id: string, calls: readonly CallMessage[]): Promise<void> {
    const { engine } = this.#all.owner
    // `together`: the writes of these calls share one commit.
    const outcomes = await Promise.all(engine.together(() => calls.map((call) => this.#run(id, call))))
    const replies = outcomes.filter((outcome) => outcome !== undefined)
    if (replies.length > 0) this.#reply(replies)
  }

  /**
   * Sends replies. If they are too large for the line, sends each alone; a reply that is too large becomes an error.
   */
  #reply(replies: readonly [number, Reply][]): void {
    const { epoch } = this.#all.owner
    try {
      this.post({ type: 'answer', epoch, replies })
    } catch (error) {
      const [first] = replies
      if (replies.length > 1) for (const one of replies) this.#reply([one])
      else if (first) this.post({ type: 'answer', epoch, replies: [[first[0], failedReply(error)]] })
    }
  }

  /** Undefined: the call gets no reply, because its follower sends it to the next owner. */
  async #run(id: string, call: CallMessage): Promise<[number, Reply] | undefined> {
    const { owner } = this.#all
    const { number, input, ...options } = call
    const abort = createAbort()
    this.#running.set(number, abort)
    try {
      const signal = abort.signal
      const value = await owner.engine.call(id, input, { ...options, signal, from: this.#caller })
      return [number, { ok: true, value }]
    } catch (error) {
      // A full disk would be full for the next owner too. A failed measurement must not hide the error of the call.
      if (isDaybookError(error, 'storage-full')) await owner.refit?.()?.catch(() => undefined)
      else if (this.#all.isClosed) return undefined
      else if (owner.onFault && isDaybookError(error, 'storage-failed')) {
        owner.onFault()
        return undefined
      }
      return [number, failedReply(error)]
    } finally {
      this.#running.delete(number)
    }
  }
}

/** Sets `owner` to false in a `status` event for followers. */
export const asFollower = (event: BookEvent): BookEvent =>
  event.name === 'status' ? { ...event, detail: { ...event.detail, owner: false } } : event

/** The follower as the engine's caller. */
function callingTab({ tab, scope, embedder, mirror, llm, room }: Joiner): CallingTab {
  const { agent, session, resource } = scope
  return {
    tab,
    scope: {
      agent,
      ...defined({ session, resource }),
    },
    owner: false,
    ...defined({ embedder, mirror, llm, room }),
  }
}
