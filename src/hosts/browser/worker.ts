// The script of a book's worker: it loads the engine from a file of its own. Files that are loaded later import that
// file; if they imported this script, WebKit would start it again, and so would other browsers at a URL with a query.
// Invariant: messages that arrive before the engine listens are handled after it does.
const buffer: MessageEvent[] = []
const hold = (event: MessageEvent) => void buffer.push(event)
addEventListener('message', hold)
import('./worker/worker-engine.ts')
  .then(({ servePage }) => {
    removeEventListener('message', hold)
    servePage()
    for (const event of buffer) dispatchEvent(event)
  })
  .catch((error: unknown) => {
    // Browsers report a file that could not be loaded as a `TypeError` about the module.
    const isMissing = error instanceof TypeError && /import.*module/i.test(error.message)
    if (isMissing) postMessage({ missing: error.message })
    // The page learns of it by the `error` event of its worker.
    else reportError(error)
  })
