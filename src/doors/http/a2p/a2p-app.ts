// The a2p protocol over HTTP, below `/a2p/v1`. Order of checks: DID in the path, authorisation (A2P001), DID in
// `?profile=`, the signer's DID (A2P010), time and nonce (A2P007 to A2P009), registration of the agent (A2P011),
// signature, rate, content of the body. The book logs each request that reaches it, also a refused one.
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { hideKeys } from '../../../core/address.ts'
import { defined } from '../../../core/defined.ts'
import { DaybookError, isDaybookError, invalidInput } from '../../../core/errors.ts'
import { fromDidKey, isAgentDid, lacksNamespace } from '../../../shape/did.ts'
import { fromOutcome } from '../../../edge/outcome.ts'
import { callAsAgent, enterBody } from '../request/book-door.ts'
import {
  limitAddress,
  isAllowedOrigin,
  requireHttps,
  transportOf,
  requirePlainPath,
} from '../request/guard.ts'
import { parsePlainBody, readPlainBody, withBodyPass } from '../request/json-body.ts'
import { accessRoutes, agentRoutes, memoryRoutes } from './a2p-routes.ts'
import { parseAuthorization } from './authorization.ts'
import {
  type A2pContext,
  type A2pTypes,
  errorResponse,
  sentRequestId,
  newRequestId,
  successResponse,
  supportedVersions,
} from './envelope.ts'
import {
  bookOfDid,
  checkedProfileDid,
  didOfBook,
  invalidDidError,
  parseProfileBooks,
} from './profile-book.ts'
import { type A2pRoute, type A2pRequest, type A2pFields } from './route.ts'

export const a2pRoutes: readonly A2pRoute[] = [...memoryRoutes, ...accessRoutes, ...agentRoutes]

/** Maximum bytes of a body; no route needs more. */
const maxBodyBytes = 100_000

export function createA2pApp() {
  const app = new Hono<A2pTypes>()
  app.onError((error, c) => errorResponse(c, error))
  app.use(async (c, next) => {
    c.set('requestId', sentRequestId(c) ?? newRequestId())
    await next()
  })
  app.use(
    cors({
      origin: (origin, c: A2pContext) => (isAllowedOrigin(origin, c.env.DAYBOOK_ORIGINS) ? origin : null),
      allowMethods: ['GET', 'HEAD', 'POST'],
      allowHeaders: [
        'Authorization',
        'Content-Type',
        'X-Request-ID',
        'X-Daybook-Book',
        'Daybook-Receipt',
        'A2P-Version',
        'A2P-Version-Min',
        'A2P-Version-Max',
      ],
      exposeHeaders: [
        'A2P-Version',
        'A2P-Version-Supported',
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'X-RateLimit-Reset',
        'X-Request-Id',
        'Retry-After',
      ],
      maxAge: 7200,
    }),
    requirePlainPath(),
    async (c, next) => {
      requireHttps(new URL(c.req.url))
      await next()
    },
    limitAddress(),
  )
  app.get('/health', (c) => successResponse(c, { data: { status: 'ok', version: supportedVersions[0] } }))
  app.get('/did/:did', (c) => successResponse(c, { data: didDocumentOf(c.req.param('did')) }))
  for (const route of a2pRoutes) app.on(route.method, route.path, (c) => answerRoute(c, route))
  refuseOtherRoutes(app)
  return app
}

/** Answers `wrong-method` with the header `Allow`, and `unknown-route` for unknown addresses. */
function refuseOtherRoutes(app: Hono<A2pTypes>): void {
  const allowed = new Map<string, string[]>([
    ['/health', ['GET']],
    ['/did/:did', ['GET']],
  ])
  for (const { path, method } of a2pRoutes) allowed.set(path, [...(allowed.get(path) ?? []), method])
  for (const [path, methods] of allowed)
    app.all(path, (c) => {
      const allow = methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]))
      c.header('Allow', allow.join(', '))
      return errorResponse(c, new DaybookError('wrong-method', undefined, { details: { allow } }))
    })
  app.all('*', (c) =>
    errorResponse(
      c,
      new DaybookError('unknown-route', `There is no \`${hideKeys(c.req.path).slice(0, 200)}\`.`),
    ),
  )
}

