// The end of a book, or of a handle of it, for what hangs on it. Invariant: what a handle has ends with the handle, and with
// the book that the handle was made of.
export interface BookEnd {
  /** Tells once, when it ends; answers how to stop. */
  onEnd(listener: () => void): () => void
}

export interface EndingBook extends BookEnd {
  end(): void
}

/** Ends by itself, and with `outer`. */
export function createBookEnd(outer?: BookEnd): EndingBook {
  const listeners = new Set<() => void>()
  let stop = () => undefined as void
  const end = () => {
    stop()
    for (const listener of Array.from(listeners)) listener()
    listeners.clear()
  }
  return {
    end,
    onEnd(listener) {
      // Only what is listened to is kept by the book that it is of.
      if (listeners.size === 0) stop = outer?.onEnd(end) ?? stop
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stop()
      }
    },
  }
}
