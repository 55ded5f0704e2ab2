// Forgetting a record: asked about first, told plainly, not undone.
import { signal } from '@preact/signals'
import { countOf } from '../wording/size-word.ts'
import { capital } from '../wording/text-word.ts'
import { address, go } from './address.ts'
import { book } from './book.ts'
import type { ShownRecord } from './record-detail.ts'
import { reloadList } from './record-list.ts'
import { tell, tellError } from './toast.ts'

/** The record that the open question is about, if any. */
export const forgetQuestion = signal<ShownRecord | undefined>(undefined)

/** Does what the open question asks. */
export async function forgetAsked(): Promise<void> {
  const [current, question] = [book.peek(), forgetQuestion.peek()]
  forgetQuestion.value = undefined
  if (!current || !question) return
  const { room, record } = question
  const { id } = record
  try {
    const { forgotten, cited_by: citedBy } = await current.traces.forget({ id })
    if (address.peek().id === id) go({ id: undefined }, 'replace')
    await reloadList({ keepPlace: true })
    if (!forgotten) tell('There was nothing left to forget.')
    else if (citedBy.length > 0)
      tell(`Forgotten. ${countOf(citedBy.length, 'record')} had a link to it that now leads nowhere.`)
    else
      tell(
        `${capital(room.one)} forgotten. A tombstone without content stays, so that it does not come back.`,
      )
  } catch (error) {
    tellError(`The ${room.one} was not forgotten.`, error)
  }
}
