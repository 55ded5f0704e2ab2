// The a2p protocol over HTTP, below `/a2p/v1`: profiles, memories, proposals and access for agents that sign their requests.
// Its order of checks: the address (a DID in it is one), the authorization (A2P001), the DID of who signed (A2P010), time and
// nonce (A2P007 to A2P009), whether the agent is known (A2P011), its signature, what is left to ask, and then the body. Whoever gets as far as the book
// is in its log of access, also when refused.
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { hideKeys } from '../../../core/text/hide-keys.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { isAgentDid, lacksNamespace } from '../../../shape/a2p-did.ts'
import { fromDidKey } from '../../../shape/did-key.ts'
import { fromOutcome } from '../../../edge/outcome.ts'
import { askAgentDoor, enterBody } from '../request/book-door.ts'
import { limitAddress } from '../request/front-limit.ts'
import { parsePlainBody, readPlainBody, withinPass } from '../request/json-body.ts'
import { isAllowedOrigin } from '../request/origin.ts'
import { requireHttps, wayOf } from '../request/own-machine.ts'
import { requirePlainPath } from '../request/plain-path.ts'
import { accessRoutes } from './access-route.ts'
import { agentRoutes } from './agent-route.ts'
import { readAuthorization } from './authorization.ts'
import {
  type A2pContext,
  type A2pTypes,
  fail,
  givenRequestId,
  newRequestId,
  succeed,
  versions,
} from './envelope.ts'
import { memoryRoutes } from './memory-route.ts'
import { bookOfDid, checkProfileDid, didOfBook, invalidDid, readProfileBooks } from './profile-book.ts'
import { type A2pRoute, type Asked, type Given, wrongField } from './route.ts'

export const a2pRoutes: readonly A2pRoute[] = [...memoryRoutes, ...accessRoutes, ...agentRoutes]

/** Most bytes of a body: many times what any of them needs. */
const bodyLimitBytes = 100_000

export function createA2pApp() {
  const app = new Hono<A2pTypes>()
  app.onError((error, c) => fail(c, error))
  app.use(async (c, next) => {
    c.set('requestId', givenRequestId(c) ?? newRequestId())
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
  app.get('/health', (c) => succeed(c, { data: { status: 'ok', version: versions[0] } }))
  app.get('/did/:did', (c) => succeed(c, { data: documentOf(c.req.param('did')) }))
  for (const route of a2pRoutes) app.on(route.method, route.path, (c) => answerRoute(c, route))
  refuseOthers(app)
  return app
}

/** What is at an address under another method, and what is at none. */
function refuseOthers(app: Hono<A2pTypes>): void {
  const allowed = new Map<string, string[]>([
    ['/health', ['GET']],
    ['/did/:did', ['GET']],
  ])
  for (const { path, method } of a2pRoutes) allowed.set(path, [...(allowed.get(path) ?? []), method])
  for (const [path, methods] of allowed)
    app.all(path, (c) => {
      const allow = methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]))
      c.header('Allow', allow.join(', '))
      return fail(c, new DaybookError('wrong-method', undefined, { details: { allow } }))
    })
  app.all('*', (c) =>
    fail(c, new DaybookError('unknown-route', `There is no \`${hideKeys(c.req.path).slice(0, 200)}\`.`)),
  )
}

async function answerRoute(c: A2pContext, route: A2pRoute): Promise<Response> {
  const mapped = readProfileBooks(c.env.DAYBOOK_DID)
  const isProfile = route.path.startsWith('/profile/')
  const did = isProfile ? checkProfileDid(param(c, 'did')) : checkAgent(c)
  const sender = readAuthorization(c.req.raw, c.env)
  const book = isProfile ? bookOfDid(did ?? '', mapped) : bookAsked(c, mapped)
  const pass = await enterBody(c.env.MIRROR, book, await sender.comerTo(book), route.capability)
  return withinPass(pass, async (refusing) => {
    const bytes = await refusing(() => readPlainBody(c.req.raw, bodyLimitBytes, pass))
    const url = new URL(c.req.url)
    const presented = await sender.presentedTo(book, { method: c.req.method, url, body: bytes })
    await pass?.turn()
    const asked: Asked = {
      userDid: didOfBook(book, mapped),
      signer: presented.signed?.did,
      param: (name) => param(c, name),
      query: (name) => c.req.query(name),
      get body() {
        const body = parsePlainBody(c.req.raw, bytes)
        c.set('given', body)
        return body
      },
    }
    const ask = {
      id: route.capability,
      operation: route.operation,
      requestId: givenRequestId(c) ?? undefined,
      receipt: c.req.header('daybook-receipt'),
      way: wayOf(c.req.url),
      ...inputOf(c, route, asked),
    }
    const payer = { ...presented, ...(pass?.isPaid ? { isPaid: true } : {}) }
    const { outcome, rate } = await askAgentDoor(c.env.MIRROR, book, payer, ask)
    c.set('rate', rate)
    const value = await fromOutcome(Promise.resolve(outcome)).catch((error: unknown) => {
      throw route.refusal && isDaybookError(error) ? route.refusal(error) : error
    })
    return succeed(c, told(route, value as Given, asked))
  })
}

/** What the capability is to be given, or what is wrong with the request: the book tells it to whoever was let in. */
function inputOf(c: A2pContext, route: A2pRoute, asked: Asked) {
  try {
    if (givenRequestId(c) === null)
      throw wrongField('x-request-id', 'It is not 1 to 200 visible ASCII characters')
    return { input: route.input(asked) }
  } catch (error) {
    if (error instanceof DaybookError) return { fault: error.toJSON() }
    throw error
  }
}

function told(route: A2pRoute, value: Given, asked: Asked) {
  const { meta = {}, ...rest } = route.answer(value, asked)
  const { signer } = asked
  return { ...rest, meta: { ...(signer === undefined ? {} : { agentDid: signer }), ...meta } }
}

function param(c: A2pContext, name: string): string {
  return c.req.param(name) ?? ''
}

/** The agent in an address, if there is one in it. */
function checkAgent(c: A2pContext): string | undefined {
  const did = c.req.param('did')
  if (did === undefined) return undefined
  if (lacksNamespace(did))
    throw new DaybookError('not-found', 'There is no agent of this DID here.', { details: { path: 'did' } })
  if (!isAgentDid(did)) throw invalidDid('did')
  return did
}

/** The book that a request means whose address names none: by a header, by the profile's DID, or the only one there is a DID for. */
function bookAsked(c: A2pContext, mapped: ReadonlyMap<string, string>): string {
  const named = c.req.header('x-daybook-book')
  if (named !== undefined) return named
  const profile = c.req.query('profile')
  if (profile !== undefined) return bookOfDid(checkProfileDid(profile), mapped)
  const [only, ...others] = mapped.values()
  if (only !== undefined && others.length === 0) return only
  throw new DaybookError(
    'not-found',
    'Agents are registered with a profile: say with which, as `?profile=<DID of the user>` or with the header X-Daybook-Book.',
    { details: { path: 'profile' } },
  )
}

/** The DID document of a `did:key`, which follows from its name alone. Of others nothing is told to who does not say who it is. */
function documentOf(did: string): unknown {
  if (lacksNamespace(did)) throw noDocument()
  const key = fromDidKey(did)
  if (!key) {
    checkProfileDid(did)
    throw noDocument()
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

const noDocument = () =>
  new DaybookError('not-found', 'There is no document of this DID here.', { details: { path: 'did' } })
