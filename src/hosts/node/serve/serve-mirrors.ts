// Runs the edge in Node: the same app, with mirrors in PostgreSQL. Several processes may share one database.
// Invariant: keys are sent over no unencrypted connection except on this machine, and a remote caller never
// counts as a local caller.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { hideKeys, hostInUrl } from '../../../core/address.ts'
import { defined } from '../../../core/defined.ts'
import { DaybookError, errorTable, invalidInput, isDaybookError } from '../../../core/errors.ts'
import { createApp } from '../../../doors/http/app.ts'
import type { EdgeEnv } from '../../../edge/edge-env.ts'
import { edgeLlm } from '../../../edge/edge-models.ts'
import { parseAgentRate } from '../../../edge/agent/agent-gate.ts'
import { parseQuotas } from '../../../edge/guest-quota.ts'
import { parseRate } from '../../../edge/rate-limit.ts'
import { createLimitedServer, drainRequest } from '../port/limited-server.ts'
import { listen } from '../port/listen.ts'
import { usualLimits } from '../port/server-limits.ts'
import { nodePorts } from '../port/node-ports.ts'
import { parseUpgradeOffer } from '../../../edge/live-lines.ts'
import { toOutcome } from '../../../edge/outcome.ts'
import { connectionTo, connectPostgres, isUnverified, type Postgres } from '../postgres/connect-postgres.ts'
import { migratePostgres } from '../postgres/postgres-schema.ts'
import { openPostgresMirrors, type PostgresMirrors } from '../postgres/postgres-mirrors.ts'
import { AddressLimit, usualAddressLimits } from './address-limit.ts'
import { answerUpgrades, switchedProtocols, type Upgrade, wantsWebSocket } from './answer-upgrade.ts'
import { bookHeader } from '../../../doors/http/routes/edge-routes.ts'
import { checkServeOptions, isOnlyHere, type ServeMirrorsOptions } from './serve-options.ts'
import type { Clock } from '../../../core/ports.ts'
import { wireVersion } from '../../../sync/wire/protocol.ts'

export interface MirrorServer extends AsyncDisposable {
  readonly url: string
  /**
   * Accepts no more requests, waits up to 10 seconds for running requests, and closes the connections to the
   * database.
   */
  close(): Promise<void>
}

const unverified =
  'The certificate of the database is not verified (`sslmode=no-verify`): somebody on the network could read and change all books.'
/** Longest wait for running requests when the server closes. */
const graceMs = 10_000
/** An address over a limit should wait this long. */
const addressRetryMs = 1000

/**
 * Migrates the database and starts the server. Rejects with `invalid-input` for wrong options and settings
 * that would leak keys.
 */
