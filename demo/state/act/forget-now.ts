// Forgets or purges records, and says what was done. Invariant: it is done when the press is, so that nothing waits in this page
// or beside it: what it says is deleted is deleted, also when the page is closed the next moment.
import { countOf } from '../../wording/text-word.ts'
import { tell, tellError } from '../../page/toast.ts'
import { openedBook } from '../book.ts'
import { reloadList } from '../list/record-list.ts'

export type How = 'forget' | 'cascade' | 'purge'

/** Forgets records now. `said` names them, as in `Trace`. */
export async function forgetNow(ids: readonly string[], how: How, said: string): Promise<void> {
  const done = how === 'purge' ? 'purged' : 'forgotten'
  let gone = 0
  let released = 0
  let left = ids.length
  try {
    const { records } = await openedBook()
    const cascade = how === 'cascade'
    // Sent together: none of them waits in this page for the one before.
    const all = await Promise.allSettled(
      ids.map((id) => (how === 'purge' ? records.purge({ id }) : records.forget({ id, cascade }))),
    )
    for (const one of all) {
      if (one.status === 'rejected') continue
      left -= 1
      gone += one.value.alsoForgotten.length
      released += one.value.released.length
    }
    const refused = all.find((one) => one.status === 'rejected')
    if (refused) throw refused.reason
    const links = released > 0 ? ` ${countOf(released, 'record')} lost a link to it.` : ''
    const more = gone > 0 ? ` ${countOf(gone, 'record')} without another source deleted too.` : ''
    tell(`${said} ${done}.${links}${more}`)
  } catch (error) {
    const part = ids.length > 1 ? ` ${left} of ${ids.length} are still there.` : ''
    tellError(`${said} could not be ${done}.${part}`, error)
  }
  await reloadList({ keepPlace: true })
}
