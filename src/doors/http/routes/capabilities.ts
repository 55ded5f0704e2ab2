// `POST /v1/books/:book/capabilities/:id`: any capability, run by the mirror's engine. The body is its input.
import { Hono } from 'hono'
import { validator } from 'hono/validator'
import { z } from 'zod'
import { capabilityTable } from '../../../engine/capability-table.ts'
import { DaybookError } from '../../../core/errors.ts'
import { checkJson } from '../../../core/json/json.ts'
import { parseWith } from '../../../core/schema.ts'
import type { BookTypes } from '../../../edge/edge-env.ts'
import { jsonBody } from '../request/json-body.ts'

const known = new Set<string>(capabilityTable.map(({ id }) => id))
const headers = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'is not 1 to 200 visible ASCII characters')
    .optional(),
})
const headerFields = validator('header', (value) => parseWith(headers, value))

const body = jsonBody((value) => {
  checkJson(value)
  return value
})

export const capabilityRoute = new Hono<BookTypes>().post(
  '/capabilities/:id',
  headerFields,
  body,
  async (c) => {
    const id = c.req.param('id')
    if (!known.has(id)) {
      throw new DaybookError('unknown-capability', `There is no capability \`${id.slice(0, 80)}\`.`, {
        details: { path: 'capability' },
      })
    }
    const requestId = c.req.valid('header')['idempotency-key']
    return c.json((await c.get('book').call(id, c.req.valid('json'), requestId)) ?? null, 200)
  },
)
