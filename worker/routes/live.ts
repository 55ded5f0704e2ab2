// `POST /v1/books/:book/live`: a ticket, under the key. `GET`, with the ticket as a subprotocol: the line itself, a WebSocket.
import { Hono } from 'hono'
import { checkBookName } from '../../src/core/book.ts'
import { DaybookError } from '../../src/core/errors.ts'
import { parseWith } from '../../src/core/schema.ts'
import { ticketRequest } from '../../src/sync/live-wire.ts'
import { bookParam } from '../book-param.ts'
import type { EdgeTypes } from '../edge-env.ts'
import { limitAddress } from '../front-limit.ts'
import { jsonBody } from '../json-body.ts'
import { isAllowedOrigin } from '../origin.ts'
import { fromOutcome } from '../outcome.ts'
import { requireHttps } from '../own-machine.ts'

export const ticketRoute = new Hono<EdgeTypes>().post(
  '/v1/books/:book/live',
  bookParam,
  jsonBody((value) => parseWith(ticketRequest, value)),
  async (c) => {
    const mirror = c.env.MIRROR.getByName(c.req.valid('param').book)
    const ticket = mirror.ticket?.(c.req.valid('json').device, c.get('presented'))
    if (!ticket) throw new DaybookError('unknown-route', 'This edge has no lines.')
    return c.json(await fromOutcome(ticket), 200)
  },
)

/**
 * The upgrade. It stands before everything that touches headers of answers: those of an upgrade can't be changed. What the
 * others do is done here: HTTPS, and pages of allowed origins only.
 */
export const lineRoute = new Hono<EdgeTypes>().get('/v1/books/:book/live', limitAddress(), async (c) => {
  requireHttps(new URL(c.req.url))
  const { origin, upgrade } = { origin: c.req.header('origin'), upgrade: c.req.header('upgrade') }
  if (
    origin !== undefined &&
    origin !== new URL(c.req.url).origin &&
    !isAllowedOrigin(origin, c.env.DAYBOOK_ORIGINS)
  )
    throw new DaybookError('forbidden', 'Pages of this origin may not call.')
  if (upgrade?.toLowerCase() !== 'websocket')
    throw new DaybookError('invalid-input', 'A WebSocket is wanted here.', { details: { path: 'upgrade' } })
  const mirror = c.env.MIRROR.getByName(checkBookName(c.req.param('book')))
  const response = await mirror.fetch?.(c.req.raw)
  if (!response) throw new DaybookError('unknown-route', 'This edge has no lines.')
  if (response.status === 101) return response
  throw DaybookError.from(await response.json())
})
