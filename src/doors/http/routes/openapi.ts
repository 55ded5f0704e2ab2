// `GET /openapi.json`: the edge as an OpenAPI document, made when it is first asked for.
import { Hono } from 'hono'
import { product } from '../../../bundle/format/product.ts'
import { capabilityTable } from '../../../engine/capability-table.ts'
import type { EdgeTypes } from '../../../edge/edge-env.ts'
import { createOpenApi } from '../openapi/openapi.ts'

let document: string | undefined

export const openApiRoute = new Hono<EdgeTypes>().get('/openapi.json', (c) => {
  document ??= JSON.stringify(createOpenApi(capabilityTable, product.version))
  return c.body(document, 200, { 'content-type': 'application/json' })
})
