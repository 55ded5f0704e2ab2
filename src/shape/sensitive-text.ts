// Finds texts that repeat a sensitive record, so that no model outside this device gets them.
import type { RecordReader } from '../core/capability/port/record-port.ts'
import { defined } from '../core/defined.ts'
import { createRepeatFinder, type RepeatFinder } from '../core/text/repeated-text.ts'

const include = { expired: true, superseded: true, outdated: true } as const

/**
 * Returns a function that is true for one of `texts` that repeats the content of a sensitive record: one that the caller
 * may read, of `kind` if given. With a time, a short text must also have the record's `timestamp`.
 */
export function createSensitiveTextFinder(
  records: Pick<RecordReader, 'query'>,
  { kind, agent }: { readonly kind?: string; readonly agent?: string },
  texts: readonly string[],
): RepeatFinder['repeats'] {
  const { add, repeats } = createRepeatFinder(texts)
  let cursor: string | undefined
  do {
    const page = records.query({
      ...defined({ kind, cursor }),
      filters: defined({ agent }),
      sensitive: true,
      include,
      orderBy: 'id',
      limit: 1000,
    })
    for (const { content, timestamp } of page.records)
      if (typeof content === 'string') add(content, timestamp)
    cursor = page.cursor
  } while (cursor !== undefined)
  return repeats
}
