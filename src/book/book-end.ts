// The end of a book or handle.
// Invariant: everything made from a handle ends with the handle, and with its book.

export interface EndSignal {
  /**
   * Calls `listener` once at the end, after the end at once. Returns a function that removes the listener.
   */
  onEnd(listener: () => void): () => void
}

export interface EndingBook extends EndSignal {
  end(): void
}

/** Without `outer`: creates the end of a book. With `outer`: of a handle, which also ends when `outer` ends. */
export function createBookEnd(outer?: EndSignal): EndingBook {
  const listeners = new Set<() => void>()
  let hasEnded = false
  let stopListening = () => undefined as void
  const end = () => {
    hasEnded = true
    stopListening()
    for (const listener of Array.from(listeners)) listener()
    listeners.clear()
  }
  return {
    end,
    onEnd(listener) {
      if (hasEnded) {
        listener()
        return () => undefined
      }
      // Listens to `outer` only while there are listeners here, so that unused handles can be collected.
      const isFirst = listeners.size === 0
      listeners.add(listener)
      // Calls `end` at once if `outer` has ended.
      if (isFirst) stopListening = outer?.onEnd(end) ?? stopListening
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stopListening()
      }
    },
  }
}
