// The edge under Node: the same app, its mirrors in PostgreSQL. Several such processes may stand on one database.
// Invariant: a key crosses no plain connection but on this machine, and whoever calls from elsewhere can't pass for it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { hostInUrl } from '../../../core/address.ts'
import { DaybookError, errorTable } from '../../../core/errors.ts'
import { hideKeys } from '../../../core/text/hide-keys.ts'
import { createApp } from '../../../doors/http/app.ts'
import type { EdgeEnv } from '../../../edge/edge-env.ts'
import { edgeLlm } from '../../../edge/edge-models.ts'
import { readAgentRate } from '../../../edge/agent/agent-gate.ts'
import { readQuotas } from '../../../edge/guest-quota.ts'
import { readRate } from '../../../edge/rate-limit.ts'
import { createLimitedServer, drainRequest } from '../port/limited-server.ts'
import { usualLimits } from '../port/server-limits.ts'
import { nodePorts } from '../port/node-ports.ts'
import { offeredLine } from '../../../edge/live-lines.ts'
import { toOutcome } from '../../../edge/outcome.ts'
import { connectionTo, connectPostgres, isUnverified } from '../postgres/connect-postgres.ts'
import { migratePostgres } from '../postgres/migrate-postgres.ts'
import { openPostgresMirrors, type PostgresMirrors } from '../postgres/postgres-mirrors.ts'
import { AddressLimit, usualAddressLimits } from './address-limit.ts'
import { answerUpgrades, switchedProtocols, type Upgrade, wantsWebSocket } from './answer-upgrade.ts'
import { bookHeader } from '../../../doors/http/routes/edge-routes.ts'
import { checkServeOptions, isOnlyHere, type ServeMirrorsOptions } from './serve-options.ts'
import { createHealth } from './health.ts'

export interface MirrorServer extends AsyncDisposable {
  readonly url: string
  /** Takes no more requests, waits up to 10 s for those under way, and lets go of the database. */
  close(): Promise<void>
}

const unverified =
  'The certificate of the database is not verified (`sslmode=no-verify`): whoever is between could read and change all books.'
const graceMs = 10_000
const addressRetryMs = 1000

