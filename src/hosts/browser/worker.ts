// The script of a book's worker: it loads the engine from a file of its own. Files that are loaded later import that
// file; if they imported this script, WebKit would start it again, and so would other browsers at a URL with a query.
// Invariant: messages that arrive before the engine listens are handled after it does.
const early: MessageEvent[] = []
const store = (event: MessageEvent) => void early.push(event)
addEventListener('message', store)
import('./worker/worker-engine.ts')
  .then(({ servePage }) => {
    removeEventListener('message', store)
    servePage()
    for (const event of early) dispatchEvent(event)
  })
  // The page learns of it by the `error` event of its worker.
  .catch(reportError)
