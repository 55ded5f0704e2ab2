// The inspector's service worker: what was written here is sent to the edge when the page is closed, as soon as there is a
// connection again. It keeps no copy of the page and answers no request: the page is always the one that is served.
import { serveBackgroundSync } from '../src/hosts/browser/service-worker.ts'

serveBackgroundSync()
