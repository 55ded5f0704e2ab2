// A process that the holder of its book serves: the holder's engine runs its calls, and the answers go back over its line.
// Invariant: what ended because the book was let go is not answered; its process has the next holder run it.
import type { OwnerMessage, CallMessage, Reply } from '../../../book/share/line-message.ts'
import { failed } from '../../../book/share/line-message.ts'
import { AnswerLog } from '../../../book/share/answer-log.ts'
import { type DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { CallingTab } from '../../../engine/engine-shape.ts'
import type { FrameLine } from './frame-line.ts'
import type { OwnedBook } from './owned-book.ts'
import { type EventMessage, type JoiningProcess, readFollowerMessage } from './process-wire.ts'

export interface Serving {
  readonly owned: OwnedBook
  /** What is being answered. */
  readonly work: Set<Promise<void>>
  /** The holder lets go of the book. */
  isClosed(): boolean
}

/** The connection tells holders apart, so the epoch of every message on it is this one. */
export const lineEpoch = 1

export class ServedProcess {
  readonly joiner: JoiningProcess
  readonly #line: FrameLine
  readonly #serving: Serving
  readonly #answers: AnswerLog
  readonly #running = new Map<number, AbortController>()
  readonly #caller: CallingTab
  #hasLeft = false

  constructor(joiner: JoiningProcess, line: FrameLine, serving: Serving) {
    this.joiner = joiner
    this.#line = line
    this.#serving = serving
    this.#answers = new AnswerLog(joiner.process, serving.owned.engine.store)
    this.#caller = callerOf(joiner)
  }

  post(message: OwnerMessage | EventMessage): void {
    this.#line.post(message)
  }

  /** Throws `invalid-input` for what is no message: then its connection is of no more use. */
  hear(given: unknown): void {
    if (this.#serving.isClosed()) return
    const message = readFollowerMessage(given)
    if (message.type === 'leave') {
      this.#hasLeft = true
      this.#line.end()
    } else if (message.type === 'ping') this.post({ type: 'pong', epoch: lineEpoch })
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

  /** Its connection has ended. */
  gone(): void {
    this.abortAll()
    if (this.#serving.isClosed()) return
    this.#answers.end(this.#hasLeft)
    this.#serving.owned.engine.room.leaveTab(this.joiner.process)
  }

  refuse(error: DaybookError): void {
    this.post({ type: 'refuse', error: error.toJSON() })
  }

  end(): void {
    this.#line.end()
  }

  #serve(id: string, calls: readonly CallMessage[]): void {
    const { work } = this.#serving
    const answering = this.#answer(id, calls)
    work.add(answering)
    void answering.finally(() => work.delete(answering))
  }

  async #answer(id: string, calls: readonly CallMessage[]): Promise<void> {
    const { engine } = this.#serving.owned
    const outcomes = await Promise.all(engine.together(() => calls.map((call) => this.#run(id, call))))
    for (const outcome of outcomes) if (outcome) this.#reply(outcome)
  }

  /** Each in a frame of its own: one answer that no frame holds is no reason to lose the others. */
  #reply([number, reply]: [number, Reply]): void {
    try {
      this.post({ type: 'answer', epoch: lineEpoch, replies: [[number, reply]] })
    } catch (error) {
      this.post({ type: 'answer', epoch: lineEpoch, replies: [[number, failed(error)]] })
    }
  }

  async #run(id: string, call: CallMessage): Promise<[number, Reply] | undefined> {
    const { owned, isClosed } = this.#serving
    const { number, input, ...options } = call
    const abort = new AbortController()
    this.#running.set(number, abort)
    try {
      const value = await owned.engine.call(id, input, {
        ...options,
        signal: abort.signal,
        from: this.#caller,
      })
      return [number, { ok: true, value }]
    } catch (error) {
      return isClosed() && !isDaybookError(error, 'storage-full') ? undefined : [number, failed(error)]
    } finally {
      this.#running.delete(number)
    }
  }
}

/** The process as the engine knows who calls it. */
function callerOf({ process, scope, embedder, mirror, llm, room }: JoiningProcess): CallingTab {
  const { agent, session, resource } = scope
  return {
    tab: process,
    scope: {
      agent,
      ...(session === undefined ? {} : { session }),
      ...(resource === undefined ? {} : { resource }),
    },
    owner: false,
    ...(embedder === undefined ? {} : { embedder }),
    ...(mirror === undefined ? {} : { mirror }),
    ...(llm === undefined ? {} : { llm }),
    ...(room === undefined ? {} : { room }),
  }
}
