// A note outside of the book's own storage that there is a book: browsers that evict files may leave it, and then a book
// that is new to its files is known to have been here before. Invariant: only noted of what was written durably.

const key = (book: string) => `daybook:${book}:kept`

/** Whether a book of that name was written here before. */
export function wasKept(book: string): boolean {
  try {
    return localStorage.getItem(key(book)) !== null
  } catch {
    // Blocked: nothing is known.
    return false
  }
}

/** The book is erased, or is about to be. */
export function forgetKept(book: string): void {
  try {
    localStorage.removeItem(key(book))
  } catch {
    // Then it was never noted.
  }
}

export function noteKept(book: string): void {
  try {
    localStorage.setItem(key(book), new Date().toISOString())
  } catch {
    // Then an eviction is not told from a first visit.
  }
}
