// Routes without a book in their address. `POST /messages` and `POST /capabilities/:id`, for P3394 agents, are
// forwarded to the book in `X-Daybook-Book`, or to `DAYBOOK_BOOK`. `GET /health`, `/manifest` and `/openapi.json`
// describe the edge.
// Invariant: callers are authorised only at the book's own address. Without a key `/health` reveals nothing about a
// book.
import { type Context, Hono } from 'hono'
import { checkBookName } from '../../../core/book.ts'
import { DaybookError, invalidInput } from '../../../core/errors.ts'
import type { EdgeEnv, EdgeTypes } from '../../../edge/edge-env.ts'
import { wireVersion } from '../../../sync/wire/protocol.ts'
import { product } from '../../../bundle/format/product.ts'
import { capabilityTable } from '../../../engine/capability-table.ts'
import { createManifest } from '../../manifest.ts'
import { metadataPath, resourceMetadata } from '../request/protected-resource.ts'
import { SharedDocument } from '../request/shared-document.ts'
import { createOpenApi } from '../openapi/openapi.ts'

/** Sends a request through the app again. */
type Forward = (request: Request, env: EdgeEnv) => Response | Promise<Response>

export const bookHeader = 'x-daybook-book'

/**
 * Returns the book of a request: from the header `X-Daybook-Book`, or `DAYBOOK_BOOK`. Throws `invalid-input` without
 * both.
 */
function addressedBook(c: Context<EdgeTypes>): string {
  const book = c.req.header(bookHeader) ?? c.env.DAYBOOK_BOOK
  if (book !== undefined) return checkBookName(book)
  throw invalidInput(
    'X-Daybook-Book',
    'Name the book in this header, call an address below `/v1/books/:book`, or start the edge for one book (`daybook serve --book`)',
  )
}

export function createAddressedRoute(forward: Forward) {
  const forwardToBook = (c: Context<EdgeTypes>, pathInBook: string) => {
    const url = new URL(c.req.url)
    url.pathname = `/v1/books/${addressedBook(c)}${pathInBook}`
    return forward(new Request(url, c.req.raw), c.env)
  }
  return new Hono<EdgeTypes>()
    .post('/messages', (c) => forwardToBook(c, '/messages'))
    .post('/capabilities/:id', (c) =>
      forwardToBook(c, `/capabilities/${encodeURIComponent(c.req.param('id')).replaceAll('%3A', ':')}`),
    )
}

/**
 * The fields of a book's status that monitors use. `durability`: the storage, such as `durable-object`. `degraded`:
 * descriptions of faults. `records`: number of live records of each kind.
 */
interface BookHealth {
  readonly durability: string
  readonly degraded: readonly string[]
  readonly records: Readonly<Record<string, number>>
}

/** `GET /health`: returns the wire version of the edge; with a key and a named book, also the health of this book. */
export function createHealthRoute(forward: Forward) {
  return new Hono<EdgeTypes>().get('/health', async (c) => {
    const edge = { ok: true, wire: wireVersion }
    const { authorization, [bookHeader]: requestedBook = c.env.DAYBOOK_BOOK } = c.req.header()
    if (authorization === undefined || requestedBook === undefined) return c.json(edge, 200)
    const name = checkBookName(requestedBook)
    const answer = await forward(statusRequest(c.req.raw, name), c.env)
    if (!answer.ok) throw DaybookError.from(await answer.json())
    const { durability, degraded, records } = (await answer.json()) as BookHealth
    return c.json({ ...edge, book: { name, durability, degraded, records } }, 200)
  })
}

/** Headers that describe the body of a request, or compare with an earlier answer. */
const ownHeaders = [
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'if-none-match',
  'if-modified-since',
]

/**
 * Creates a request for the status of a book, from the same caller: with its key, and with the headers that show its
 * origin and its proxies.
 */
function statusRequest({ url: requested, headers: sent }: Request, book: string): Request {
  const url = new URL(requested)
  url.pathname = `/v1/books/${book}/capabilities/daybook:status`
  url.search = ''
  const headers = new Headers(sent)
  for (const name of ownHeaders) headers.delete(name)
  headers.set('content-type', 'application/json')
  return new Request(url, { method: 'POST', headers, body: '{}' })
}

/** Maximum cached manifests, one per address. An edge has few addresses, but clients may invent more. */
const maxCachedManifests = 16
const placeholderAddress = 'https://address.invalid'

type Bytes = Uint8Array<ArrayBuffer>
/** The bytes of the manifest before and after the address. */
let manifestHalves: readonly [Bytes, Bytes] | undefined
const manifestByAddress = new Map<string, SharedDocument>()

/** `GET /manifest`: returns every capability with its schemas, and the agent's transports. */
export const manifestRoute = new Hono<EdgeTypes>().get('/manifest', (c) =>
  manifestDocumentFor(new URL(c.req.url).origin).answer(c),
)

/** Returns the manifest for the address of the request, because an edge may have several addresses. */
function manifestDocumentFor(address: string): SharedDocument {
  const document = manifestByAddress.get(address) ?? new SharedDocument(manifestBytesFor(address))
  // Delete the entry first, so that the map stays in order of last use.
  manifestByAddress.delete(address)
  manifestByAddress.set(address, document)
  const [oldest] = manifestByAddress.keys()
  if (manifestByAddress.size > maxCachedManifests && oldest !== undefined) manifestByAddress.delete(oldest)
  return document
}

function manifestBytesFor(address: string): Bytes {
  const [before, after] = (manifestHalves ??= splitManifest())
  const middle = new TextEncoder().encode(JSON.stringify(address))
  const bytes = new Uint8Array(before.length + middle.length + after.length)
  bytes.set(before)
  bytes.set(middle, before.length)
  bytes.set(after, before.length + middle.length)
  return bytes
}

function splitManifest(): readonly [Bytes, Bytes] {
  const transports = [{ type: 'http', endpoint: placeholderAddress }] as const
  const text = JSON.stringify(
    createManifest(capabilityTable, { wire: wireVersion, version: product.version, transports }),
  )
  const placeholder = JSON.stringify(placeholderAddress)
  const position = text.indexOf(placeholder)
  const encoder = new TextEncoder()
  return [encoder.encode(text.slice(0, position)), encoder.encode(text.slice(position + placeholder.length))]
}

let openApi: SharedDocument | undefined

/** `GET /openapi.json`: returns the OpenAPI document of the edge, created on the first request. */
export const openApiRoute = new Hono<EdgeTypes>().get('/openapi.json', (c) => {
  openApi ??= new SharedDocument(
    new TextEncoder().encode(JSON.stringify(createOpenApi(capabilityTable, product.version))),
  )
  return openApi.answer(c)
})

/** The identity provider of the MCP address of a book (RFC 9728). It names each book, also one that does not exist. */
export const resourceRoute = new Hono<EdgeTypes>().get(`${metadataPath}/v1/books/:book/mcp`, (c) => {
  const metadata = resourceMetadata(checkBookName(c.req.param('book')), c.req.url, c.env)
  if (metadata) return c.json(metadata, 200)
  throw new DaybookError(
    'unknown-route',
    'This edge names no identity provider for MCP clients: set DAYBOOK_JWKS_URL, DAYBOOK_JWT_ISSUER, and the address of this edge in DAYBOOK_JWT_AUDIENCE. Or send a key.',
  )
})
