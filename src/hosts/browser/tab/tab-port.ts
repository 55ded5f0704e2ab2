// Channels and locks of an origin's tabs, as a port, so that tests can kill, freeze and delay tabs.

/**
 * One end of a channel. Law: messages of one end arrive whole, once and in order; without a listener they are
 * lost.
 */
export interface TabChannel<Out> {
  post(message: Out): void
  close(): void
}

/**
 * An end of a tab's line: the owner's end, for an epoch; or the tab's end, which holds the lock `alive`.
 * `cut` is called when the last messages of either end may be lost.
 */
export type LineEnd =
  | { readonly of: 'owner'; readonly epoch: number }
  | { readonly of: 'tab'; readonly alive: string; readonly cut: () => void }

export interface TabPort {
  /**
   * Opens an end of the channel `name`. Law: `hear` gets later messages of the other ends, never its own. The
   * two ends of a line may switch to a direct port.
   */
  open<In, Out>(name: string, hear: (message: In) => void, line?: LineEnd): TabChannel<Out>
  /**
   * Waits for a lock of the origin; resolves with a function that frees it.
   * Law: one holder at a time, in the order of the requests; when a worker ends, its locks are free. Rejects
   * when `signal` aborts first.
   */
  lock(name: string, signal?: AbortSignal): Promise<() => void>
  /** Runs `task` after `delayMs`. Returns a function that cancels the task. */
  later(delayMs: number, task: () => void): () => void
}
