// The HTTP app of the edge: Hono routes. Errors outside `/a2p/v1` have one shape.
import { Hono, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { secureHeaders } from 'hono/secure-headers'
import { hideKeys } from '../../core/address.ts'
import { DaybookError } from '../../core/errors.ts'
import { createA2pApp } from './a2p/a2p-app.ts'
import { requireBook, requireEmbedding } from './request/auth.ts'
import { limitAddress, isAllowedOrigin, requireHttps, requirePlainPath } from './request/guard.ts'
import { unknownSettingWarnings, type BookTypes, type EdgeTypes } from '../../edge/edge-env.ts'
import { respondWith } from './request/problem.ts'
import { bookRoute, embedRoute, inboxRoute, lineRoute, ticketRoute, syncRoute } from './routes/book-routes.ts'
import { capabilityRoute } from './routes/capabilities.ts'
import {
  createAddressedRoute,
  createHealthRoute,
  manifestRoute,
  openApiRoute,
  resourceRoute,
} from './routes/edge-routes.ts'
import { mcpRoute } from './routes/mcp.ts'
import { messageRoute } from './routes/messages.ts'

/** Routes below `/v1/books/:book`, behind `requireBook`. */
const bookRoutes = new Hono<BookTypes>()
  .route('/', bookRoute)
  .route('/', syncRoute)
  .route('/', capabilityRoute)
  .route('/', embedRoute)
  .route('/', inboxRoute)
  .route('/', ticketRoute)
  .route('/', mcpRoute)
  .route('/', messageRoute)

/** Creates the app. Hono's `hc` creates a typed client from the type of the app. */
export function createApp() {
  const app = new Hono<EdgeTypes>()
  app.onError((error, c) => respondWith(c, error))
  app.notFound((c) =>
    respondWith(
      c,
      new DaybookError('unknown-route', `There is no \`${hideKeys(c.req.path).slice(0, 200)}\`.`),
    ),
  )
  app.use(logUnknownSettings(), withSecureHeaders())
  // Checks path, HTTPS, origin, rate and ticket itself: the headers of an upgrade can't be changed.
  app.route('/', lineRoute)
  // The a2p app has its own CORS, checks and form of errors, so it comes before these.
  app.route('/a2p/v1', createA2pApp())
  app.use(
    allowPrivateNetwork(),
    cors({
      origin: (origin, c) => (isAllowedOrigin(origin, c.env.DAYBOOK_ORIGINS) ? origin : null),
      allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
      allowHeaders: [
        'Authorization',
        'Content-Type',
        'Content-Encoding',
        'Idempotency-Key',
        'Daybook-Purpose',
        'Daybook-Receipt',
        'X-P3394-Message-ID',
        'X-P3394-Source',
        'X-Daybook-Book',
        'Mcp-Method',
        'Mcp-Name',
        'Mcp-Protocol-Version',
        'Mcp-Session-Id',
      ],
      exposeHeaders: ['Retry-After', 'Mcp-Session-Id', 'WWW-Authenticate'],
      maxAge: 7200,
    }),
    methodNotAllowed({
      app,
      onMethodNotAllowed: (c, allow) => {
        c.header('Allow', allow.join(', '))
        return respondWith(c, new DaybookError('wrong-method', undefined, { details: { allow } }))
      },
    }),
    requirePlainPath(),
    async (c, next) => {
      requireHttps(new URL(c.req.url))
      await next()
    },
  )
  // `POST /messages` and `/capabilities/:id` for the book in `X-Daybook-Book`. They go through this app again, where
  // `limitAddress` counts them: so they come before it.
  app.route(
    '/',
    createAddressedRoute((request, env) => app.fetch(request, env)),
  )
  app.use(limitAddress())
  app.use('/v1/books/:book/*', requireBook())
  app.use('/embed', requireEmbedding())
  return app
    .route(
      '/',
      // With a key, it requests a book's status from this app, so that `requireBook` checks the key.
      createHealthRoute((request, env) => app.fetch(request, env)),
    )
    .route('/', manifestRoute)
    .route('/', openApiRoute)
    .route('/', resourceRoute)
    .route('/', embedRoute)
    .route('/v1/books/:book', bookRoutes)
}

/**
 * Answers preflight requests for private network access: allows every origin that CORS allows. Chromium 142 and later
 * ask the user instead.
 */
function allowPrivateNetwork(): MiddlewareHandler {
  return async (c, next) => {
    await next()
    const isPreflight = c.req.header('access-control-request-private-network') === 'true'
    if (isPreflight && c.res.headers.has('access-control-allow-origin'))
      c.res.headers.set('Access-Control-Allow-Private-Network', 'true')
  }
}

/** Logs `unknownSettingWarnings` once, such as misspelt settings. */
function logUnknownSettings(): MiddlewareHandler<EdgeTypes> {
  let isLogged = false
  return async (c, next) => {
    if (!isLogged)
      for (const message of unknownSettingWarnings(c.env))
        console.warn(JSON.stringify({ code: 'invalid-input', message }))
    isLogged = true
    await next()
  }
}

/** Sets secure headers on every answer except an upgrade (101), whose headers can't be changed. */
function withSecureHeaders(): MiddlewareHandler {
  const setHeaders = secureHeaders({
    contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  })
  return async (c, next) => {
    await next()
    if (c.res.status !== 101) await setHeaders(c, () => Promise.resolve())
  }
}

export type EdgeApp = ReturnType<typeof createApp>
