// `POST /v1/books/:book/capabilities/:id`: any capability, run by the mirror's engine. The body is its input.
import { Hono } from 'hono'
import { validator } from 'hono/validator'
import { z } from 'zod'
import { capabilityTable } from '../../src/capability-table.ts'
import { DaybookError } from '../../src/core/errors.ts'
import { checkJson } from '../../src/core/json.ts'
import { parseWith } from '../../src/core/schema.ts'
import { bookParam } from '../book-param.ts'
import type { EdgeTypes } from '../edge-env.ts'
import { jsonBody } from '../json-body.ts'
import { fromOutcome } from '../outcome.ts'

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

export const capabilityRoute = new Hono<EdgeTypes>().post(
  '/v1/books/:book/capabilities/:id',
  bookParam,
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
    const mirror = c.env.MIRROR.getByName(c.req.valid('param').book)
    const options = { ...c.get('presented'), ...(requestId === undefined ? {} : { requestId }) }
    return c.json((await fromOutcome(mirror.call(id, c.req.valid('json'), options))) ?? null, 200)
  },
)
