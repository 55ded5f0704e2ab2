// The edge's HTTP: one Hono app of small routes. Every answer that is not a success has the one error shape.
import { Hono, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { secureHeaders } from 'hono/secure-headers'
import { hideKeys } from '../../core/text/hide-keys.ts'
import { DaybookError } from '../../core/errors.ts'
import { createA2pApp } from './a2p/a2p-app.ts'
import { requireBook, requireEmbedding } from './request/auth.ts'
import { limitAddress } from './request/front-limit.ts'
import { isAllowedOrigin } from './request/origin.ts'
import { settingFaults } from '../../edge/edge-settings.ts'
import type { BookTypes, EdgeTypes } from '../../edge/edge-env.ts'
import { requireHttps } from './request/own-machine.ts'
import { requirePlainPath } from './request/plain-path.ts'
import { respondWith } from './request/problem.ts'
import { bookRoute } from './routes/book.ts'
import { capabilityRoute } from './routes/capabilities.ts'
import { embedRoute } from './routes/embed.ts'
import { createHealthRoute } from './routes/health.ts'
import { inboxRoute } from './routes/inbox.ts'
import { lineRoute, ticketRoute } from './routes/live.ts'
import { manifestRoute } from './routes/manifest.ts'
import { mcpRoute } from './routes/mcp.ts'
import { openApiRoute } from './routes/openapi.ts'
import { createAddressedRoute } from './routes/addressed.ts'
import { messageRoute } from './routes/messages.ts'
import { syncRoute } from './routes/sync.ts'

/** What is below `/v1/books/:book`, where `requireBook` has let the caller in to that book. */
const bookRoutes = new Hono<BookTypes>()
  .route('/', bookRoute)
  .route('/', syncRoute)
  .route('/', capabilityRoute)
  .route('/', embedRoute)
  .route('/', inboxRoute)
  .route('/', ticketRoute)
  .route('/', mcpRoute)
  .route('/', messageRoute)

/** Builds the app; its type is what `hc` of Hono makes a typed client from. */
export function createApp() {
  const app = new Hono<EdgeTypes>()
  app.onError((error, c) => respondWith(c, error))
  app.notFound((c) =>
    respondWith(
      c,
      new DaybookError('unknown-route', `There is no \`${hideKeys(c.req.path).slice(0, 200)}\`.`),
    ),
  )
  app.use(tellSettingFaults(), withSecureHeaders())
  app.route('/', lineRoute)
  app.route('/a2p/v1', createA2pApp())
  app.use(
    allowOwnNetwork(),
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
      ],
      exposeHeaders: ['Retry-After'],
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
      createHealthRoute((request, env) => app.fetch(request, env)),
    )
    .route('/', manifestRoute)
    .route('/', openApiRoute)
    .route('/', embedRoute)
    .route('/v1/books/:book', bookRoutes)
}

/**
 * Browsers that ask a service of this machine or network whether a page of the internet may call it: the pages that may call
 * at all may. Others, Chromium from 142 on, ask their user instead.
 */
function allowOwnNetwork(): MiddlewareHandler {
  return async (c, next) => {
    await next()
    const isAsked = c.req.header('access-control-request-private-network') === 'true'
    if (isAsked && c.res.headers.has('access-control-allow-origin'))
      c.res.headers.set('Access-Control-Allow-Private-Network', 'true')
  }
}

/** Says once in the log which variables look like settings and are none. */
function tellSettingFaults(): MiddlewareHandler<EdgeTypes> {
  let isTold = false
  return async (c, next) => {
    if (!isTold)
      for (const message of settingFaults(c.env))
        console.warn(JSON.stringify({ code: 'invalid-input', message }))
    isTold = true
    await next()
  }
}

/** On every answer but the beginning of a line, which is no document and takes none. */
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
