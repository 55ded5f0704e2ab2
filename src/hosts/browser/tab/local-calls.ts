// Runs the calls of the owner's own page.
// Invariant: a call that the end of the turn cuts is repeated in the next turn only if it can't take effect
// twice.
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { type CallMessage, type Reply, failedReply, requestOf } from '../../../book/share/line-message.ts'
import type { CallNature } from '../../../engine/verb-table.ts'
import type { WaitingCall } from '../../../book/share/follower.ts'
import type { TabOwner } from './tab-owner.ts'
import type { TabPort } from './tab-port.ts'

export interface LocalCallsParts {
  readonly tab: string
  readonly port: Pick<TabPort, 'later'>
  natureOf(id: string): CallNature
  /** Whether the tab is closed: then no call is repeated. */
  hasEnded(): boolean
  /** Called when the storage failed during a call: the tab reopens the book. */
  fault(): void
  /** Gives the call to the next owner, this tab or another. Undefined: no owner can run the call. */
  callNext(id: string, call: CallMessage): Promise<Reply> | undefined
}

/** Longest wait for running calls when the tab closes. */
const lastCallsMs = 1000

export class LocalCalls {
  readonly #parts: LocalCallsParts
  readonly #running = new Map<number, AbortController>()
  #onIdle: () => void = () => undefined

  constructor(parts: LocalCallsParts) {
    this.#parts = parts
  }

  /** Runs a call in the owner's engine, or in the next owner's if the end of the turn cuts it. Never rejects. */
  async run(owner: TabOwner, id: string, call: CallMessage): Promise<Reply> {
    const { tab, natureOf } = this.#parts
    // `options`: call options, such as a requestId (`CarriedOptions`).
    const { number, input, ...options } = call
    const abort = new AbortController()
    const { signal } = abort
    this.#running.set(number, abort)
    try {
      // A cut task may run again in the next owner, under the same requestId: each of its writes takes effect once.
      const named =
        natureOf(id).effect === 'task' ? { requestId: requestOf(tab, number), ...options } : options
      return { ok: true, value: await owner.engine.call(id, input, { ...named, signal }) }
    } catch (error) {
      if (isDaybookError(error, 'storage-failed')) this.#parts.fault()
      // A failed measurement must not hide the error of the call.
      if (isDaybookError(error, 'storage-full')) await owner.refit().catch(() => undefined)
      if (signal.aborted || !this.#mayRunNext(owner, id, { call, error })) return failedReply(error)
      return (await this.#parts.callNext(id, call)) ?? failedReply(error)
    } finally {
      this.#running.delete(number)
      if (this.#running.size === 0) this.#onIdle()
    }
  }

  /**
   * Runs a call that earlier owners didn't answer; `begun` of them may have started it. A task that may have
   * begun and can't be repeated fails with `owner-changed`.
   */
  async takeOver(owner: TabOwner, { id, call, begun, settle }: WaitingCall): Promise<void> {
    const { effect, repeatable } = this.#parts.natureOf(id)
    const isUnsafe = begun > 0 && effect === 'task' && !repeatable
    settle(isUnsafe ? failedReply(new DaybookError('owner-changed')) : await this.run(owner, id, call))
  }

  abort(number: number): void {
    this.#running.get(number)?.abort()
  }

  /** Resolves when running calls are answered, or after `lastCallsMs`. Undefined if no call is running. */
  lastAnswers(): Promise<void> | undefined {
    if (this.#running.size === 0) return undefined
    const { port } = this.#parts
    return new Promise((resolve) => {
      const cancel = port.later(lastCallsMs, resolve)
      this.#onIdle = () => {
        cancel()
        // Wait one more task, in which the answers are sent to the page.
        port.later(0, resolve)
      }
    })
  }

  /** Whether the end of the turn cut this call, and the call may be repeated. */
  #mayRunNext(
    owner: TabOwner,
    id: string,
    { call, error }: { readonly call: CallMessage; readonly error: unknown },
  ): boolean {
    // Don't repeat after `storage-full`: the disk is full in the next turn too.
    if (!owner.isClosed || this.#parts.hasEnded() || isDaybookError(error, 'storage-full')) return false
    // `book-closed`: the write did not begin. After any other error it may have begun.
    return (
      this.#parts.natureOf(id).effect !== 'write' ||
      call.requestId !== undefined ||
      isDaybookError(error, 'book-closed')
    )
  }
}
