// The inspector's service worker: the page starts without a network, and what was written here is sent to the edge when the
// page is closed, as soon as there is a connection again.
import { serveBackgroundSync } from '../src/hosts/browser/service-worker.ts'
import { type Precache, servePage } from './offline/page-cache.ts'

// The build puts the list of its files here; from the sources nothing is kept.
const precache: string = '__PRECACHE__'

serveBackgroundSync()
if (precache.startsWith('{')) servePage(JSON.parse(precache) as Precache)
