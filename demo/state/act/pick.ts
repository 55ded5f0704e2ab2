// Records of a list that are picked together, to be forgotten or saved at once. Those of another list are none of this one.
import { effect, signal } from '@preact/signals'
import { saveFile } from '../../page/save-file.ts'
import { tell, tellError } from '../../page/toast.ts'
import { countOf, capital } from '../../wording/text-word.ts'
import { forgetNow } from './forget-now.ts'
import { openedBook } from '../book.ts'
import { cursor } from '../list/list-cursor.ts'
import { list } from '../list/record-list.ts'

/** The ids of the picked records, in the order in which they were picked. */
export const picked = signal<ReadonlySet<string>>(new Set())
/** Whether it was asked to forget them. */
export const isForgetAsked = signal(false)

export function clearPicked(): void {
  picked.value = new Set()
  isForgetAsked.value = false
}

/** Picks the record of a row, or lets it go; the keyboard goes on from there. */
export function togglePicked(index: number | undefined): void {
  const id = index === undefined ? undefined : list.peek()?.pages.at(index)?.id
  if (id === undefined) return
  const next = new Set(picked.peek())
  if (!next.delete(id)) next.add(id)
  picked.value = next
  isForgetAsked.value = false
  cursor.value = index
}

/** Forgets them, once it was confirmed. */
export function forgetPicked(): void {
  const kind = list.peek()?.kind
  const ids = [...picked.peek()]
  if (!kind || ids.length === 0) return
  const said = ids.length === 1 ? capital(kind.one) : countOf(ids.length, kind.one, kind.many)
  void forgetNow(ids, 'forget', said)
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
