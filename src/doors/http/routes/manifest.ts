// `GET /manifest`: every capability with its schemas, from the one table, and how the agent that it is can be reached.
import { Hono } from 'hono'
import { product } from '../../../bundle/format/product.ts'
import { capabilityTable } from '../../../engine/capability-table.ts'
import { createManifest, type Manifest } from '../../manifest.ts'
import { wireVersion } from '../../../sync/wire/protocol.ts'
import type { EdgeTypes } from '../../../edge/edge-env.ts'

let made: Manifest | undefined

export const manifestRoute = new Hono<EdgeTypes>().get('/manifest', (c) => {
  made ??= createManifest(capabilityTable, { wire: wireVersion, version: product.version, transports: [] })
  // The address under which it was asked: an edge may have several.
  const transports = [{ type: 'http', endpoint: new URL(c.req.url).origin }] as const
  return c.json({ ...made, agent: { ...made.agent, transports } } satisfies Manifest, 200)
})
