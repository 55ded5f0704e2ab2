// Forgetting a record: asked about first, with what cites it and what becomes of that, from the list or the open record.
import { kindNamed } from '../../kind/kind-table.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { capital } from '../../wording/text-word.ts'
import { address, go, listedKind } from '../address.ts'
import { openedBook } from '../book.ts'
import { cursor } from '../list/list-cursor.ts'
import { list } from '../list/record-list.ts'
import { detail, readShown, type ShownRecord } from '../record/record-detail.ts'
import { citedAt } from '../record/record-read.ts'
import { forgetNow, type How } from './forget-now.ts'
import { tell, tellError } from '../../page/toast.ts'
import { held } from '../held.ts'

/** The record that the open question is about, if any. */
export const forgetQuestion = held<ShownRecord | undefined>(undefined)

export interface Citing {
  /** Keep a link that leads nowhere, or lose it when asked to. */
  readonly pointing: readonly BookRecord[]
  /** Have nothing else to stand on: letting go of their links forgets them too. */
  readonly resting: readonly BookRecord[]
}

/** Who cites the record, and what would become of each. */
export function citingOf({ record, links }: ShownRecord): Citing {
  const all = links.flatMap(({ direction, records }) => (direction === 'from' ? records : []))
  const rests = (citing: BookRecord) =>
    kindNamed(citing.kind)?.cites.some(({ path, rests: isResting }) => {
      const ids = citedAt(citing, path)
      return ids.includes(record.id) && new Set(ids).size === 1 && isResting?.(citing) === true
    }) === true
  return { pointing: all.filter((one) => !rests(one)), resting: all.filter((one) => rests(one)) }
}

/** Asks about the open record, or the one that the keyboard stands on in the list; false when there is none. */
export function askToForgetHere(): boolean {
  const { id } = address.peek()
  const open = detail.peek()
  if (id !== undefined) {
    if (open.state !== 'shown' || open.id !== id) return false
    forgetQuestion.value = open.shown
    return true
  }
  const at = cursor.peek()
  const row = listedKind.peek() && at !== undefined ? list.peek()?.pages.at(at) : undefined
  if (row) void askToForget(row.id)
  return row !== undefined
}

async function askToForget(id: string): Promise<void> {
  try {
    const found = await readShown(await openedBook(), id)
    if (found) forgetQuestion.value = found
    else tell('The record no longer exists.')
  } catch (error) {
    tellError('The record could not be read.', error)
  }
}

/** Does what the open question asks, now; with `cascade`, no record is left that points at it. */
export function forgetAsked(how: How): void {
  const question = forgetQuestion.peek()
  forgetQuestion.value = undefined
  if (!question) return
  const { kind, record } = question
  if (address.peek().id === record.id) go({ id: undefined }, 'replace')
  void forgetNow([record.id], how, capital(kind.one))
}
