// The messages of a list of ids that are still there, for what was made from them.
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import type { Message } from './message-schema.ts'

/** Those of the messages `ids` that the caller can read, each once, in their order. */
export function messagesLeft(
  { records }: { readonly records: Pick<RecordReader, 'get'> },
  ids: readonly string[],
): Message[] {
  return [...new Set(ids)].flatMap((id) => {
    const found = records.get(id)
    return found?.kind === 'message' ? [found as unknown as Message] : []
  })
}
