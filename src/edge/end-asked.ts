// What the owner of a book says to end it at its mirror, or to begin it anew.

/** What the owner says to erase a book, or to begin it anew. */
export interface EndAsked {
  /** The name of the book. */
  readonly confirm?: string | undefined
  /** The epoch that a device knows the book by: where its key was erased with the book, it is known by this. */
  readonly epoch?: string | undefined
}
