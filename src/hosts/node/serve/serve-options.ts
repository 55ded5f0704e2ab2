// Options of `daybook serve`, and their checks.
// Invariant: the server doesn't start with settings that would leak keys.
import { checkKey, checkKeyLength, isOwnAddress } from '../../../core/address.ts'
import { DaybookError, toDaybookError, invalidInput } from '../../../core/errors.ts'
import {
  anyOption,
  flagOption,
  functionOption,
  numberOption,
  optionsOf,
  textOption,
} from '../../../core/option-check.ts'
import { parseAudience } from '../../../doors/http/a2p/authorization.ts'
import { parseProfileBooks } from '../../../doors/http/a2p/profile-book.ts'
import { parseAgentRate } from '../../../edge/agent/agent-gate.ts'
import type { ArchiveEnv } from '../../../edge/archive/edge-archive.ts'
import { type EdgeEnv, edgeSettingTable } from '../../../edge/edge-env.ts'
import { parseQuotas } from '../../../edge/guest-quota.ts'
import { parseRate } from '../../../edge/rate-limit.ts'
import type { ServerLimits } from '../port/server-limits.ts'

export interface AddressLimits {
  /**
   * Most open requests and lines of an address, which many devices may share. Counted behind a proxy only.
   * Default 250.
   */
  readonly ofAddress: number
  /**
   * Requests without a key that an address may send per second, and twenty times as many in a burst. Default
   * 50.
   */
  readonly openPerSecond: number
}

export interface ServeMirrorsOptions {
  /**
   * URL of the database: `postgres://user:password@host:5432/database`. Supabase's pooler on port 6543 works
   * too.
   */
  readonly database: string
  /** Path of a file with the CA certificate that verifies the database. */
  readonly databaseCa?: string | undefined
  /** Most connections to the database, without the connection that listens. Default 10. */
  readonly connections?: number
  /**
   * URL for the connection that listens to notifications, if `database` is a pooler in transaction mode: the
   * database itself, or a pooler in session mode (Supabase: port 5432). Default: `database`.
   */
  readonly listenDatabase?: string | undefined
  /** Address to listen on, default `127.0.0.1`; `port`: default 8787, 0 for any free port. */
  readonly host?: string
  readonly port?: number
  /**
   * The key that every caller must send, at least 16 characters. Default: only requests of this machine that
   * came through no proxy are admitted, with the key `development`.
   */
  readonly key?: string | undefined
  /**
   * A proxy ends TLS and sets `X-Forwarded-Proto`. Only the proxy may reach the port. Needs `key`. Default
   * false.
   */
  readonly behindProxy?: boolean
  /** Limits of this server. Defaults: see `ServerLimits` and `AddressLimits`. */
  readonly limits?: Partial<ServerLimits & AddressLimits>
  /** Origins of pages that may call, separated by spaces. Pages of this machine may always call. */
  readonly origins?: string | undefined
  /**
   * Other settings of an edge, with the names of its environment variables: JSON Web Tokens, rates, embedder,
   * language model.
   */
  readonly settings?: EdgeSettings
  /** Called after every answer. `Answered` has neither bodies nor keys. */
  readonly onAnswer?: (answer: Answered) => void
}

/**
 * Settings of an edge, except the key and origins, which are options of `serveMirrors`. Vectors of records
 * and archives are not supported here: vectors would be lost with each copy, and archives need an edge with a
 * bucket.
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

/**
 * A request that the server has answered. `path` is without the query and with keys hidden; `ms`: time until
 * the answer ended.
 */
export interface Answered {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
}

const portOption = numberOption(0, 65_535)
const msOption = numberOption(10, 86_400_000)
// Remove settings that are options of `serveMirrors` (key, origins) or unsupported (vectors of records,
// archives).
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

const checkTable = optionsOf<ServeMirrorsOptions>(
  {
    database: textOption(4000),
    databaseCa: textOption(4000),
    connections: numberOption(1, 1000),
    listenDatabase: textOption(4000),
    host: textOption(1000),
    port: portOption,
    key: anyOption,
    behindProxy: flagOption,
    limits: optionsOf<NonNullable<ServeMirrorsOptions['limits']>>({
      connections: numberOption(1, 1_000_000),
      connectionsOfAddress: numberOption(1, 1_000_000),
      headersMs: msOption,
      requestMs: msOption,
      keepAliveMs: msOption,
      idleMs: msOption,
      unreadMs: msOption,
      ofAddress: numberOption(1, 1_000_000),
      openPerSecond: numberOption(1, 1_000_000),
    }),
    origins: anyOption,
    settings: optionsOf<EdgeSettings>(settingTable),
    onAnswer: functionOption,
  },
  ['database'],
)

/** Throws `invalid-input` for unknown options, wrong values, and options that would leak keys. */
export function checkServeOptions(options: ServeMirrorsOptions): void {
  checkTable(options, '')
  checkSettings(options)
}

/** Checks settings that the server reads later, so that errors are thrown before the server starts. */
function checkReadable(settings: EdgeSettings): void {
  const readers: { readonly [Name in keyof EdgeSettings]?: (text: string | undefined) => unknown } = {
    DAYBOOK_RATE: parseRate,
    DAYBOOK_GUEST_QUOTA: (text) => parseQuotas({ DAYBOOK_GUEST_QUOTA: text }),
    DAYBOOK_GUESTS_QUOTA: (text) => parseQuotas({ DAYBOOK_GUESTS_QUOTA: text }),
    DAYBOOK_A2P_RATE: parseAgentRate,
    DAYBOOK_DID: parseProfileBooks,
    DAYBOOK_A2P_AUDIENCE: parseAudience,
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

/** Throws unless each origin is as a browser sends it. Extensions have schemes whose origin `URL` doesn't know. */
function checkOrigins(origins: unknown): void {
  if (typeof origins !== 'string') throw invalidInput('origins', 'is no text')
  const isOrigin = (text: string) =>
    /^https?:/.test(text)
      ? URL.canParse(text) && new URL(text).origin === text
      : text === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[^/\s]+$/.test(text)
  const wrong = origins.split(/[\s,]+/).find((text) => text !== '' && !isOrigin(text))
  if (wrong === undefined) return
  throw invalidInput(
    'origins',
    `\`${wrong.slice(0, 200)}\` is no origin. Write each as a browser sends it, as in \`https://app.example.org\`: with its scheme, without a path.`,
  )
}

function checkSettings({
  host = '127.0.0.1',
  key,
  behindProxy = false,
  origins,
  settings = {},
}: ServeMirrorsOptions): void {
  checkReadable(settings)
  if (origins !== undefined) checkOrigins(origins)
  if (key !== undefined) checkKeyLength(checkKey(key, 'key'), 'key')
  if (behindProxy && !key)
    throw invalidInput('key', 'It is required behind a proxy, where every caller seems to be this machine')
  if (!isOnlyHere(host) && !behindProxy)
    throw invalidInput('host', 'Other machines need HTTPS: put a proxy in front, and set `behindProxy`')
}

/**
 * Whether only this machine can reach the address. Node shows an IPv4 address as `::ffff:…` on a socket for
 * both versions.
 */
export function isOnlyHere(host: string): boolean {
  return host === 'localhost' || isOwnAddress(host.replace(/^::ffff:(?=127\.)/, ''))
}
