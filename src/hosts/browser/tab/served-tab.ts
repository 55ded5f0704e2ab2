// A tab that the owner of its book serves: the owner's engine runs its calls, and the answers go back on its line.
// Invariant: only calls of this owner's own epoch are run, and what ended because the book was let go is not answered:
// its follower sends it to the next owner.
import {
  failed,
  type CallMessage,
  type FollowerMessage,
  type OwnerMessage,
  type Reply,
} from '../../../book/share/line-message.ts'
import { isDaybookError } from '../../../core/errors.ts'
import type { CallingTab } from '../../../engine/engine-shape.ts'
import { aliveLock } from '../wire/message.ts'
import { AnswerLog } from '../../../book/share/answer-log.ts'
import type { OwnedBook } from './owned-book.ts'
import type { TabChannel, TabPort } from './tab-port.ts'
import { type Joiner, lineName } from './tab-wire.ts'

/** What the owner has in common for all that it serves. */
export interface Serving {
  readonly book: string
  readonly owned: OwnedBook
  readonly port: TabPort
  /** What is being answered. */
  readonly work: Set<Promise<void>>
  /** The owner lets go of the book. */
  isClosed(): boolean
  /** The storage failed under a call: somebody should open the book again. */
  onFault(): void
  /** This tab is served no more. */
  gone(tab: ServedTab): void
}

export class ServedTab {
  readonly joiner: Joiner
  readonly #serving: Serving
  readonly #channel: TabChannel<OwnerMessage>
  readonly #answers: AnswerLog
  readonly #running = new Map<number, AbortController>()
  readonly #watching = new AbortController()
  #isGone = false

  constructor(joiner: Joiner, serving: Serving) {
    const { book, owned, port } = serving
    const { tab } = joiner
    this.joiner = joiner
    this.#serving = serving
    this.#answers = new AnswerLog(tab, owned.engine.store)
    this.#channel = port.open<FollowerMessage, OwnerMessage>(
      lineName(book, tab),
      (message) => this.#hear(message),
      { of: 'owner', epoch: owned.epoch },
    )
    // Granted when the tab's worker is gone.
    port.lock(aliveLock(tab), this.#watching.signal).then(
      (free) => {
        free()
        this.#end(false)
      },
      () => undefined,
    )
  }

  post(message: OwnerMessage): void {
    if (!this.#isGone) this.#channel.post(message)
  }

  /** What runs for it ends as soon as it can. */
  abortAll(): void {
    for (const abort of this.#running.values()) abort.abort()
  }

  /** Neither hears nor answers it any more. */
  close(): void {
    this.#isGone = true
    this.#watching.abort()
    this.#channel.close()
  }

  #end(hasLeft: boolean): void {
    if (this.#isGone) return
    this.close()
    this.abortAll()
    if (!this.#serving.isClosed()) this.#answers.end(hasLeft)
    this.#serving.gone(this)
  }

  #hear(message: FollowerMessage): void {
    const { owned, isClosed } = this.#serving
    const { epoch } = owned
    if (isClosed()) return
    if (message.type === 'leave') return this.#end(true)
    if (message.epoch !== epoch) return
    if (message.type === 'ping') this.post({ type: 'pong', epoch })
    else if (message.type === 'keep') this.#answers.keep(message.numbers)
    else if (message.type === 'abort') this.#running.get(message.number)?.abort()
    else this.#serve(message)
  }

  #serve({ id, calls, settled }: Extract<FollowerMessage, { type: 'call' }>): void {
    const { work } = this.#serving
    const answering = this.#answer(id, calls)
    work.add(answering)
    void answering.finally(() => work.delete(answering))
    this.#answers.settle(settled)
  }

  async #answer(id: string, calls: readonly CallMessage[]): Promise<void> {
    const { engine, epoch } = this.#serving.owned
    const outcomes = await Promise.all(engine.together(() => calls.map((call) => this.#run(id, call))))
    const replies = outcomes.filter((outcome) => outcome !== undefined)
    if (replies.length > 0) this.post({ type: 'answer', epoch, replies })
  }

  async #run(id: string, call: CallMessage): Promise<[number, Reply] | undefined> {
    const { owned, isClosed, onFault } = this.#serving
    const { number, input, ...options } = call
    const abort = new AbortController()
    this.#running.set(number, abort)
    try {
      const signal = abort.signal
      const value = await owned.engine.call(id, input, { ...options, signal, from: callingTab(this.joiner) })
      return [number, { ok: true, value }]
    } catch (error) {
      // What found the disk full would find it full in the next turn too.
      if (isClosed() && !isDaybookError(error, 'storage-full')) return undefined
      if (isDaybookError(error, 'storage-full')) await owned.refit?.()
      if (!isDaybookError(error, 'storage-failed')) return [number, failed(error)]
      onFault()
      return undefined
    } finally {
      this.#running.delete(number)
    }
  }
}

/** The tab as the engine knows who calls it. */
function callingTab({ tab, scope, embedder, mirror, llm, room }: Joiner): CallingTab {
  return {
    tab,
    scope,
    owner: false,
    ...(embedder === undefined ? {} : { embedder }),
    ...(mirror === undefined ? {} : { mirror }),
    ...(llm === undefined ? {} : { llm }),
    ...(room === undefined ? {} : { room }),
  }
}
