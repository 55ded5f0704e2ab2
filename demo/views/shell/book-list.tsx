// The books of this origin as links, a form for a new one, and the dialog with both.
import { TextField } from '../../parts/field/form-field.tsx'
import { useSignal } from '@preact/signals'
import { bookName, isBookNamed } from '../../state/address.ts'
import { addressOfBook, books, goToBook } from '../../state/books.ts'
import { isEmbedded } from '../../state/frame.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { closeDialog } from '../../state/dialog.ts'

const namePattern = '[A-Za-z0-9_\\-][A-Za-z0-9._\\-]{0,63}'

export function BookList() {
  const list = books.value
  if (!list) return <p class="quiet">Looking for books…</p>
  if (list.length === 0)
    return (
      <p>
        No books on this site yet. One is created when a page calls <code>openDaybook</code>.
      </p>
    )
  return (
    <ul class="book-list">
      {list.map(({ name, storage }) => (
        <li key={name}>
          <a
            class="book-link"
            href={addressOfBook(name)}
            aria-current={isBookNamed && name === bookName ? 'page' : undefined}
          >
            <span class="mono">{name}</span>
            <span class="faint">{storage === 'opfs' ? 'in files' : 'in IndexedDB'}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

/** Begins a book of any name; in an app, where books are the app's to begin, there is nothing of it. */
function NewBook() {
  const typed = useSignal('')
  if (isEmbedded) return null
  const begin = (event: Event) => {
    event.preventDefault()
    goToBook(typed.value)
  }
  return (
    <form class="new-book" onSubmit={begin}>
      <TextField
        label="New book"
        of={typed}
        class="input mono"
        required
        pattern={namePattern}
        title="1 to 64 letters, digits, dots, dashes and underscores"
      />
      <button type="submit" class="button">
        Open it
      </button>
    </form>
  )
}

export function BooksDialog() {
  return (
    <Dialog title="Books" onClose={closeDialog}>
      <BookList />
      <NewBook />
    </Dialog>
  )
}
