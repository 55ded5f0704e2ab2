// The service worker of the page, as docs/sync.md shows it.
import { serveBackgroundSync } from '../../../src/hosts/browser/service-worker.ts'

serveBackgroundSync()
