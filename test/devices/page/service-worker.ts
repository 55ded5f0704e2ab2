// The service worker of the page, as the README shows it.
import { serveBackgroundSync } from '../../../src/hosts/browser/service-worker.ts'

serveBackgroundSync()
