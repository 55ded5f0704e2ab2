// `GET /manifest`: every capability with its schemas, from the one table.
import { Hono } from 'hono'
import { capabilityTable } from '../../src/capability-table.ts'
import { createManifest, type Manifest } from '../../src/doors/manifest.ts'
import { wireVersion } from '../../src/sync/protocol.ts'
import type { EdgeTypes } from '../edge-env.ts'

let manifest: Manifest | undefined

export const manifestRoute = new Hono<EdgeTypes>().get('/manifest', (c) => {
  manifest ??= createManifest(capabilityTable, { wire: wireVersion })
  return c.json(manifest, 200)
})
