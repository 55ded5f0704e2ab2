// Editing a record as JSON: what is stored anew keeps its id, and the version before stays in its history to be restored.
import { signal } from '@preact/signals'
import { DaybookError } from '../../../src/index.ts'
import type { BookRecord, RecordKind } from '../../kind/record-kind.ts'
import { tell } from '../../page/toast.ts'
import { capital } from '../../wording/text-word.ts'
import { address } from '../address.ts'
import { openedBook } from '../book.ts'
import { openDialog } from '../dialog.ts'
import { parseJson } from '../record/parse-json.ts'
import { detail, reloadDetail, type ShownRecord } from '../record/record-detail.ts'
import { restoreVersion } from '../record/restore.ts'
import { onLocked } from '../held.ts'

export interface Edited {
  readonly kind: RecordKind
  readonly record: BookRecord
  /** The number of the version that was current then. */
  readonly version: number | undefined
}

/** The record that is being edited, as it was when that began. */
export const edited = signal<Edited | undefined>(undefined)

/** What the book says of a record beside its content; nobody edits that. */
const head = new Set(['id', 'kind', 'created_at', 'updated_at', 'ver', 'marks', 'agent'])

/** The content as text to be edited. */
export function contentOf(record: BookRecord): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(record).filter(([name]) => !head.has(name))),
    null,
    2,
  )
}

export function editRecord({ kind, record, versions }: ShownRecord): void {
  edited.value = { kind, record, version: versions.at(-1)?.version }
  openDialog.value = 'edit'
}

/** Edits the open record; false when none is open that can be edited. */
export function editHere(): boolean {
  const open = detail.peek()
  if (open.state !== 'shown' || open.id !== address.peek().id || !open.shown.kind.replace) return false
  editRecord(open.shown)
  return true
}

/** Stores what was edited. Throws when it is not sound, or when the record was changed or forgotten meanwhile. */
export async function saveEdit({ kind, record, version: before }: Edited, text: string): Promise<void> {
  const content = parseJson(text)
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new DaybookError('invalid-input', 'The content of a record is a JSON object.', {
      details: { path: '' },
    })
  const { id, agent } = record
  const open = await openedBook()
  const [now, { versions }] = await Promise.all([open.records.get({ id }), open.records.history({ id })])
  if (!now || versions.at(-1)?.version !== before) {
    const what = now ? 'changed' : 'forgotten'
    throw new DaybookError(
      'conflict',
      `The record was ${what} while you were editing. Copy your text and edit again.`,
      {
        details: { path: 'id' },
      },
    )
  }
  await kind.replace?.(open, id, { ...content, agent })
  reloadDetail()
  tell(
    `${capital(kind.one)} saved.`,
    before === undefined ? undefined : { word: 'Undo', run: () => void restoreVersion(id, before) },
  )
}

onLocked(() => {
  edited.value = undefined
  if (openDialog.peek() === 'edit') openDialog.value = undefined
})
