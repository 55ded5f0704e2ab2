// Whether any page with this book is in view, and there is a network: for the tab that holds the book.
import { viewName } from './page-view.ts'

/** Calls `tell` at once and whenever it may have changed, until the function it answers is called. */
export function watchView(book: string, tell: (seen: boolean) => void): () => void {
  const name = viewName(book)
  const channel = new BroadcastChannel(name)
  let stopped = false
  let asked = 0
  const look = async () => {
    const number = ++asked
    const { held = [] } = await navigator.locks.query()
    // An answer that another overtook says how it was before.
    if (!stopped && number === asked) tell(navigator.onLine && held.some((lock) => lock.name === name))
  }
  const again = () => void look().catch(() => undefined)
  channel.onmessage = again
  addEventListener('online', again)
  addEventListener('offline', again)
  again()
  return () => {
    stopped = true
    channel.close()
    removeEventListener('online', again)
    removeEventListener('offline', again)
  }
}
