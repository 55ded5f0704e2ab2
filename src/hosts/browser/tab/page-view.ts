// Shows the owner tab whether a page of the book is visible. A visible page holds a shared Web Lock, which
// the browser frees when the page ends; a message on a channel announces each change.

const viewName = (book: string) => `daybook:view:${book}`

/** Publishes whether this page is visible. Returns a function that stops publishing. */
export function showView(book: string): () => void {
  const name = viewName(book)
  const channel = new BroadcastChannel(name)
  let release: (() => void) | undefined
  let released: Promise<void> = Promise.resolve()
  // The message has no content: the owner looks at the locks.
  const tell = () => channel.postMessage(0)
  const show = () => {
    const shown = new Promise<void>((resolve) => (release = resolve))
    released = navigator.locks
      .request(name, { mode: 'shared' }, () => {
        tell()
        return shown
      })
      // The lock is free: also announce that the page is hidden.
      .then(tell, () => undefined)
  }
  const hide = () => {
    release?.()
    release = undefined
  }
  const look = () => {
    if (document.visibilityState === 'hidden') hide()
    else if (!release) show()
  }
  document.addEventListener('visibilitychange', look)
  look()
  return () => {
    document.removeEventListener('visibilitychange', look)
    hide()
    // Close the channel after the last message is sent.
    void released.then(() => channel.close())
  }
}

/**
 * Calls `tell` with whether a page of this book is visible and the browser is online: at once, and when this
 * may have changed. Returns a function that stops the watch.
 */
export function watchView(book: string, tell: (isSeen: boolean) => void): () => void {
  const name = viewName(book)
  const channel = new BroadcastChannel(name)
  let stopped = false
  let latest = 0
  const look = async () => {
    const number = ++latest
    const { held = [] } = await navigator.locks.query()
    // Ignore this answer if a later query has begun.
    if (!stopped && number === latest) tell(navigator.onLine && held.some((lock) => lock.name === name))
  }
  const refresh = () => void look().catch(() => undefined)
  channel.onmessage = refresh
  addEventListener('online', refresh)
  addEventListener('offline', refresh)
  refresh()
  return () => {
    stopped = true
    channel.close()
    removeEventListener('online', refresh)
    removeEventListener('offline', refresh)
  }
}
