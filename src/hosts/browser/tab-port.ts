// How the tabs of an origin hear each other and take turns, as a port, so that tests can kill, freeze and delay at will.

/** One end of a channel. Law: messages of one end arrive whole, once and in order, or not at all when nobody listens. */
export interface TabChannel<Out> {
  post(message: Out): void
  close(): void
}

export interface TabPort {
  /** Law: `hear` gets what other ends of this name post from now on, never its own. */
  open<In, Out>(name: string, hear: (message: In) => void): TabChannel<Out>
  /**
   * Waits for a lock of the origin and answers the function that frees it.
   * Law: one holder at a time, in the order of asking; the end of a worker frees its locks.
   * Rejects when `signal` is aborted first.
   */
  lock(name: string, signal?: AbortSignal): Promise<() => void>
  /** Returns a function that cancels. */
  later(delayMs: number, task: () => void): () => void
}

/** `BroadcastChannel` and Web Locks: everywhere, without headers and without a SharedWorker. */
export const browserTabs: TabPort = {
  open<In, Out>(name: string, hear: (message: In) => void): TabChannel<Out> {
    const channel = new BroadcastChannel(name)
    channel.onmessage = ({ data }: MessageEvent<In>) => hear(data)
    return { post: (message) => channel.postMessage(message), close: () => channel.close() }
  },
  lock: (name, signal) =>
    new Promise((resolve, reject) => {
      const hold = () => new Promise<void>((free) => resolve(() => free()))
      navigator.locks.request(name, signal ? { signal } : {}, hold).catch(reject)
    }),
  later(delayMs, task) {
    const timer = setTimeout(task, delayMs)
    return () => clearTimeout(timer)
  },
}
