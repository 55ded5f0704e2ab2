// Says to the tab that holds the book whether anybody looks at this page: a shared Web Lock stands while it is in view, so
// that a page that dies is not in view either; a message says that this has changed.

export const viewName = (book: string) => `daybook:view:${book}`

/** Shows this page's view until the function it answers is called. */
export function showView(book: string): () => void {
  const name = viewName(book)
  const channel = new BroadcastChannel(name)
  let letGo: (() => void) | undefined
  let released: Promise<void> = Promise.resolve()
  const tell = () => channel.postMessage(0)
  const show = () => {
    const shown = new Promise<void>((resolve) => (letGo = resolve))
    released = navigator.locks
      .request(name, { mode: 'shared' }, () => {
        tell()
        return shown
      })
      .then(tell, () => undefined)
  }
  const hide = () => {
    letGo?.()
    letGo = undefined
  }
  const look = () => {
    if (document.visibilityState === 'hidden') hide()
    else if (!letGo) show()
  }
  document.addEventListener('visibilitychange', look)
  look()
  return () => {
    document.removeEventListener('visibilitychange', look)
    hide()
    // After the message that this page is hidden now.
    void released.then(() => channel.close())
  }
}
