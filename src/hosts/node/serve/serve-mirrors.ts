// The edge under Node: the same app, its mirrors in PostgreSQL. Several such processes may stand on one database.
// Invariant: a key crosses no plain connection but on this machine, and whoever calls from elsewhere can't pass for it.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { checkKey, checkKeyLength, hostInUrl, isOwnAddress } from '../../../core/address.ts'
import { DaybookError, toDaybookError } from '../../../core/errors.ts'
import {
  anyOption,
  flagOption,
  functionOption,
  numberOption,
  optionsOf,
  textOption,
} from '../../../core/option/option-check.ts'
import { readProfileBooks } from '../../../doors/http/a2p/profile-book.ts'
import { createApp } from '../../../doors/http/app.ts'
import type { ArchiveEnv } from '../../../edge/archive/archive-env.ts'
import type { EdgeEnv } from '../../../edge/edge-env.ts'
import { edgeSettingTable } from '../../../edge/edge-settings.ts'
import { edgeLlm } from '../../../edge/edge-llm.ts'
import { readAgentRate } from '../../../edge/agent/agent-rate.ts'
import { readRate } from '../../../edge/rate-limit.ts'
import { nodePorts } from '../port/node-ports.ts'
import { offeredLine } from '../../../edge/live-lines.ts'
import { toOutcome } from '../../../edge/outcome.ts'
import { connectionTo, connectPostgres } from '../postgres/connect-postgres.ts'
import { migratePostgres } from '../postgres/migrate-postgres.ts'
import { openPostgresMirrors, type PostgresMirrors } from '../postgres/postgres-mirrors.ts'
import { answerUpgrades, switchedProtocols, type Upgrade, wantsWebSocket } from './answer-upgrade.ts'
import { bookHeader } from '../../../doors/http/routes/addressed.ts'
import { createHealth } from './health.ts'

export interface ServeMirrorsOptions {
  /** Where the truth is: `postgres://user:password@host:5432/database`, Supabase's pooler on port 6543 included. */
  readonly database: string
  /** A file with the certificate of who vouches for the database; with it the database's own is checked. */
  readonly databaseCa?: string | undefined
  /** Most connections to the database, 10 by default, and one more to listen on. */
  readonly connections?: number
  /**
   * Where to listen for what other processes write, when `database` is a pooler that shares connections among
   * transactions: the database itself, or a pooler of sessions (Supabase: port 5432).
   */
  readonly listenDatabase?: string | undefined
  /** Address and port to listen on; `127.0.0.1` and 8787, and port 0 is any that is free. */
  readonly host?: string
  readonly port?: number
  /**
   * The key of every caller, at least 16 characters. Without it only this machine is let in, with the key `development`, and
   * nobody on whose request a proxy has left its mark.
   */
  readonly key?: string | undefined
  /** A proxy stands before this that ends TLS and says so in `X-Forwarded-Proto`. Nobody else may reach the port. */
  readonly behindProxy?: boolean
  /** Origins of pages that may call, besides those of this machine, apart by blanks. */
  readonly origins?: string | undefined
  /** The other settings of an edge, as in its environment: JSON Web Tokens, rates, embedder, language model. */
  readonly settings?: EdgeSettings
  /** Called after every answer. Neither bodies nor keys are in it. */
  readonly onAnswer?: (answer: Answered) => void
}

/**
 * What an edge can be set to beside its key and origins. Vectors of records would be lost with each copy, so there are none;
 * archives are those of the edge with a bucket.
 */
export type EdgeSettings = Omit<
  EdgeEnv,
  | 'MIRROR'
  | 'DAYBOOK_KEY'
  | 'DAYBOOK_ORIGINS'
  | 'RATE_LIMIT'
  | 'AI'
  | 'DAYBOOK_EMBED_RECORDS'
  | keyof ArchiveEnv
>

export interface Answered {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
}

export interface MirrorServer extends AsyncDisposable {
  readonly url: string
  /** Takes no more requests, waits up to 10 s for those under way, and lets go of the database. */
  close(): Promise<void>
}

const graceMs = 10_000

const portOption = numberOption(0, 65_535)
// Some settings of a deployment are options of their own here, and there are no vectors of records, and no archives.
const {
  DAYBOOK_KEY: _key,
  DAYBOOK_ORIGINS: _origins,
  DAYBOOK_EMBED_RECORDS: _records,
  DAYBOOK_ARCHIVE_EVERY: _every,
  DAYBOOK_ARCHIVE_PREFIX: _prefix,
  DAYBOOK_ARCHIVE_KEEP: _keep,
  DAYBOOK_ARCHIVE_DAYS: _days,
  ...settingTable
} = edgeSettingTable

