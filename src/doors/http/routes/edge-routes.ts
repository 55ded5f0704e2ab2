// Routes without a book in their address. `POST /messages` and `POST /capabilities/:id`, for P3394 agents, are forwarded to the book
// in `X-Daybook-Book`, or to the edge's own. `GET /health`, `/manifest` and `/openapi.json` describe the edge.
// Invariants: callers are authorised only at the book's own address. Without a key `/health` says nothing of any book.
import { type Context, Hono } from 'hono'
import { checkBookName } from '../../../core/book.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { EdgeEnv, EdgeTypes } from '../../../edge/edge-env.ts'
import { wireVersion } from '../../../sync/wire/protocol.ts'
import { product } from '../../../bundle/format/product.ts'
import { capabilityTable } from '../../../engine/capability-table.ts'
import { createManifest } from '../../manifest.ts'
import { SharedDocument } from '../request/shared-document.ts'
import { createOpenApi } from '../openapi/openapi.ts'

/** Answers a request by the app. */
type Forward = (request: Request, env: EdgeEnv) => Response | Promise<Response>

export const bookHeader = 'x-daybook-book'

/** The book of a request whose address names none; `invalid-input` if it is unknown. */
function namedBook(c: Context<EdgeTypes>): string {
  const book = c.req.header(bookHeader) ?? c.env.DAYBOOK_BOOK
  if (book !== undefined) return checkBookName(book)
  throw new DaybookError(
    'invalid-input',
    '`X-Daybook-Book`: Name the book in this header, call an address below `/v1/books/:book`, or start the edge for one book (`daybook serve --book`).',
    { details: { path: 'X-Daybook-Book' } },
  )
}

export function createAddressedRoute(forward: Forward) {
  const go = (c: Context<EdgeTypes>, place: string) => {
    const url = new URL(c.req.url)
    url.pathname = `/v1/books/${namedBook(c)}${place}`
    return forward(new Request(url, c.req.raw), c.env)
  }
  return new Hono<EdgeTypes>()
    .post('/messages', (c) => go(c, '/messages'))
    .post('/capabilities/:id', (c) =>
      go(c, `/capabilities/${encodeURIComponent(c.req.param('id')).replaceAll('%3A', ':')}`),
    )
}

/** The part of a book's status that a monitor can act on. */
interface BookHealth {
  readonly durability: string
  readonly degraded: readonly string[]
  readonly records: Readonly<Record<string, number>>
}

/** `GET /health`: the edge's wire version; with a key, also the health of the book. */
export function createHealthRoute(forward: Forward) {
  return new Hono<EdgeTypes>().get('/health', async (c) => {
    const edge = { ok: true, wire: wireVersion }
    const { authorization, [bookHeader]: named = c.env.DAYBOOK_BOOK } = c.req.header()
    if (authorization === undefined || named === undefined) return c.json(edge, 200)
    const name = checkBookName(named)
    const answer = await forward(statusRequest(new URL(c.req.url), name, authorization), c.env)
    if (!answer.ok) throw DaybookError.from(await answer.json())
    const { durability, degraded, records } = (await answer.json()) as BookHealth
    return c.json({ ...edge, book: { name, durability, degraded, records } }, 200)
  })
}

/** A request for the book's status, with the caller's key. */
function statusRequest(url: URL, book: string, authorization: string): Request {
  url.pathname = `/v1/books/${book}/capabilities/daybook:status`
  url.search = ''
  const headers = { authorization, 'content-type': 'application/json' }
  return new Request(url, { method: 'POST', headers, body: '{}' })
}

/** Manifests kept in memory. An edge has few addresses; clients may invent more. */
const mostAddresses = 16
const anyAddress = 'https://address.invalid'

type Bytes = Uint8Array<ArrayBuffer>
/** The manifest before and after the address. */
let parts: readonly [Bytes, Bytes] | undefined
const documents = new Map<string, SharedDocument>()

/** `GET /manifest`: every capability with its schemas, and how to reach the agent. */
export const manifestRoute = new Hono<EdgeTypes>().get('/manifest', (c) =>
  documentOf(new URL(c.req.url).origin).answer(c),
)

/** The manifest with the address of the request: an edge may have several. */
function documentOf(address: string): SharedDocument {
  const document = documents.get(address) ?? new SharedDocument(manifestAt(address))
  // Delete first: the map stays in the order of last use.
  documents.delete(address)
  documents.set(address, document)
  const [oldest] = documents.keys()
  if (documents.size > mostAddresses && oldest !== undefined) documents.delete(oldest)
  return document
}

function manifestAt(address: string): Bytes {
  const [before, after] = (parts ??= manifestParts())
  const middle = new TextEncoder().encode(JSON.stringify(address))
  const whole = new Uint8Array(before.length + middle.length + after.length)
  whole.set(before)
  whole.set(middle, before.length)
  whole.set(after, before.length + middle.length)
  return whole
}

function manifestParts(): readonly [Bytes, Bytes] {
  const transports = [{ type: 'http', endpoint: anyAddress }] as const
  const text = JSON.stringify(
    createManifest(capabilityTable, { wire: wireVersion, version: product.version, transports }),
  )
  const mark = JSON.stringify(anyAddress)
  const at = text.indexOf(mark)
  const encoder = new TextEncoder()
  return [encoder.encode(text.slice(0, at)), encoder.encode(text.slice(at + mark.length))]
}

let openApi: SharedDocument | undefined

/** `GET /openapi.json`: the edge as an OpenAPI document, created on first use. */
export const openApiRoute = new Hono<EdgeTypes>().get('/openapi.json', (c) => {
  openApi ??= new SharedDocument(
    new TextEncoder().encode(JSON.stringify(createOpenApi(capabilityTable, product.version))),
  )
  return openApi.answer(c)
})
