// The inspector's service worker: the page starts without a network, and changes are sent to the edge after the page is
// closed, once there is a connection.
import { serveBackgroundSync } from '../src/hosts/browser/service-worker.ts'
import { type Precache, servePage } from './offline/page-cache.ts'

// The build puts the list of its files here; from the sources nothing is kept.
const precache: string = '__PRECACHE__'

serveBackgroundSync()
if (precache.startsWith('{')) servePage(JSON.parse(precache) as Precache)
