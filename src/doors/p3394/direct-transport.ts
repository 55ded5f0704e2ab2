// Sends messages to a book in this process. Closing the transport leaves the book open.
import type { Daybook } from '../../book/daybook.ts'
import { orAborted } from '../../core/abort.ts'
import { toDaybookError } from '../../core/errors.ts'
import { runCapability } from './run-capability.ts'
import { type AgentTransport, toReply } from './transport.ts'

/** Messages have the rights of the book or handle. For agents pass a handle: `book.with({ as: token })`. */
export function createDirectTransport(book: Pick<Daybook, 'call'>): AgentTransport {
  return {
    type: 'direct',
    async send({ id, capability, content }, signal) {
      try {
        const call = (verb: string, input: unknown, requestId: string) =>
          book.call(verb, input, { requestId, signal })
        const request = { capability, input: content, requestId: id }
        // `runCapability` makes no answer message, so no new id is needed.
        const at = { now: () => Date.now(), newId: () => id, call }
        return { ok: true, data: await orAborted(runCapability(request, at), signal) }
      } catch (error) {
        if (signal.aborted) throw error
        return toReply(toDaybookError(error))
      }
    },
    async beat() {
      // The heartbeat: any answer of the book shows that it works, also a refusal such as `forbidden`. `toReply` throws
      // only the errors of a book that ended.
      await book.call('daybook:status', {}).catch((error: unknown) => toReply(toDaybookError(error)))
    },
    close: () => undefined,
  }
}
