// The end of the book of this page. It can't be undone, so its name is typed first; the page then stands without a book.
import { signal } from '@preact/signals'
import { tell } from '../../page/toast.ts'
import { bookName } from '../address.ts'
import { openedBook } from '../book.ts'

export const eraseError = signal<unknown>(undefined)
/** True while it goes on, and once it is done. */
export const isErasing = signal(false)

/** Erases the book here, and first at its mirror when asked to. What is refused is shown, and nothing was erased. */
export async function eraseBook(confirm: string, mirror: boolean): Promise<void> {
  eraseError.value = undefined
  isErasing.value = true
  try {
    const current = await openedBook()
    await current.erase({ confirm, mirror })
    tell(`Erased ${bookName}. Reload the page to start an empty book.`)
  } catch (error) {
    eraseError.value = error
    isErasing.value = false
  }
}