async function answerRoute(c: A2pContext, route: A2pRoute): Promise<Response> {
  const mappedBooks = parseProfileBooks(c.env.DAYBOOK_DID)
  const isProfile = route.path.startsWith('/profile/')
  const profileDid = isProfile ? checkedProfileDid(param(c, 'did')) : undefined
  if (!isProfile) checkAgentDid(c)
  const sender = parseAuthorization(c.req.raw, c.env)
  const book = profileDid === undefined ? bookOf(c, mappedBooks) : bookOfDid(profileDid, mappedBooks)
  const pass = await enterBody(c.env.MIRROR, book, await sender.callerOf(book), route.capability)
  // `pass`: the request at the body gate, which limits the bytes of each caller in memory, and lets callers use the
  // thread in turn. Undefined: this host has no gate. `chargeIfRefused` charges a request whose body is refused.
  return withBodyPass(pass, async (chargeIfRefused) => {
    const bytes = await chargeIfRefused(() => readPlainBody(c.req.raw, maxBodyBytes, pass))
    const url = new URL(c.req.url)
    const credentials = await sender.credentialsFor(book, { method: c.req.method, url, body: bytes })
    await pass?.waitForTurn()
    const request: A2pRequest = {
      userDid: didOfBook(book, mappedBooks),
      signer: credentials.signed?.did,
      param: (name) => param(c, name),
      query: (name) => c.req.query(name),
      get body() {
        const body = parsePlainBody(c.req.raw, bytes)
        // `errorResponse` quotes a wrong memory type from it.
        c.set('parsedBody', body)
        return body
      },
    }
    // `operation` selects an hourly limit. `receipt`: id of a consent receipt, which sets the reach of the call. `way`:
    // the transport, for policies.
    const agentRequest = {
      id: route.capability,
      operation: route.operation,
      requestId: sentRequestId(c) ?? undefined,
      receipt: c.req.header('daybook-receipt'),
      way: transportOf(c.req.url),
      ...inputOrFault(c, route, request),
    }
    // The body gate has charged the request already.
    const chargedCredentials = { ...credentials, ...(pass?.isPaid ? { isPaid: true } : {}) }
    const { outcome, rate } = await callAsAgent(c.env.MIRROR, book, chargedCredentials, agentRequest)
    c.set('rate', rate)
    const value = await fromOutcome(Promise.resolve(outcome)).catch((error: unknown) => {
      throw route.convertError && isDaybookError(error) ? route.convertError(error) : error
    })
    return successResponse(c, toReply(route, value as A2pFields, request))
  })
}

/**
 * Returns the input of the capability, or the fault of the request. The book reports a fault only to a caller that it
 * admits.
 */
function inputOrFault(c: A2pContext, route: A2pRoute, request: A2pRequest) {
  try {
    if (sentRequestId(c) === null)
      throw invalidInput('x-request-id', 'It is not 1 to 200 visible ASCII characters')
    return { input: route.input(request) }
  } catch (error) {
    if (error instanceof DaybookError) return { fault: error.toJSON() }
    throw error
  }
}

function toReply(route: A2pRoute, value: A2pFields, request: A2pRequest) {
  const { meta = {}, ...rest } = route.answer(value, request)
  const { signer } = request
  return { ...rest, meta: { ...defined({ agentDid: signer }), ...meta } }
}

function param(c: A2pContext, name: string): string {
  return c.req.param(name) ?? ''
}

/**
 * Checks the agent's DID in the path, if there is one. Throws `invalid-input` for an invalid DID, and `not-found` for
 * a DID without a namespace, because no agent has such a DID.
 */
function checkAgentDid(c: A2pContext): void {
  const did = c.req.param('did')
  if (did === undefined) return
  if (lacksNamespace(did))
    throw new DaybookError('not-found', 'There is no agent with this DID here.', { details: { path: 'did' } })
  if (!isAgentDid(did)) throw invalidDidError('did')
}

/**
 * Returns the book of a request outside `/profile/`: from the header `X-Daybook-Book`, from the DID in `?profile=`,
 * or the only mapped book. Throws `not-found`.
 */
function bookOf(c: A2pContext, mappedBooks: ReadonlyMap<string, string>): string {
  const headerBook = c.req.header('x-daybook-book')
  if (headerBook !== undefined) return headerBook
  const profile = c.req.query('profile')
  if (profile !== undefined) return bookOfDid(checkedProfileDid(profile), mappedBooks)
  const [only, ...others] = mappedBooks.values()
  if (only !== undefined && others.length === 0) return only
  throw new DaybookError(
    'not-found',
    'Agents are registered with a profile: name it as `?profile=<DID of the user>` or in the header X-Daybook-Book.',
    { details: { path: 'profile' } },
  )
}

/**
 * Returns the DID document of a `did:key`, built from the DID itself. Throws `not-found` for every other valid DID,
 * also for those of profiles and agents here: callers need no authorisation, and must not learn which exist. Throws
 * `invalid-input` for an invalid DID.
 */
function didDocumentOf(did: string): unknown {
  if (lacksNamespace(did)) throw noDocumentError()
  const key = fromDidKey(did)
  if (!key) {
    checkedProfileDid(did)
    throw noDocumentError()
  }
  const id = `${did}#${did.slice('did:key:'.length)}`
  const method = { id, type: 'Multikey', controller: did, publicKeyMultibase: did.slice('did:key:'.length) }
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
    id: did,
    verificationMethod: [method],
    authentication: [id],
    assertionMethod: [id],
  }
}

const noDocumentError = () =>
  new DaybookError('not-found', 'There is no document for this DID here.', { details: { path: 'did' } })
