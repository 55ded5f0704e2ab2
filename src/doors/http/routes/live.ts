// `POST /v1/books/:book/live`: a ticket, under the key. `GET`, with the ticket as a subprotocol: the line itself, a WebSocket.
import { Hono } from 'hono'
import { DaybookError } from '../../../core/errors.ts'
import { parseWith } from '../../../core/schema.ts'
import { ticketRequest } from '../../../sync/wire/live-wire.ts'
import { openBookLine } from '../request/book-door.ts'
import type { BookTypes, EdgeTypes } from '../../../edge/edge-env.ts'
import { limitAddress } from '../request/front-limit.ts'
import { jsonBody } from '../request/json-body.ts'
import { isAllowedOrigin } from '../request/origin.ts'
import { requireHttps } from '../request/own-machine.ts'
import { requirePlainPath } from '../request/plain-path.ts'

export const ticketRoute = new Hono<BookTypes>().post(
  '/live',
  jsonBody({ capability: 'daybook:sync', parse: (value) => parseWith(ticketRequest, value) }),
  async (c) => c.json(await c.get('book').ticket(c.req.valid('json')), 200),
)

/**
 * The upgrade. It stands before everything that touches headers of answers: those of an upgrade can't be changed. What the
 * others do is done here: plain paths, HTTPS, and pages of allowed origins only.
 */
export const lineRoute = new Hono<EdgeTypes>().get(
  '/v1/books/:book/live',
  requirePlainPath(),
  limitAddress(),
  async (c) => {
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
    return openBookLine(c.env.MIRROR, c.req.param('book'), c.req.raw)
  },
)
