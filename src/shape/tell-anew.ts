// The frame of the verbs that write a derived record anew when one of its sources is gone: input, answer and steps.
// Invariant: the record is written or forgotten in one transaction, and only while some source of it is gone.
import { z } from 'zod'
import type { TaskContext } from '../core/capability/context.ts'
import type { RecordWriter } from '../core/capability/port/record-port.ts'
import type { JsonObject } from '../core/json/path.ts'
import { bodyOf } from '../core/record.ts'
import { recordId } from './record-id.ts'

export const tellAnewInput = z.strictObject({ id: recordId })

export const tellAnewOutput = z.object({
  id: z.string(),
  /** `current`: no source of it is gone. `absent`: there is no such record any more. */
  result: z.enum(['told', 'forgotten', 'current', 'absent']),
})

interface Anew {
  readonly id: string
  /** The kinds that the verb writes. */
  readonly kinds: ReadonlySet<string>
  /** The body without what quotes a source that is gone; undefined where nothing is left. */
  bodyLeft(records: RecordWriter, kind: string, body: JsonObject): JsonObject | undefined
}

/** Writes the record `id` anew, as part of the upkeep of the book, or forgets it. */
export async function tellAnew(
  at: Pick<TaskContext<'records'>, 'records'>,
  { id, kinds, bodyLeft }: Anew,
): Promise<z.output<typeof tellAnewOutput>> {
  const kind = at.records.get(id)?.kind ?? ''
  if (!kinds.has(kind)) return { id, result: 'absent' }
  const { records: current } = at.records.query({ kind, filters: { id }, limit: 1 })
  if (current.length > 0) return { id, result: 'current' }
  const isTold = await at.records.write(({ records }) => {
    const found = records.get(id)
    const body = found && bodyLeft(records, kind, bodyOf(found) as JsonObject)
    if (body) records.put({ kind, id, body, exact: true, upkeep: true })
    else records.forget(id)
    return body !== undefined
  })
  return { id, result: isTold ? 'told' : 'forgotten' }
}
