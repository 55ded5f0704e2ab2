// The cursor of the list for the keyboard, and its link to the selected record.
import { effect, signal } from '@preact/signals'
import { address, go } from '../address.ts'
import { findInList, list, scrollRequest, shown } from './record-list.ts'
import { detail } from '../record/record-detail.ts'

export const cursor = signal<number | undefined>(undefined)

/** Puts the cursor on a row, loading it first; with a record open, that one becomes the open one. */
export async function moveCursor(to: number): Promise<void> {
  const now = list.peek()
  if (!now || now.pages.count.peek() === 0) return
  const index = Math.max(0, Math.min(now.pages.count.peek() - 1, to))
  cursor.value = index
  scrollRequest.value = { index, align: 'auto' }
  await now.pages.ready(index)
  const row = now.pages.at(index)
  if (row && cursor.peek() === index && address.peek().id !== undefined) go({ id: row.id }, 'replace')
}

/** Opens the record of a row. `pressed`: the record that it had when it was pressed. */
export async function openRow(index: number, pressed?: string): Promise<void> {
  const pages = list.peek()?.pages
  cursor.value = index
  await pages?.ready(index)
  const id = pressed ?? pages?.at(index)?.id
  if (id) go({ id })
}

let listed: string | undefined
effect(() => {
  const view = list.value?.kind.view
  if (view === undefined || view === listed) return
  listed = view
  cursor.value = undefined
})

let revealed: string | undefined
effect(() => {
  const now = list.value
  const open = detail.value
  if (!now || open.state !== 'shown' || open.shown.kind !== now.kind) {
    if (open.state === 'none') revealed = undefined
    return
  }
  const key = `${now.key} ${open.id}`
  if (key === revealed) return
  revealed = key
  void reveal(open.id, open.shown.kind.row(open.shown.record).at)
})

/** Scrolls the list to the open record, if the list has it. */
async function reveal(id: string, at: string): Promise<void> {
  const index = await findInList(id, at).catch(() => undefined)
  if (index === undefined || address.peek().id !== id) return
  cursor.value = index
  if (index < shown.first || index > shown.last) scrollRequest.value = { index, align: 'center' }
}
