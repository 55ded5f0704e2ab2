// `GET /manifest`: every capability with its schemas, from the one table.
import { Hono } from 'hono'
import { capabilityTable } from '../../../engine/capability-table.ts'
import { createManifest, type Manifest } from '../../manifest.ts'
import { wireVersion } from '../../../sync/wire/protocol.ts'
import type { EdgeTypes } from '../../../edge/edge-env.ts'

let manifest: Manifest | undefined

export const manifestRoute = new Hono<EdgeTypes>().get('/manifest', (c) => {
  manifest ??= createManifest(capabilityTable, { wire: wireVersion })
  return c.json(manifest, 200)
})
