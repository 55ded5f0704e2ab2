// `POST /v1/books/:book/capabilities/:id`: runs any capability. The body is the input, or
// `{ message_id, source, content }` of a P3394 agent: then `content` and the answer have the seed shape of the id.
// The access log records the header `Daybook-Purpose`; the receipt in `Daybook-Receipt` limits the call's reach.
import { Hono } from 'hono'
import { validator } from 'hono/validator'
import { z } from 'zod'
import { capabilityTable } from '../../../engine/capability-table.ts'
import { hideKeys } from '../../../core/address.ts'
import { DaybookError } from '../../../core/errors.ts'
import { checkJson } from '../../../core/json/json.ts'
import { isJsonObject } from '../../../core/json/path.ts'
import { parseWith } from '../../../core/schema.ts'
import { callSeedShape, findSeedShape } from '../../seed-shape/seed-shape.ts'
import { stepId } from '../../p3394/run-capability.ts'
import type { BookTypes } from '../../../edge/edge-env.ts'
import { jsonBody } from '../request/json-body.ts'
import { wayOf } from '../request/guard.ts'

const ownIds = new Set<string>(capabilityTable.map(({ id }) => id))
const requestName = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'is not 1 to 200 visible ASCII characters')
  .optional()
const headers = z.object({
  'idempotency-key': requestName,
  'x-p3394-message-id': requestName,
  'daybook-purpose': z
    .string()
    .regex(/^[\x20-\x7e]{1,200}$/, 'is not 1 to 200 characters of ASCII')
    .optional(),
  'daybook-receipt': z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'is not the id of a receipt')
    .optional(),
})
const headerFields = validator('header', (value) => parseWith(headers, value))

const body = jsonBody({
  parse(value) {
    checkJson(value)
    return value
  },
})

/**
 * Body of a P3394 agent. No input of a capability has both `message_id` and `content`, so these fields identify it.
 */
const agentBody = z.strictObject({
  message_id: requestName,
  source: z.unknown().optional(),
  content: z.record(z.string(), z.unknown()),
})

interface CallRequest {
  readonly input: unknown
  readonly requestId: string | undefined
  /** True: input and answer have the seed shape of the id. */
  readonly isShaped: boolean
}

function readRequest(id: string, sent: unknown, named: z.output<typeof headers>): CallRequest {
  const { 'idempotency-key': key, 'x-p3394-message-id': messageId } = named
  if (messageId !== undefined || (isJsonObject(sent) && 'message_id' in sent && 'content' in sent)) {
    const { message_id, content } = parseWith(agentBody, sent)
    const requestId = key ?? messageId ?? message_id
    return { input: content, requestId, isShaped: findSeedShape(id) !== undefined }
  }
  return { input: sent, requestId: key, isShaped: !ownIds.has(id) }
}

export const capabilityRoute = new Hono<BookTypes>().post(
  '/capabilities/:id',
  headerFields,
  body,
  async (c) => {
    const id = c.req.param('id')
    const { input, requestId, isShaped } = readRequest(id, c.req.valid('json'), c.req.valid('header'))
    if (!ownIds.has(id) && !findSeedShape(id)) {
      throw new DaybookError(
        'unknown-capability',
        `There is no capability \`${hideKeys(id).slice(0, 80)}\`.`,
        {
          details: { path: 'capability' },
        },
      )
    }
    const book = c.get('book')
    const { 'daybook-purpose': purpose, 'daybook-receipt': receipt } = c.req.valid('header')
    const beside = { purpose, receipt, way: wayOf(c.req.url) }
    const answer = isShaped
      ? await callSeedShape(id, input, {
          now: () => Date.now(),
          admit: (capability) => book.admit(capability),
          call: (capability, value, step) =>
            book.call(capability, value, {
              requestId: requestId === undefined ? undefined : stepId(requestId, step),
              ...beside,
            }),
        })
      : await book.call(id, input, { requestId, ...beside })
    return c.json(answer ?? null, 200)
  },
)
