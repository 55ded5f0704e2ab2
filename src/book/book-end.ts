// The end of a book or handle. Invariant: everything of a handle ends with the handle, and with its book.
export interface EndSignal {
  /** Calls `listener` once at the end; returns a function that stops it. */
  onEnd(listener: () => void): () => void
}

export interface EndingBook extends EndSignal {
  end(): void
}

/** Creates an end that also follows `outer`. */
export function createBookEnd(outer?: EndSignal): EndingBook {
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
      // Registered at the outer book only while somebody listens.
      if (listeners.size === 0) stop = outer?.onEnd(end) ?? stop
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stop()
      }
    },
  }
}
