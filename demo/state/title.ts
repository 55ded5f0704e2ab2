// The title of the document: what is open, where, in which book. Windows, tabs, history and screen readers know the page by it.
import { effect } from '@preact/signals'
import { placeOf, viewNames } from '../kind/view.ts'
import { oneLine } from '../wording/text-word.ts'
import { address, bookName, defaultBook } from './address.ts'
import { detail } from './record/record-detail.ts'

/** `Facts`, and where a view is one of several of a place that is called otherwise, `Context, Recall`. */
function viewTitle(): string {
  const { view } = address.value
  const place = placeOf(view)
  const own = viewNames[view]
  return place.views.length === 1 || own === place.name ? place.name : `${own}, ${place.name}`
}

/** From now on the title says where the reader is. */
export function followTitle(): void {
  effect(() => {
    const open = detail.value
    const record =
      open.state === 'shown' && open.id === address.value.id
        ? [oneLine(open.shown.kind.row(open.shown.record).title, 80)]
        : []
    const book = bookName === defaultBook ? [] : [bookName]
    document.title = [...record, viewTitle(), ...book, 'Daybook'].join(' · ')
  })
}
