// A stranger's service worker, without a bundler: such a worker may import by address only.
import { serveBackgroundSync } from './node_modules/daybook/dist/service-worker.js'

serveBackgroundSync()
