// The edge's HTTP: one Hono app of small routes. Every answer that is not a success has the one error shape.
import { Hono, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { secureHeaders } from 'hono/secure-headers'
import { DaybookError } from '../../core/errors.ts'
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
import { healthRoute } from './routes/health.ts'
import { inboxRoute } from './routes/inbox.ts'
import { lineRoute, ticketRoute } from './routes/live.ts'
import { manifestRoute } from './routes/manifest.ts'
import { syncRoute } from './routes/sync.ts'

/** What is below `/v1/books/:book`, where `requireBook` has let the caller in to that book. */
const bookRoutes = new Hono<BookTypes>()
  .route('/', bookRoute)
  .route('/', syncRoute)
  .route('/', capabilityRoute)
  .route('/', embedRoute)
  .route('/', inboxRoute)
  .route('/', ticketRoute)

/** Builds the app; its type is what `hc` of Hono makes a typed client from. */
export function createApp() {
  const app = new Hono<EdgeTypes>()
  app.onError((error, c) => respondWith(c, error))
  app.notFound((c) =>
    respondWith(c, new DaybookError('unknown-route', `There is no \`${c.req.path.slice(0, 200)}\`.`)),
  )
  app.use(tellSettingFaults(), withSecureHeaders())
  app.route('/', lineRoute)
  app.use(
    cors({
      origin: (origin, c) => (isAllowedOrigin(origin, c.env.DAYBOOK_ORIGINS) ? origin : null),
      allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
      allowHeaders: [
        'Authorization',
        'Content-Type',
        'Content-Encoding',
        'Idempotency-Key',
        'Daybook-Purpose',
        'X-P3394-Message-ID',
        'X-P3394-Source',
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
  app.use(limitAddress())
  app.use('/v1/books/:book/*', requireBook())
  app.use('/embed', requireEmbedding())
  return app
    .route('/', healthRoute)
    .route('/', manifestRoute)
    .route('/', embedRoute)
    .route('/v1/books/:book', bookRoutes)
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
