// Marks and sensitivity of a record. Each act can be undone.
import type { BookRecord, RecordRow, Sensitivity } from '../../kind/record-kind.ts'
import type { MarkInput } from '../../kind/marked.ts'
import { tell, tellError } from '../../page/toast.ts'
import { address, listedKind } from '../address.ts'
import { openedBook } from '../book.ts'
import { cursor } from '../list/list-cursor.ts'
import { list } from '../list/record-list.ts'
import { detail } from '../record/record-detail.ts'

/** Marks a record and shows `done`; false after an error. */
export async function markRecord(change: MarkInput, done: string): Promise<boolean> {
  try {
    const { undo } = await (await openedBook()).records.mark(change)
    tell(done, { word: 'Undo', run: () => void markRecord(undo, 'Mark restored.') })
    return true
  } catch (error) {
    tellError('The mark could not be saved.', error)
    return false
  }
}

/** Sets the sensitivity of a record. A sensitive one is stored encrypted, with its earlier versions. */
export async function setSensitivity(
  id: string,
  sensitivity: Sensitivity,
  before: Sensitivity,
): Promise<void> {
  try {
    await (await openedBook()).records.setSensitivity({ id, sensitivity })
    const undo = { word: 'Undo', run: () => void setSensitivity(id, before, sensitivity) }
    const isSealing = sensitivity === 'sensitive' || sensitivity === 'restricted'
    tell(`Marked ${sensitivity}.${isSealing ? ' Stored encrypted, with its earlier versions.' : ''}`, undo)
  } catch (error) {
    tellError('Sensitivity unchanged.', error)
  }
}

type Pinnable = Pick<BookRecord | RecordRow, 'id' | 'marks'>

export async function togglePin({ id, marks }: Pinnable): Promise<void> {
  if (marks?.pinned === true) await markRecord({ id, pinned: null }, 'Unpinned.')
  else await markRecord({ id, pinned: true }, 'Pinned. Recall prefers it.')
}

/** Pins or unpins the open record, or the one at the cursor of the list; false without one. */
export function pinHere(): boolean {
  const { id } = address.peek()
  const open = detail.peek()
  if (id !== undefined) {
    if (open.state !== 'shown' || open.id !== id) return false
    void togglePin(open.shown.record)
    return true
  }
  const at = cursor.peek()
  const row = listedKind.peek() && at !== undefined ? list.peek()?.pages.at(at) : undefined
  if (row) void togglePin(row)
  return row !== undefined
}