const checkOptions = optionsOf<ServeMirrorsOptions>(
  {
    database: textOption(4000),
    databaseCa: textOption(4000),
    connections: numberOption(1, 1000),
    listenDatabase: textOption(4000),
    host: textOption(1000),
    port: portOption,
    key: anyOption,
    behindProxy: flagOption,
    origins: anyOption,
    settings: optionsOf<EdgeSettings>(settingTable),
    onAnswer: functionOption,
  },
  ['database'],
)

/** Migrates the database and begins to answer. Rejects with `invalid-input` for settings that would let keys leak. */
export async function serveMirrors(options: ServeMirrorsOptions): Promise<MirrorServer> {
  checkOptions(options, '')
  const { host = '127.0.0.1', port = 8787, key, behindProxy = false } = options
  checkSettings(options)
  const postgres = connectPostgres({
    url: options.database,
    caFile: options.databaseCa,
    ...(options.connections === undefined ? {} : { connections: options.connections }),
  })
  try {
    await migratePostgres(postgres)
    const { settings = {} } = options
    const mirrors = await openPostgresMirrors({
      postgres,
      ports: nodePorts,
      rate: readRate(settings.DAYBOOK_RATE),
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
    const listener = getRequestListener(
      (request, { incoming }) => {
        const { pathname } = new URL(request.url)
        // Who asks of a book is let in to it as elsewhere.
        const ofBook =
          request.headers.has('authorization') && (env.DAYBOOK_BOOK ?? request.headers.get(bookHeader))
        if (pathname === '/health' && !ofBook) return answerHealth(request)
        return app.fetch(addressed(request, incoming as HttpBindings['incoming'], behindProxy), env)
      },
      { overrideGlobalObjects: false },
    )
    const server = createServer({ shouldUpgradeCallback: wantsWebSocket }, (request, response) => {
      const began = performance.now()
      response.once('close', () =>
        options.onAnswer?.({
          method: request.method ?? '',
          path: (request.url ?? '').split('?')[0] ?? '',
          status: response.statusCode,
          ms: Math.round(performance.now() - began),
        }),
      )
      void listener(request, response)
    })
    answerUpgrades(server, (request, incoming, upgrade) =>
      Promise.resolve(
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

/** Answers the upgrade to a line of `book`. */
const lineOf =
  (mirrors: PostgresMirrors, book: string, upgrade: Upgrade) =>
  async ({ headers }: Request): Promise<Response> => {
    const opened = await toOutcome(() => mirrors.openLine(book, offeredLine(headers), upgrade))
    return opened.ok ? switchedProtocols() : Response.json(opened.error, { status: 400 })
  }

/** Settings that are read later, by whom they concern: what is wrong with one is said before anybody waits for an answer. */
function checkReadable(settings: EdgeSettings): void {
  const readers: { readonly [Name in keyof EdgeSettings]?: (text: string | undefined) => unknown } = {
    DAYBOOK_RATE: readRate,
    DAYBOOK_A2P_RATE: readAgentRate,
    DAYBOOK_DID: readProfileBooks,
  }
  for (const [name, read] of Object.entries(readers)) {
    try {
      read(settings[name as keyof EdgeSettings])
    } catch (error) {
      throw new DaybookError('invalid-input', toDaybookError(error).message, {
        details: { path: `settings.${name}` },
        cause: error,
      })
    }
  }
}

function checkSettings({
  host = '127.0.0.1',
  key,
  behindProxy = false,
  settings = {},
}: ServeMirrorsOptions): void {
  const wrong = (path: string, message: string) =>
    new DaybookError('invalid-input', `\`${path}\`: ${message}.`, { details: { path } })
  checkReadable(settings)
  if (key !== undefined) checkKeyLength(checkKey(key, 'key'), 'key')
  if (behindProxy && !key)
    throw wrong('key', 'behind a proxy everybody seems to be this machine, so there must be one')
  if (!isOnlyHere(host) && !behindProxy)
    throw wrong('host', 'others are answered over HTTPS only, which a proxy before this must speak: say so')
}

/** True for an end of a socket that only this machine reaches. Node shows IPv4 as IPv6 where a socket takes both. */
function isOnlyHere(host: string): boolean {
  return host === 'localhost' || isOwnAddress(host.replace(/^::ffff:(?=127\.)/, ''))
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
