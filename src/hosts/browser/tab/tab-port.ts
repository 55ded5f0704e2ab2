// How the tabs of an origin hear each other and take turns, as a port, so that tests can kill, freeze and delay at will.

/** One end of a channel. Law: messages of one end arrive whole, once and in order, or not at all when nobody listens. */
export interface TabChannel<Out> {
  post(message: Out): void
  close(): void
}

/**
 * One of the two ends of a tab's line: the owner's, of an epoch, or the tab's own, which holds the lock `alive` and whose
 * `cut` is called when what either posted last may be lost.
 */
export type LineEnd =
  | { readonly of: 'owner'; readonly epoch: number }
  | { readonly of: 'tab'; readonly alive: string; readonly cut: () => void }

export interface TabPort {
  /**
   * Law: `hear` gets what other ends of this name post from now on, never its own. The two ends of a line may find a
   * port to each other.
   */
  open<In, Out>(name: string, hear: (message: In) => void, line?: LineEnd): TabChannel<Out>
  /**
   * Waits for a lock of the origin and answers the function that frees it.
   * Law: one holder at a time, in the order of asking; the end of a worker frees its locks.
   * Rejects when `signal` is aborted first.
   */
  lock(name: string, signal?: AbortSignal): Promise<() => void>
  /** Returns a function that cancels. */
  later(delayMs: number, task: () => void): () => void
}
