// `POST /v1/books/:book/capabilities/:id`: any capability, run by the mirror's engine. The body is its input; or it is a
// P3394 agent's `{ message_id, source, content }`, and then content and answer have the shape of that id's description.
// A `Daybook-Purpose` says in the log of access what the call is for, a `Daybook-Receipt` what it may read.
import { Hono } from 'hono'
import { validator } from 'hono/validator'
import { z } from 'zod'
import { capabilityTable } from '../../../engine/capability-table.ts'
import { hideKeys } from '../../../core/text/hide-keys.ts'
import { DaybookError } from '../../../core/errors.ts'
import { checkJson } from '../../../core/json/json.ts'
import { isJsonObject } from '../../../core/json/path.ts'
import { parseWith } from '../../../core/schema.ts'
import { callSeedShape, findSeedShape } from '../../seed-shape/seed-shape.ts'
import { stepId } from '../../p3394/run-capability.ts'
import type { BookTypes } from '../../../edge/edge-env.ts'
import { jsonBody } from '../request/json-body.ts'
import { wayOf } from '../request/own-machine.ts'

const known = new Set<string>(capabilityTable.map(({ id }) => id))
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

/** What an agent that speaks P3394 sends. No capability takes a `message_id` beside a `content`. */
const agentBody = z.strictObject({
  message_id: requestName,
  source: z.unknown().optional(),
  content: z.record(z.string(), z.unknown()),
})

interface Asked {
  readonly input: unknown
  readonly requestId: string | undefined
  /** Input and answer are in the shape that the description of the id fixes. */
  readonly isShaped: boolean
}

function readAsked(id: string, given: unknown, named: z.output<typeof headers>): Asked {
  const { 'idempotency-key': key, 'x-p3394-message-id': messageId } = named
  if (messageId !== undefined || (isJsonObject(given) && 'message_id' in given && 'content' in given)) {
    const { message_id, content } = parseWith(agentBody, given)
    const requestId = key ?? messageId ?? message_id
    return { input: content, requestId, isShaped: findSeedShape(id) !== undefined }
  }
  return { input: given, requestId: key, isShaped: !known.has(id) }
}

export const capabilityRoute = new Hono<BookTypes>().post(
  '/capabilities/:id',
  headerFields,
  body,
  async (c) => {
    const id = c.req.param('id')
    const { input, requestId, isShaped } = readAsked(id, c.req.valid('json'), c.req.valid('header'))
    if (!known.has(id) && !findSeedShape(id)) {
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
