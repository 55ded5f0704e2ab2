// The end of a book or handle.
// Invariant: everything made from a handle ends with the handle, and with its book.
export interface EndSignal {
  /** Calls `listener` once at the end; returns a function that removes the listener. */
  onEnd(listener: () => void): () => void
}

export interface EndingBook extends EndSignal {
  end(): void
}

/** Creates an end that also comes at the end of `outer`. */
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
      // Listens to `outer` only while there are listeners here.
      if (listeners.size === 0) stop = outer?.onEnd(end) ?? stop
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stop()
      }
    },
  }
}
