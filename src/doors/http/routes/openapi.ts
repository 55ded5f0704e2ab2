// `GET /openapi.json`: the edge as an OpenAPI document, made when it is first asked for.
import { Hono } from 'hono'
import { product } from '../../../bundle/format/product.ts'
import { capabilityTable } from '../../../engine/capability-table.ts'
import type { EdgeTypes } from '../../../edge/edge-env.ts'
import { createOpenApi } from '../openapi/openapi.ts'
import { SharedDocument } from '../request/shared-document.ts'

let document: SharedDocument | undefined

export const openApiRoute = new Hono<EdgeTypes>().get('/openapi.json', (c) => {
  document ??= new SharedDocument(
    new TextEncoder().encode(JSON.stringify(createOpenApi(capabilityTable, product.version))),
  )
  return document.answer(c)
})
