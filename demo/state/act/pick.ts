// Picked records of a list, to forget or save together. Another list starts without any.
import { effect, signal } from '@preact/signals'
import { saveFile } from '../../page/save-file.ts'
import { tell, tellError } from '../../page/toast.ts'
import { capital, countOf } from '../../wording/text-word.ts'
import { forgetNow } from './forget.ts'
import { openedBook } from '../book.ts'
import { cursor } from '../list/list-cursor.ts'
import { list } from '../list/record-list.ts'

/** The ids of the picked records, in the order in which they were picked. */
export const picked = signal<ReadonlySet<string>>(new Set())
/** The question whether to forget them is open. */
export const isForgetPending = signal(false)

export function clearPicked(): void {
  picked.value = new Set()
  isForgetPending.value = false
}

/** Picks or unpicks the record of a row, and moves the cursor there. `pressed`: see `openRow`. */
export function togglePicked(index: number | undefined, pressed?: string): void {
  const id = pressed ?? (index === undefined ? undefined : list.peek()?.pages.at(index)?.id)
  if (id === undefined) return
  const next = new Set(picked.peek())
  if (!next.delete(id)) next.add(id)
  picked.value = next
  isForgetPending.value = false
  cursor.value = index
}

/** Forgets the picked records, after the confirmation. */
export function forgetPicked(): void {
  const kind = list.peek()?.kind
  const ids = [...picked.peek()]
  if (!kind || ids.length === 0) return
  const subject = ids.length === 1 ? capital(kind.one) : countOf(ids.length, kind.one, kind.many)
  void forgetNow(ids, 'forget', subject)
  clearPicked()
}

/** Saves them as JSON, one record a line. */
export async function savePicked(): Promise<void> {
  const kind = list.peek()?.kind
  const ids = [...picked.peek()]
  if (!kind) return
  try {
    const book = await openedBook()
    const lines: string[] = []
    for (const id of ids) lines.push(JSON.stringify(await book.records.get({ id })))
    const file = new Blob([`${lines.join('\n')}\n`], { type: 'application/jsonl' })
    saveFile(file, `${kind.many.replaceAll(' ', '-')}.jsonl`)
    tell(`${countOf(ids.length, kind.one, kind.many)} saved.`)
  } catch (error) {
    tellError(`The ${kind.many} could not be saved.`, error)
  }
}

let listed: unknown
effect(() => {
  const kind = list.value?.kind
  if (kind === listed) return
  listed = kind
  clearPicked()
})
