// Forgetting a trace: asked about first, told plainly, not undone.
import { signal } from '@preact/signals'
import type { Trace } from '../../src/index.ts'
import { countOf } from '../wording/size-word.ts'
import { address, go } from './address.ts'
import { book } from './book.ts'
import { reloadList } from './trace-list.ts'
import { tell, tellError } from './toast.ts'

export interface ForgetQuestion {
  readonly trace: Trace
  /** How many traces link to it. */
  readonly citedBy: number
}

/** The question that is open, if any. */
export const forgetQuestion = signal<ForgetQuestion | undefined>(undefined)

/** Does what the open question asks. */
export async function forgetAsked(): Promise<void> {
  const [current, question] = [book.peek(), forgetQuestion.peek()]
  forgetQuestion.value = undefined
  if (!current || !question) return
  const { id } = question.trace
  try {
    const { forgotten, cited_by: citedBy } = await current.traces.forget({ id })
    if (address.peek().id === id) go({ id: undefined }, 'replace')
    await reloadList({ keepPlace: true })
    if (!forgotten) tell('There was nothing left to forget.')
    else if (citedBy.length > 0)
      tell(`Forgotten. ${countOf(citedBy.length, 'trace')} had a link to it that now leads nowhere.`)
    else tell('Forgotten. A tombstone without content stays, so that it does not come back.')
  } catch (error) {
    tellError('The trace was not forgotten.', error)
  }
}
