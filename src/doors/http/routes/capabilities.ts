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
import { requestIdOfStep } from '../../p3394/run-capability.ts'
import type { BookTypes } from '../../../edge/edge-env.ts'
import { jsonBody } from '../request/json-body.ts'
import { transportOf } from '../request/guard.ts'

const capabilityIds = new Set<string>(capabilityTable.map(({ id }) => id))
const requestIdText = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'is not 1 to 200 visible ASCII characters')
  .optional()
const headersSchema = z.object({
  'idempotency-key': requestIdText,
  'x-p3394-message-id': requestIdText,
  'daybook-purpose': z
    .string()
    .regex(/^[\x20-\x7e]{1,200}$/, 'is not 1 to 200 characters of ASCII')
    .optional(),
  'daybook-receipt': z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'is not the id of a receipt')
    .optional(),
})
const validHeaders = validator('header', (value) => parseWith(headersSchema, value))

const body = jsonBody({
  parse(value) {
    checkJson(value)
    return value
  },
})

/**
 * Body of a P3394 agent. No input of a capability has both `message_id` and `content`, so these fields identify it.
 */
const p3394Body = z.strictObject({
  message_id: requestIdText,
  source: z.unknown().optional(),
  content: z.record(z.string(), z.unknown()),
})

interface CallRequest {
  readonly input: unknown
  /** Undefined: a repeated request runs again. */
  readonly requestId: string | undefined
  /** True: input and answer have the seed shape of the id; a P3394 agent, or an id that only a shape has. */
  readonly isSeedShaped: boolean
}

function parseCallRequest(
  id: string,
  sentBody: unknown,
  sentHeaders: z.output<typeof headersSchema>,
): CallRequest {
  const { 'idempotency-key': key, 'x-p3394-message-id': messageId } = sentHeaders
  if (
    messageId !== undefined ||
    (isJsonObject(sentBody) && 'message_id' in sentBody && 'content' in sentBody)
  ) {
    const { message_id, content } = parseWith(p3394Body, sentBody)
    const requestId = key ?? messageId ?? message_id
    return { input: content, requestId, isSeedShaped: findSeedShape(id) !== undefined }
  }
  return { input: sentBody, requestId: key, isSeedShaped: !capabilityIds.has(id) }
}

export const capabilityRoute = new Hono<BookTypes>().post(
  '/capabilities/:id',
  validHeaders,
  body,
  async (c) => {
    const id = c.req.param('id')
    const { input, requestId, isSeedShaped } = parseCallRequest(
      id,
      c.req.valid('json'),
      c.req.valid('header'),
    )
    if (!capabilityIds.has(id) && !findSeedShape(id)) {
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
    const callOptions = { purpose, receipt, way: transportOf(c.req.url) }
    const answer = isSeedShaped
      ? await callSeedShape(id, input, {
          now: () => Date.now(),
          admit: (capability) => book.admit(capability),
          call: (capability, value, step) =>
            book.call(capability, value, {
              requestId: requestId === undefined ? undefined : requestIdOfStep(requestId, step),
              ...callOptions,
            }),
        })
      : await book.call(id, input, { requestId, ...callOptions })
    return c.json(answer ?? null, 200)
  },
)
