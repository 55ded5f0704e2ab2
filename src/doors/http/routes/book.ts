// `DELETE /v1/books/:book`: the owner erases the book at its mirror. `PUT`: a book of that name is begun anew. Both ask for its
// name as confirmation, and neither can be undone.
import { Hono } from 'hono'
import { z } from 'zod'
import { parseWith } from '../../../core/schema.ts'
import type { BookTypes } from '../../../edge/edge-env.ts'
import { jsonBody } from '../request/json-body.ts'

const asked = z
  .strictObject({
    confirm: z.string().max(100).optional(),
    epoch: z
      .string()
      .regex(/^e_[A-Za-z0-9]{1,60}$/)
      .optional(),
  })
  .prefault({})

const body = jsonBody({ capability: 'daybook:erase', parse: (value) => parseWith(asked, value) })

export const bookRoute = new Hono<BookTypes>()
  .delete('/', body, async (c) => c.json((await c.get('book').erase(c.req.valid('json'))) as object, 200))
  .put('/', body, async (c) => c.json((await c.get('book').begin(c.req.valid('json'))) as object, 200))
