// Short routes of one book: sync, live line, erasing the book, embedding, inbox.
import { Hono } from 'hono'
import { defined } from '../../../core/defined.ts'
import { mirrorLimits, parseSyncRequest } from '../../../sync/wire/protocol.ts'
import type { BookTypes, EdgeTypes } from '../../../edge/edge-env.ts'
import { jsonBody } from '../request/json-body.ts'
import { DaybookError } from '../../../core/errors.ts'
import { parseWith } from '../../../core/schema.ts'
import { ticketRequest } from '../../../sync/wire/live-wire.ts'
import { openBookLine } from '../request/book-door.ts'
import { limitAddress, isAllowedOrigin, requireHttps, requirePlainPath } from '../request/guard.ts'
import { z } from 'zod'
import { answerEmbed } from '../../../recall/embed/embed-capability.ts'
import { edgeEmbedder } from '../../../edge/edge-models.ts'
import { checkJson } from '../../../core/json/json.ts'
import { isJsonObject, type Json } from '../../../core/json/path.ts'

/** Maximum bytes of a sync request besides its ops. */
const maxSyncEnvelopeBytes = 100_000

/**
 * Checks a sync request here, so that an invalid request starts no mirror. Returns the text unchanged, because the
 * mirror stores its bytes.
 */
const syncBody = jsonBody<unknown, string>({
  capability: 'daybook:sync',
  maxBytes: mirrorLimits.requestBytes + maxSyncEnvelopeBytes,
  parse(value, text) {
    parseSyncRequest(value)
    return text
  },
})

/** `POST /v1/books/:book/sync`: runs one round of sync between a device and its mirror. */
export const syncRoute = new Hono<BookTypes>().post('/sync', syncBody, async (c) => {
  const answer = await c.get('book').exchange(c.req.valid('json'))
  return c.body(answer, 200, { 'content-type': 'application/json' })
})

/** `POST /v1/books/:book/live`: returns a ticket for a live line. */
export const ticketRoute = new Hono<BookTypes>().post(
  '/live',
  jsonBody({ capability: 'daybook:sync', parse: (value) => parseWith(ticketRequest, value) }),
  async (c) => c.json(await c.get('book').ticket(c.req.valid('json')), 200),
)

/**
 * `GET /v1/books/:book/live`: opens the live line, a WebSocket, with the ticket as a subprotocol. The app mounts this
 * route before the middleware that sets headers, because the headers of an upgrade can't be changed. So the route
 * checks path, HTTPS and origin itself.
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
      throw new DaybookError('invalid-input', 'Open this address as a WebSocket.', {
        details: { path: 'upgrade' },
      })
    return openBookLine(c.env.MIRROR, c.req.param('book'), c.req.raw)
  },
)

/**
 * `confirm`: the name of the book. `epoch`: the last epoch of the device (the random name of its sync sequence); it
 * identifies a device whose key was erased.
 */
const eraseOrBeginRequest = z
  .strictObject({
    confirm: z.string().max(100).optional(),
    epoch: z
      .string()
      .regex(/^e_[A-Za-z0-9]{1,60}$/)
      .optional(),
  })
  .prefault({})

const eraseOrBeginBody = jsonBody({
  capability: 'daybook:erase',
  parse: (value) => parseWith(eraseOrBeginRequest, value),
})

/**
 * `DELETE /v1/books/:book`: the owner erases the book at its mirror. `PUT`: begins an erased book of that name again.
 * Both need the name of the book as `confirm`, and can't be undone.
 */
export const bookRoute = new Hono<BookTypes>()
  .delete('/', eraseOrBeginBody, async (c) =>
    c.json((await c.get('book').erase(c.req.valid('json'))) as object, 200),
  )
  .put('/', eraseOrBeginBody, async (c) =>
    c.json((await c.get('book').begin(c.req.valid('json'))) as object, 200),
  )

/**
 * `POST /embed`, also below a book's address: embeds up to 100 texts with the edge's embedder, `{ texts }` →
 * `{ embeddings, dimensions }`. A book checks the permission and counts the call.
 */
export const embedRoute = new Hono<BookTypes>().post(
  '/embed',
  jsonBody({ capability: 'embed:texts', parse: (value) => value }),
  async (c) => {
    await c.get('book').admit('embed:texts')
    return c.json(await answerEmbed(edgeEmbedder(c.env), c.req.valid('json'), c.req.raw.signal), 200)
  },
)

const inboxBody = jsonBody({
  capability: 'inbox:send',
  parse(value) {
    checkJson(value)
    if (isJsonObject(value as Json)) return value as Record<string, unknown>
    throw new DaybookError('invalid-input', 'A message is an object: `{ text, to, subject, data }`.', {
      details: { path: '' },
    })
  },
})

/**
 * `POST /v1/books/:book/inbox`: sends a message to an agent of the book, by `inbox:send`. The header
 * `Idempotency-Key` is the default of the message's `key`: a message sent twice with one key arrives once.
 */
export const inboxRoute = new Hono<BookTypes>().post('/inbox', inboxBody, async (c) => {
  const key = c.req.header('idempotency-key')
  const message = { ...defined({ key }), ...c.req.valid('json') }
  const receipt = (await c.get('book').call('inbox:send', message)) as {
    readonly id: string
    /** False: the message was sent before. */
    readonly sent: boolean
  }
  return c.json(receipt, receipt.sent ? 201 : 200)
})
