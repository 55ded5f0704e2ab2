// `POST /embed`: vectors of up to 100 texts, `{ texts }` → `{ embeddings, dimensions }`, by the embedder of this edge; the
// same at `/embed` and under a book's address: permitted by a book, and counted there.
import { Hono } from 'hono'
import { answerEmbed } from '../../../recall/embed/embed-capability.ts'
import { edgeEmbedder } from '../../../edge/edge-embedder.ts'
import type { BookTypes } from '../../../edge/edge-env.ts'
import { jsonBody } from '../request/json-body.ts'

export const embedRoute = new Hono<BookTypes>().post(
  '/embed',
  jsonBody({ capability: 'embed:texts', parse: (value) => value }),
  async (c) => {
    await c.get('book').admit('embed:texts')
    return c.json(await answerEmbed(edgeEmbedder(c.env), c.req.valid('json'), c.req.raw.signal), 200)
  },
)
