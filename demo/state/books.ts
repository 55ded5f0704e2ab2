// The books of this origin, and going from one to another: each is a page of its own.
import { signal } from '@preact/signals'
import { type ListedBook, listBooks } from '../../src/index.ts'
import { bookName, isBookNamed } from './address.ts'
import { openBook, opening } from './book.ts'
import { openDialog } from './dialog.ts'
import { isEmbedded } from './frame.ts'

/** Undefined until they were looked for. */
export const books = signal<readonly ListedBook[] | undefined>(undefined)

export async function findBooks(): Promise<readonly ListedBook[]> {
  return (books.value = await listBooks())
}

/** Shows the books to choose from. */
export function showBooks(): void {
  openDialog.value = 'books'
  void findBooks()
}

export const addressOfBook = (name: string) => `?${new URLSearchParams({ book: name })}`

export function goToBook(name: string): void {
  if (name === bookName) openDialog.value = undefined
  else location.assign(addressOfBook(name))
}

/** Opens the book that the address names. In an app, where it names none: the only one there is, or the one that is chosen. */
export async function openFirstBook(): Promise<void> {
  if (isBookNamed || !isEmbedded) return openBook()
  const [first, ...others] = await findBooks()
  if (first && others.length === 0) location.replace(addressOfBook(first.name))
  else opening.value = { state: 'choosing' }
}
