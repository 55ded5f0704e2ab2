// `POST /v1/books/:book/inbox`: a message for an agent of the book; `inbox:send` under an address of its own. An
// `Idempotency-Key` is the message's key, so that it arrives once however often it is sent.
import { Hono } from 'hono'
import { DaybookError } from '../../src/core/errors.ts'
import { checkJson } from '../../src/core/json.ts'
import { isJsonObject, type Json } from '../../src/core/path.ts'
import { bookParam } from '../book-param.ts'
import type { EdgeTypes } from '../edge-env.ts'
import { jsonBody } from '../json-body.ts'
import { fromOutcome } from '../outcome.ts'

const body = jsonBody((value) => {
  checkJson(value)
  if (isJsonObject(value as Json)) return value as Record<string, unknown>
  throw new DaybookError('invalid-input', 'A message is an object: `{ text, to, subject, data }`.', {
    details: { path: '' },
  })
})

export const inboxRoute = new Hono<EdgeTypes>().post('/v1/books/:book/inbox', bookParam, body, async (c) => {
  const mirror = c.env.MIRROR.getByName(c.req.valid('param').book)
  const key = c.req.header('idempotency-key')
  const message = { ...(key === undefined ? {} : { key }), ...c.req.valid('json') }
  const receipt = (await fromOutcome(mirror.call('inbox:send', message, c.get('presented')))) as {
    readonly id: string
    readonly sent: boolean
  }
  return c.json(receipt, receipt.sent ? 201 : 200)
})
