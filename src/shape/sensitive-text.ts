// Finds texts that repeat a sensitive record, so that no model outside this device gets them.
import type { RecordReader } from '../core/capability/port/record-port.ts'
import { createRepeatFinder, type RepeatFinder } from '../core/text/repeated-text.ts'

const include = { expired: true, superseded: true, outdated: true } as const
/** Most sensitive records that are read at once. */
const pageSize = 10_000

/**
 * Returns a function that is true for one of `texts` that repeats a text of a sensitive record, of any kind, that the
 * caller may read. With a time, a short text must also have the record's `timestamp`. A locked record is not compared.
 */
export function createSensitiveTextFinder(
  records: Pick<RecordReader, 'query' | 'textsOf'>,
  texts: readonly string[],
): RepeatFinder['repeats'] {
  const { add, repeats } = createRepeatFinder(texts)
  let after = ''
  for (let isLast = false; !isLast;) {
    // Each page reads the heads of all later records, so the pages are large. A filter by id is faster than a cursor.
    const page = records.query({
      sensitive: true,
      filters: { id: { gt: after } },
      include,
      orderBy: 'id',
      limit: pageSize,
    })
    for (const record of page.records)
      for (const text of records.textsOf(record)) add(text, record['timestamp'])
    after = page.records.at(-1)?.id ?? after
    isLast = page.cursor === undefined
  }
  return repeats
}
