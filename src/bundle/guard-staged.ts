// Keeps secrets out of an upload while it waits: what would be sealed or masked in the book is so before it is staged, and of
// what was purged nothing is staged, so that no file has it again.
import type { RecordWriter } from '../core/capability/port/record-port.ts'
import type { StagedRecord } from '../core/capability/transfer.ts'
import type { JsonObject } from '../core/json/path.ts'
import { bodyOf, headOf, type Stored } from '../core/record.ts'

/** `staged` as it may wait; the same object where it holds no secret. One that was purged says nothing. */
export function guardStaged(
  staged: StagedRecord,
  records: Pick<RecordWriter, 'guarded' | 'wasPurged'>,
): StagedRecord {
  if (records.wasPurged(staged.id)) return { id: staged.id, kind: staged.kind, text: '' }
  if (staged.isSealed) return staged
  const record = JSON.parse(staged.text) as Stored<JsonObject>
  const given = bodyOf(record)
  const { id, kind } = staged
  const { body, sensitivity } = records.guarded({ id, kind, body: given, sensitivity: staged.sensitivity })
  if (body === given && sensitivity === staged.sensitivity) return staged
  return { id, kind, text: JSON.stringify({ ...headOf(record), ...body, sensitivity }), sensitivity }
}
