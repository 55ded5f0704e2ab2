// `POST /embed`: vectors of up to 100 texts, `{ texts }` → `{ embeddings, dimensions }`, by the embedder of this edge.
import { Hono } from 'hono'
import { answerEmbed } from '../../src/recall/embed/embed-endpoint.ts'
import { edgeEmbedder } from '../edge-embedder.ts'
import type { EdgeTypes } from '../edge-env.ts'
import { jsonBody } from '../json-body.ts'

export const embedRoute = new Hono<EdgeTypes>().post(
  '/embed',
  jsonBody((value) => value),
  async (c) => c.json(await answerEmbed(edgeEmbedder(c.env), c.req.valid('json'), c.req.raw.signal), 200),
)