/** Migrates the database and begins to answer. Rejects with `invalid-input` for settings that would let keys leak. */
export async function serveMirrors(options: ServeMirrorsOptions): Promise<MirrorServer> {
  checkServeOptions(options)
  const { host = '127.0.0.1', port = 8787, key, behindProxy = false } = options
  const postgres = connectPostgres({
    url: options.database,
    caFile: options.databaseCa,
    ...(options.connections === undefined ? {} : { connections: options.connections }),
  })
  for (const url of [options.database, options.listenDatabase])
    if (url !== undefined && isUnverified(url)) nodePorts.log.warn(unverified, { code: 'invalid-input' })
  try {
    await migratePostgres(postgres)
    const { settings = {} } = options
    const mirrors = await openPostgresMirrors({
      postgres,
      ports: nodePorts,
      rate: readRate(settings.DAYBOOK_RATE),
      quotas: readQuotas(settings),
      agentRate: readAgentRate(settings.DAYBOOK_A2P_RATE),
      news: {
        connection: connectionTo({
          url: options.listenDatabase ?? options.database,
          caFile: options.databaseCa,
        }),
      },
      llm: edgeLlm(settings),
    })
    const env: EdgeEnv = {
      ...settings,
      MIRROR: mirrors,
      ...(key ? { DAYBOOK_KEY: key } : {}),
      ...(options.origins ? { DAYBOOK_ORIGINS: options.origins } : {}),
    }
    const app = createApp()
    const health = createHealth(postgres, nodePorts.clock)
    /** As the app answers it, with its headers and its methods, and whether the database is there besides. */
    const answerHealth = async ({ method, headers }: Request): Promise<Response> => {
      // Whoever watches over this process may ask without HTTPS: there is nothing to hide.
      const answer = await app.fetch(new Request('http://127.0.0.1/health', { method, headers }), env)
      if (!answer.ok || (method !== 'GET' && method !== 'HEAD')) return answer
      const { status, body } = await health()
      return new Response(method === 'HEAD' ? null : body, { status, headers: answer.headers })
    }
    const answerOf = (request: Request, incoming: IncomingMessage): Promise<Response> | Response => {
      const { pathname } = new URL(request.url)
      // Who asks of a book is let in to it as elsewhere.
      const ofBook =
        request.headers.has('authorization') && (env.DAYBOOK_BOOK ?? request.headers.get(bookHeader))
      if (pathname === '/health' && !ofBook) return answerHealth(request)
      return app.fetch(addressed(request, incoming, behindProxy), env)
    }
    const limits = limitsOf(options)
    const addresses = new AddressLimit(limits, behindProxy, nodePorts.clock)
    const listener = getRequestListener(
      async (request, bindings) => {
        const { incoming } = bindings as HttpBindings
        let answer = await answerOf(request, incoming)
        if (answer.status === 401 && !addresses.takeStranger(incoming))
          answer = new Response(tooManyAnswer.body, tooManyAnswer)
        // What was not read of the request would be taken for the beginning of the next one.
        if (!(await drainRequest(incoming))) answer.headers.set('connection', 'close')
        return answer
      },
      { overrideGlobalObjects: false },
    )
    const server = createLimitedServer(
      limits,
      (request, response) => {
        const began = performance.now()
        response.once('close', () =>
          options.onAnswer?.({
            method: request.method ?? '',
            path: hideKeys((request.url ?? '').split('?')[0] ?? '', key?.split(/\s+/)),
            status: response.statusCode,
            ms: Math.round(performance.now() - began),
          }),
        )
        void (addresses.enter(request, response) ? listener(request, response) : refuse(request, response))
      },
      { shouldUpgradeCallback: wantsWebSocket },
    )
    answerUpgrades(server, (request, incoming, upgrade) =>
      !addresses.enter(incoming, incoming.socket)
        ? Promise.resolve(new Response(tooManyAnswer.body, tooManyAnswer))
        : Promise.resolve(
            app.fetch(addressed(request, incoming, behindProxy), {
              ...env,
              MIRROR: {
                getByName: (book) => ({ ...mirrors.getByName(book), fetch: lineOf(mirrors, book, upgrade) }),
              },
            }),
          ),
    )
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
    let closing: Promise<void> | undefined
    const close = () =>
      (closing ??= (async () => {
        const ended = new Promise<void>((resolve) => server.close(() => resolve()))
        mirrors.closeLines()
        server.closeIdleConnections()
        const cut = setTimeout(() => server.closeAllConnections(), graceMs)
        await ended
        clearTimeout(cut)
        await mirrors.close()
        await postgres.close()
      })())
    const { port: taken } = server.address() as AddressInfo
    return { url: `http://${hostInUrl(host)}:${taken}`, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await postgres.close()
    throw error
  }
}

/** All connections come from the proxy where there is one; else one address leaves a fifth to the others. */
function limitsOf({ limits, behindProxy = false }: ServeMirrorsOptions) {
  const { connections = usualLimits.connections } = limits ?? {}
  const connectionsOfAddress = behindProxy ? connections : Math.ceil(connections * 0.8)
  return { ...usualLimits, ...usualAddressLimits, connectionsOfAddress, ...limits }
}

const tooMany = new DaybookError(
  'rate-limited',
  'This address has too many requests and lines open, or asks too often without a key.',
  { details: { retryAfterMs: addressRetryMs } },
)
const tooManyAnswer = {
  status: errorTable[tooMany.code].status,
  headers: { 'content-type': 'application/json', 'retry-after': String(addressRetryMs / 1000) },
  body: JSON.stringify(tooMany),
}

/** Before anything is made of the request: an address that floods takes no more than this. */
async function refuse(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const isRead = await drainRequest(incoming)
  const { status, headers, body } = tooManyAnswer
  outgoing.writeHead(status, { ...headers, ...(isRead ? {} : { connection: 'close' }) }).end(body)
}

/** Answers the upgrade to a line of `book`. */
const lineOf =
  (mirrors: PostgresMirrors, book: string, upgrade: Upgrade) =>
  async ({ headers }: Request): Promise<Response> => {
    const opened = await toOutcome(() => mirrors.openLine(book, offeredLine(headers), upgrade))
    return opened.ok ? switchedProtocols() : Response.json(opened.error, { status: 400 })
  }

/**
 * The request with the address that it was really made to: HTTPS where the proxy says so, and never this machine's name
 * unless both ends of the socket are this machine's, whatever `Host` says.
 */
function addressed(request: Request, incoming: IncomingMessage, behindProxy: boolean): Request {
  const { socket, httpVersion } = incoming
  const url = new URL(request.url)
  const headers = new Headers(request.headers)
  // Nobody but a proxy speaks HTTP/1.0 to others these days, and nginx, left as it is, says nothing else of itself.
  if (httpVersion === '1.0') headers.append('via', '1.0 unnamed')
  if (behindProxy) {
    const proto = incoming.headers['x-forwarded-proto']
    if (proto !== 'https') url.hostname = 'plain.invalid'
    else url.protocol = 'https:'
  } else if (![socket.remoteAddress, socket.localAddress].every((end) => isOnlyHere(end ?? '')))
    url.hostname = 'elsewhere.invalid'
  if (url.href === request.url && httpVersion !== '1.0') return request
  const { method, body, signal } = request
  return new Request(url, { method, headers, signal, ...(body ? { body, duplex: 'half' } : {}) })
}
