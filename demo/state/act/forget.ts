// Forgetting a record: asked about first, with what cites it and what becomes of that; told plainly, not undone.
import { signal } from '@preact/signals'
import { kindNamed } from '../../kind/kind-table.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { countOf } from '../../wording/size-word.ts'
import { capital } from '../../wording/text-word.ts'
import { address, go } from '../address.ts'
import { openedBook } from '../book.ts'
import type { ShownRecord } from '../record/record-detail.ts'
import { reloadList } from '../list/record-list.ts'
import { citedAt } from '../record/record-read.ts'
import { tell, tellError } from '../../page/toast.ts'

/** The record that the open question is about, if any. */
export const forgetQuestion = signal<ShownRecord | undefined>(undefined)

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

/** Does what the open question asks; with `cascade`, no record is left that points at it. */
export async function forgetAsked(cascade: boolean): Promise<void> {
  const question = forgetQuestion.peek()
  forgetQuestion.value = undefined
  if (!question) return
  const { kind, record } = question
  const { id } = record
  try {
    const current = await openedBook()
    const done = await current.records.forget({ id, cascade })
    if (address.peek().id === id) go({ id: undefined }, 'replace')
    await reloadList({ keepPlace: true })
    if (!done.forgotten) tell('There was nothing left to forget.')
    else tell(`${capital(kind.one)} forgotten.${consequence(done)}`)
  } catch (error) {
    tellError(`The ${kind.one} was not forgotten.`, error)
  }
}

interface Done {
  readonly cited_by: readonly string[]
  readonly released: readonly string[]
  readonly forgotten_too: readonly string[]
}

function consequence({ cited_by: citing, released, forgotten_too: gone }: Done): string {
  if (released.length + gone.length > 0) {
    const lost = released.length > 0 ? ` ${countOf(released.length, 'record')} lost the link to it.` : ''
    return gone.length > 0
      ? `${lost} ${countOf(gone.length, 'record')} that rested on it went with it.`
      : lost
  }
  if (citing.length > 0)
    return ` ${countOf(citing.length, 'record')} had a link to it that now leads nowhere.`
  return ' A tombstone without content stays, so that it does not come back.'
}
