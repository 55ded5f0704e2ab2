// Calls of one capability that a page makes together, sent to its worker together: they share a transaction where they write.
// Invariant: one call that cannot be sent does not keep those beside it from being sent.
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { CallMessage, Reply } from '../../../book/share/line-message.ts'

interface Waiting {
  /** The page has the outcomes of all calls below this number. */
  readonly settled: number
  readonly message: CallMessage
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type Send = (id: string, calls: readonly CallMessage[], settled: number) => Promise<Reply[]>

export class CallBatches {
  readonly #send: Send
  /** By capability: what is sent once the task of now has ended. */
  readonly #open = new Map<string, Waiting[]>()

  constructor(send: Send) {
    this.#send = send
  }

  add(id: string, message: CallMessage, settled: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiting = { settled, message, resolve, reject }
      const batch = this.#open.get(id)
      if (batch) return void batch.push(waiting)
      const begun = [waiting]
      this.#open.set(id, begun)
      queueMicrotask(() => {
        this.#open.delete(id)
        void this.#make(id, begun)
      })
    })
  }

  async #make(id: string, batch: readonly Waiting[]): Promise<void> {
    try {
      const calls = batch.map(({ message }) => message)
      const replies = await this.#send(id, calls, batch[0]?.settled ?? 0)
      batch.forEach((waiting, i) => settle(waiting, replies[i]))
    } catch (error) {
      if (batch.length > 1 && isUnsent(error)) for (const one of batch) void this.#make(id, [one])
      else for (const { reject } of batch) reject(sendFailure(error))
    }
  }
}

function settle({ resolve, reject }: Waiting, reply: Reply | undefined): void {
  if (!reply) reject(new DaybookError('internal', 'The worker left a call without an answer.'))
  else if (reply.ok) resolve(reply.value)
  else reject(DaybookError.from(reply.error))
}

/** A worker answers with values, so anything else was thrown while the call was read: by the browser, or by a getter of the caller. */
const isUnsent = (error: unknown): boolean => !isDaybookError(error)

/** Why a call to a worker failed, as its caller is told. */
export function sendFailure(error: unknown): unknown {
  if (!isUnsent(error)) return error
  const reason = error instanceof Error ? error.message : ''
  return new DaybookError('invalid-input', `The input is not plain JSON: ${reason}.`, {
    details: { path: '' },
    cause: error,
  })
}
