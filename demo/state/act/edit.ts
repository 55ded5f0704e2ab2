// Edits a record as JSON. The new version keeps the id; earlier versions stay in the history and can be restored.
import { signal } from '@preact/signals'
import { DaybookError, type FactSchema } from '../../../src/index.ts'
import type { BookRecord, RecordKind } from '../../kind/record-kind.ts'
import { tell, tellError } from '../../page/toast.ts'
import { capital } from '../../wording/text-word.ts'
import { address } from '../address.ts'
import { openedBook } from '../book.ts'
import { openDialog } from '../dialog.ts'
import { parseJson } from '../record/store-json.ts'
import { detail, reloadDetail, type ShownRecord } from '../record/record-detail.ts'
import { onLocked } from '../held.ts'

interface Edited {
  readonly kind: RecordKind
  readonly record: BookRecord
  /** The number of the version that was current then. */
  readonly version: number | undefined
}

/** The record in the dialog, as it was when editing began. */
export const edited = signal<Edited | undefined>(undefined)

/** Fields of the book, which nobody edits. */
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

/** Edits the open record; false without an editable one. */
export function editHere(): boolean {
  const open = detail.peek()
  if (open.state !== 'shown' || open.id !== address.peek().id || !open.shown.kind.replace) return false
  editRecord(open.shown)
  return true
}

/** Stores an edited record. Throws for invalid content, and if the record was changed or forgotten since. */
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
    const change = now ? 'changed' : 'forgotten'
    throw new DaybookError(
      'conflict',
      `The record was ${change} while you were editing. Copy your text and edit again.`,
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

export async function restoreVersion(id: string, version: number): Promise<void> {
  try {
    const current = await openedBook()
    const { versions } = await current.records.history({ id })
    const before = versions.at(-1)?.version
    await current.records.restore({ id, version })
    reloadDetail()
    const undo = { word: 'Undo', run: () => void restoreVersion(id, before ?? version) }
    tell(
      `Version ${version} restored. Earlier versions stay in the history.`,
      before === undefined ? undefined : undo,
    )
  } catch (error) {
    tellError('The version was not restored.', error)
  }
}

export const schemaToChange = signal<FactSchema | undefined>(undefined)

export function registerSchema(change?: FactSchema): void {
  schemaToChange.value = change
  openDialog.value = 'schema'
}
