// `POST /embed`: vectors of up to 100 texts, `{ texts }` → `{ embeddings, dimensions }`, by the embedder of this edge.
// The same under a book's address, for callers whom only that book knows.
import { Hono } from 'hono'
import { answerEmbed } from '../../src/recall/embed/embed-endpoint.ts'
import { bookParam } from '../book-param.ts'
import { edgeEmbedder } from '../edge-embedder.ts'
import type { EdgeTypes } from '../edge-env.ts'
import { jsonBody } from '../json-body.ts'
import { fromOutcome } from '../outcome.ts'

const body = jsonBody((value) => value)

export const embedRoute = new Hono<EdgeTypes>()
  .post('/embed', body, async (c) =>
    c.json(await answerEmbed(edgeEmbedder(c.env), c.req.valid('json'), c.req.raw.signal), 200),
  )
  .post('/v1/books/:book/embed', bookParam, body, async (c) => {
    const mirror = c.env.MIRROR.getByName(c.req.valid('param').book)
    await fromOutcome(mirror.admit('embed:texts', c.get('presented')))
    return c.json(await answerEmbed(edgeEmbedder(c.env), c.req.valid('json'), c.req.raw.signal), 200)
  })
