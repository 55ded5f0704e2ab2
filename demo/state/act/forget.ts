// Forgets or purges records, after a question that shows which records cite them and what happens to those.
// Invariant: a record is deleted when the button is pressed; no delay in the page, so closing the page loses nothing.
import { kindNamed } from '../../kind/kind-table.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { capital, countOf } from '../../wording/text-word.ts'
import { address, go, listedKind } from '../address.ts'
import { openedBook } from '../book.ts'
import { cursor } from '../list/list-cursor.ts'
import { list, reloadList } from '../list/record-list.ts'
import { detail, readShown, type ShownRecord } from '../record/record-detail.ts'
import { citedAt } from '../record/record-read.ts'
import { tell, tellError } from '../../page/toast.ts'
import { held } from '../held.ts'

/** The record of the open question. */
export const forgetQuestion = held<ShownRecord | undefined>(undefined)

export interface Citing {
  /** They keep a broken link, or lose it. */
  readonly pointing: readonly BookRecord[]
  /** They have no other source: without the link they are forgotten too. */
  readonly resting: readonly BookRecord[]
}

/** The records that cite it, and the effect on each. */
export function citingOf({ record, links }: ShownRecord): Citing {
  const all = links.flatMap(({ direction, records }) => (direction === 'from' ? records : []))
  const rests = (citing: BookRecord) =>
    kindNamed(citing.kind)?.cites.some(({ path, rests: isResting }) => {
      const ids = citedAt(citing, path)
      return ids.includes(record.id) && new Set(ids).size === 1 && isResting?.(citing) === true
    }) === true
  return { pointing: all.filter((one) => !rests(one)), resting: all.filter((one) => rests(one)) }
}

/** Asks about the open record, or the one at the cursor of the list; false without one. */
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

/** Answers the open question. With `cascade` no record points at it any more. */
export function answerForget(how: How): void {
  const question = forgetQuestion.peek()
  forgetQuestion.value = undefined
  if (!question) return
  const { kind, record } = question
  if (address.peek().id === record.id) go({ id: undefined }, 'replace')
  void forgetNow([record.id], how, capital(kind.one))
}

type How = 'forget' | 'cascade' | 'purge'

/** Forgets records now. `subject` names them, such as `Trace`. */
export async function forgetNow(ids: readonly string[], how: How, subject: string): Promise<void> {
  const done = how === 'purge' ? 'purged' : 'forgotten'
  let alsoForgotten = 0
  let released = 0
  let remaining = ids.length
  try {
    const { records } = await openedBook()
    const cascade = how === 'cascade'
    // Sent together, so that none waits in this page.
    const all = await Promise.allSettled(
      ids.map((id) => (how === 'purge' ? records.purge({ id }) : records.forget({ id, cascade }))),
    )
    for (const one of all) {
      if (one.status === 'rejected') continue
      remaining -= 1
      alsoForgotten += one.value.alsoForgotten.length
      released += one.value.released.length
    }
    const refused = all.find((one) => one.status === 'rejected')
    if (refused) throw refused.reason
    const links = released > 0 ? ` ${countOf(released, 'record')} lost a link to it.` : ''
    const more =
      alsoForgotten > 0 ? ` ${countOf(alsoForgotten, 'record')} without another source deleted too.` : ''
    tell(`${subject} ${done}.${links}${more}`)
  } catch (error) {
    const part = ids.length > 1 ? ` ${remaining} of ${ids.length} are still there.` : ''
    tellError(`${subject} could not be ${done}.${part}`, error)
  }
  await reloadList({ keepPlace: true })
}
