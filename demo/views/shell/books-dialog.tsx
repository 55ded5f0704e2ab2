// All books of this origin, to go to another one.
import { Dialog } from '../../parts/dialog.tsx'
import { closeDialog } from '../../state/dialog.ts'
import { BookList, NewBook } from './book-list.tsx'

export function BooksDialog() {
  return (
    <Dialog title="Books" onClose={closeDialog}>
      <BookList />
      <NewBook />
    </Dialog>
  )
}
