// `GET /health`: that the edge answers, and which wire it speaks.
import { Hono } from 'hono'
import { wireVersion } from '../../../sync/wire/protocol.ts'
import type { EdgeTypes } from '../../../edge/edge-env.ts'

export const healthRoute = new Hono<EdgeTypes>().get('/health', (c) =>
  c.json({ ok: true, wire: wireVersion }, 200),
)
