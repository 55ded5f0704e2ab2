// `POST /v1/books/:book/inbox`: a message for an agent of the book; `inbox:send` under an address of its own. An
// `Idempotency-Key` is the message's key, so that it arrives once however often it is sent.
import { Hono } from 'hono'
import { DaybookError } from '../../../core/errors.ts'
import { checkJson } from '../../../core/json/json.ts'
import { isJsonObject, type Json } from '../../../core/json/path.ts'
import type { BookTypes } from '../../../edge/edge-env.ts'
import { jsonBody } from '../request/json-body.ts'

const body = jsonBody({
  capability: 'inbox:send',
  parse(value) {
    checkJson(value)
    if (isJsonObject(value as Json)) return value as Record<string, unknown>
    throw new DaybookError('invalid-input', 'A message is an object: `{ text, to, subject, data }`.', {
      details: { path: '' },
    })
  },
})

export const inboxRoute = new Hono<BookTypes>().post('/inbox', body, async (c) => {
  const key = c.req.header('idempotency-key')
  const message = { ...(key === undefined ? {} : { key }), ...c.req.valid('json') }
  const receipt = (await c.get('book').call('inbox:send', message)) as {
    readonly id: string
    readonly sent: boolean
  }
  return c.json(receipt, receipt.sent ? 201 : 200)
})
