// The end of a book or handle.
// Invariant: everything made from a handle ends with the handle, and with its book.

export interface EndSignal {
  /**
   * Calls `listener` once at the end; returns a function that removes the listener. A listener that is added after the
   * end is never called.
   */
  onEnd(listener: () => void): () => void
}

export interface EndingBook extends EndSignal {
  end(): void
}

/** Creates the end of a book; with `outer`, of a handle, which also ends when `outer` ends. */
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
      // Listens to `outer` only while there are listeners here, so that unused handles can be collected.
      if (listeners.size === 0) stop = outer?.onEnd(end) ?? stop
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stop()
      }
    },
  }
}