export async function serveMirrors(options: ServeMirrorsOptions): Promise<MirrorServer> {
  checkServeOptions(options)
  const { host = '127.0.0.1', port = 8787 } = options
  const postgres = connectPostgres({
    url: options.database,
    caFile: options.databaseCa,
    ...defined({ connections: options.connections }),
  })
  for (const url of [options.database, options.listenDatabase])
    if (url !== undefined && isUnverified(url)) nodePorts.log.warn(unverified, { code: 'invalid-input' })
  let mirrors: PostgresMirrors | undefined
  try {
    await prepare(postgres)
    const opened = await openMirrors(postgres, options)
    mirrors = opened
    const server = createMirrorServer(postgres, opened, options)
    await listen(server, port, host)
    let closing: Promise<void> | undefined
    const close = () =>
      (closing ??= (async () => {
        const ended = new Promise<void>((resolve) => server.close(() => resolve()))
        opened.closeLines()
        server.closeIdleConnections()
        const cut = setTimeout(() => server.closeAllConnections(), graceMs)
        await ended
        clearTimeout(cut)
        await opened.close()
        await postgres.close()
      })())
    const { port: boundPort } = server.address() as AddressInfo
    return { url: `http://${hostInUrl(host)}:${boundPort}`, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await mirrors?.close()
    await postgres.close()
    throw error
  }
}

/** SQLSTATEs of a wrong address of the database (PostgreSQL documentation, appendix A). */
const addressFaults: Readonly<Record<string, string>> = {
  '3D000': 'The server has no database of that name. Create it, or correct the address.',
  '28P01': 'The server refuses the password of that user. Correct the address.',
  '28000': 'The server refuses that user. Correct the address, or the rules of the server.',
  '42501': 'That user may not create the schema `daybook`. Give it the right, or name another user.',
}

/** Migrates the database. Rejects with `invalid-input` if the address in the options can't be right. */
async function prepare(postgres: Postgres): Promise<void> {
  try {
    await migratePostgres(postgres)
  } catch (cause) {
    const code = isDaybookError(cause, 'storage-failed') ? String(cause.details['code']) : ''
    const message = addressFaults[code]
    throw message === undefined ? cause : invalidInput('database', message, { code, cause })
  }
}

function openMirrors(postgres: Postgres, options: ServeMirrorsOptions): Promise<PostgresMirrors> {
  const { settings = {} } = options
  return openPostgresMirrors({
    postgres,
    ports: nodePorts,
    rate: parseRate(settings.DAYBOOK_RATE),
    quotas: parseQuotas(settings),
    agentRate: parseAgentRate(settings.DAYBOOK_A2P_RATE),
    news: {
      connection: connectionTo({
        url: options.listenDatabase ?? options.database,
        caFile: options.databaseCa,
      }),
    },
    llm: edgeLlm(settings),
  })
}

function createMirrorServer(
  postgres: Postgres,
  mirrors: PostgresMirrors,
  options: ServeMirrorsOptions,
): Server {
  // `key`: one key or several, separated by spaces.
  const { key, behindProxy = false } = options
  const env: EdgeEnv = {
    ...options.settings,
    MIRROR: mirrors,
    ...(key ? { DAYBOOK_KEY: key } : {}),
    ...(options.origins ? { DAYBOOK_ORIGINS: options.origins } : {}),
  }
  const app = createApp()
  const answerHealth = createHealthAnswer(postgres, app, env)
  const limits = limitsOf(options)
  const addresses = new AddressLimit(limits, behindProxy, nodePorts.clock)
  const listener = getRequestListener(
    async (request, bindings) => {
      const { incoming } = bindings as HttpBindings
      let answer = isPublicHealth(request, env)
        ? await answerHealth(request)
        : await app.fetch(withRealAddress(request, incoming, behindProxy), env)
      if (answer.status === 401 && !addresses.countUnauthorized(incoming))
        answer = new Response(tooManyAnswer.body, tooManyAnswer)
      // Close the connection if bytes of the body are unread: the server would parse them as the next
      // request.
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
          app.fetch(withRealAddress(request, incoming, behindProxy), {
            ...env,
            // The route of lines calls only `fetch` of a book.
            MIRROR: {
              getByName: (book) => ({ ...mirrors.getByName(book), fetch: lineOf(mirrors, book, upgrade) }),
            },
          }),
        ),
  )
  return server
}

/**
 * Whether the request is for the health of the process. With a key and a book, it is for that of the book.
 */
function isPublicHealth({ url, headers }: Request, env: EdgeEnv): boolean {
  if (new URL(url).pathname !== '/health') return false
  return !(headers.has('authorization') && (env.DAYBOOK_BOOK ?? headers.get(bookHeader)))
}

/** Answers a health request as the app does, with the state of the database. */
function createHealthAnswer(postgres: Postgres, app: ReturnType<typeof createApp>, env: EdgeEnv) {
  const health = createHealth(postgres, nodePorts.clock)
  return async ({ method, headers }: Request): Promise<Response> => {
    // The own address avoids the app's check for HTTPS: a monitor may use HTTP, because the answer has no
    // secrets.
    const answer = await app.fetch(new Request('http://127.0.0.1/health', { method, headers }), env)
    if (!answer.ok || (method !== 'GET' && method !== 'HEAD')) return answer
    const { status, body } = await health()
    return new Response(method === 'HEAD' ? null : body, { status, headers: answer.headers })
  }
}

/**
 * The limits with defaults. Behind a proxy all connections have the proxy's address; without a proxy one
 * address gets at most four fifths of the connections.
 */
function limitsOf({ limits, behindProxy = false }: ServeMirrorsOptions) {
  const { connections = usualLimits.connections } = limits ?? {}
  const connectionsOfAddress = behindProxy ? connections : Math.ceil(connections * 0.8)
  return { ...usualLimits, ...usualAddressLimits, connectionsOfAddress, ...limits }
}

const tooMany = new DaybookError(
  'rate-limited',
  'This address has too many open requests and lines, or sends too many requests without a key.',
  { details: { retryAfterMs: addressRetryMs } },
)
const tooManyAnswer = {
  status: errorTable[tooMany.code].status,
  headers: { 'content-type': 'application/json', 'retry-after': String(addressRetryMs / 1000) },
  body: JSON.stringify(tooMany),
}

/** Answers with `rate-limited` without making a `Request`, so that a flood of requests costs little. */
async function refuse(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const isRead = await drainRequest(incoming)
  const { status, headers, body } = tooManyAnswer
  outgoing.writeHead(status, { ...headers, ...(isRead ? {} : { connection: 'close' }) }).end(body)
}

/** Returns the function that answers an upgrade to a live line of `book`. */
const lineOf =
  (mirrors: PostgresMirrors, book: string, upgrade: Upgrade) =>
  async ({ headers }: Request): Promise<Response> => {
    const opened = await toOutcome(() => mirrors.openLine(book, parseUpgradeOffer(headers), upgrade))
    return opened.ok ? switchedProtocols() : Response.json(opened.error, { status: 400 })
  }

/**
 * The request with its real address: HTTPS only if the proxy sets `X-Forwarded-Proto: https`, and a name of
 * this machine only if both ends of the socket are on this machine, independent of `Host`.
 */
function withRealAddress(request: Request, incoming: IncomingMessage, behindProxy: boolean): Request {
  const { socket, httpVersion } = incoming
  const url = new URL(request.url)
  const headers = new Headers(request.headers)
  // Only proxies use HTTP/1.0 today; nginx by default sends no header that shows it.
  if (httpVersion === '1.0') headers.append('via', '1.0 unnamed')
  if (behindProxy) {
    const proto = incoming.headers['x-forwarded-proto']
    // A name of no machine: the app neither treats the caller as local nor accepts a key over HTTP.
    if (proto !== 'https') url.hostname = 'plain.invalid'
    else url.protocol = 'https:'
  } else if (![socket.remoteAddress, socket.localAddress].every((end) => isOnlyHere(end ?? '')))
    url.hostname = 'elsewhere.invalid'
  if (url.href === request.url && httpVersion !== '1.0') return request
  const { method, body, signal } = request
  return new Request(url, { method, headers, signal, ...(body ? { body, duplex: 'half' } : {}) })
}

/**
 * Shortest time between two checks of the database, because callers without a key may send health requests.
 */
const freshMs = 1000
const answerLimitMs = 3000

/** Returns a function that answers 200, or 503 if the database doesn't answer within `answerLimitMs`. */
function createHealth(postgres: Postgres, clock: Clock): () => Promise<Response> {
  let latest = { at: Number.NEGATIVE_INFINITY, isUp: Promise.resolve(false) }
  const ask = async (): Promise<boolean> => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), answerLimitMs)
    })
    const answer = postgres.rows('SELECT 1').then(
      () => true,
      () => false,
    )
    return Promise.race([answer, late]).finally(() => clearTimeout(timer))
  }
  return async () => {
    const now = clock.now()
    if (Math.abs(now - latest.at) >= freshMs) latest = { at: now, isUp: ask() }
    const ok = await latest.isUp
    return Response.json({ ok, wire: wireVersion, database: ok ? 'up' : 'down' }, { status: ok ? 200 : 503 })
  }
}
