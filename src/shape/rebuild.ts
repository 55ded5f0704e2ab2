// The common part of verbs that rebuild a derived record after one of its sources is gone.
// Invariant: the record is rebuilt or forgotten in one transaction, and only if a source is gone, or became
// more sensitive than the record.
import { z } from 'zod'
import type { TaskContext } from '../core/capability/context.ts'
import type { RecordWriter } from '../core/capability/port/record-port.ts'
import type { JsonObject } from '../core/json/path.ts'
import { bodyOf } from '../core/record.ts'
import { recordId } from './field.ts'

export const rebuildInput = z.strictObject({ id: recordId })

export const rebuildOutput = z.object({
  id: z.string(),
  /**
   * `rebuilt`: made again. `forgotten`: nothing remained. `current`: it needs no rebuild. `absent`: no record
   * of the verb's kinds has this id.
   */
  result: z.enum(['rebuilt', 'forgotten', 'current', 'absent']),
})

interface Rebuilding {
  readonly id: string
  /** Kinds of records that the verb rebuilds. */
  readonly kinds: ReadonlySet<string>
  /** Returns the body without the words of sources that are gone; undefined if nothing remains. */
  bodyLeft(records: RecordWriter, kind: string, body: JsonObject): JsonObject | undefined
}

/** Rebuilds or forgets the record `id`, as upkeep by the book itself. */
export async function rebuildRecord(
  at: Pick<TaskContext<'records'>, 'records'>,
  { id, kinds, bodyLeft }: Rebuilding,
): Promise<z.output<typeof rebuildOutput>> {
  const kind = at.records.get(id)?.kind ?? ''
  if (!kinds.has(kind)) return { id, result: 'absent' }
  // A query leaves out outdated records, which need the rebuild; `get` does not.
  const { records: current } = at.records.query({ kind, filters: { id }, limit: 1 })
  if (current.length > 0) return { id, result: 'current' }
  const isRebuilt = await at.records.write(({ records }) => {
    const found = records.get(id)
    const body = found && bodyLeft(records, kind, bodyOf(found) as JsonObject)
    // `exact`: fields that are missing in `body` are removed.
    if (body) records.put({ kind, id, body, exact: true, upkeep: true })
    else records.forget(id, 'upkeep')
    return body !== undefined
  })
  return { id, result: isRebuilt ? 'rebuilt' : 'forgotten' }
}
