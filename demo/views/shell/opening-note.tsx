// Says in a dialog that the book is not open yet, where one is done with it before it is.
import { opening } from '../../state/book.ts'

export function OpeningNote() {
  if (opening.value.state !== 'opening') return null
  return (
    <p class="quiet" role="status">
      The book is still opening. What you do here runs once it is open.
    </p>
  )
}
