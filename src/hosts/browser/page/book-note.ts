// Notes in localStorage that a book exists. A browser that evicts the files may keep them: then the next opening
// detects the loss.
// Invariant: only durable writes are noted.

export class BookNote {
  readonly #key: string
  /** Has the random id of this book: a book that is created after an erasure gets another one. */
  readonly #idKey: string
  #id: string | null = null

  constructor(book: string) {
    this.#key = `daybook:${book}:kept`
    this.#idKey = `daybook:${book}:id`
  }

  /** Whether this browser has a note of the book. False if localStorage is blocked. */
  get exists(): boolean {
    return read(this.#key) !== null
  }

  /** Notes that the book was written. Without localStorage the next opening can't detect an eviction. */
  write(id: string | null = read(this.#idKey)): void {
    store(this.#key, new Date().toISOString())
    store(this.#idKey, id ?? crypto.randomUUID())
  }

  /** Deletes the notes, because the book is erased or is about to be. Returns a function that restores them. */
  erase(): () => void {
    const id = read(this.#idKey)
    store(this.#key)
    store(this.#idKey)
    return () => this.write(id)
  }

  /** Remembers which book it is, for `isGone`. Call it before the page sleeps. */
  remember(): void {
    this.#id = read(this.#idKey)
  }

  /** Whether the remembered book was erased since; another book may have its name now. */
  get isGone(): boolean {
    return this.#id !== null && read(this.#idKey) !== this.#id
  }
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Without `text` deletes the entry. Does nothing if localStorage is blocked. */
function store(key: string, text?: string): void {
  try {
    if (text === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    // There is no note then.
  }
}
