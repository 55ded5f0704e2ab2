// Options of `daybook serve`, and their checks. Invariant: with settings that would leak keys the server
// doesn't start.
import { checkKey, checkKeyLength, isOwnAddress } from '../../../core/address.ts'
import { DaybookError, toDaybookError } from '../../../core/errors.ts'
import {
  anyOption,
  flagOption,
  functionOption,
  numberOption,
  optionsOf,
  textOption,
} from '../../../core/option-check.ts'
import { readAudience } from '../../../doors/http/a2p/authorization.ts'
import { readProfileBooks } from '../../../doors/http/a2p/profile-book.ts'
import { readAgentRate } from '../../../edge/agent/agent-gate.ts'
import type { ArchiveEnv } from '../../../edge/archive/edge-archive.ts'
import { type EdgeEnv, edgeSettingTable } from '../../../edge/edge-env.ts'
import { readQuotas } from '../../../edge/guest-quota.ts'
import { readRate } from '../../../edge/rate-limit.ts'
import type { ServerLimits } from '../port/server-limits.ts'

export interface AddressLimits {
  /** Open requests and lines of one address; many devices may share it. */
  readonly ofAddress: number
  /** Requests without a key that an address may send each second, and twenty times as many at once. */
  readonly openPerSecond: number
}

export interface ServeMirrorsOptions {
  /** The database: `postgres://user:password@host:5432/database`, Supabase's pooler on port 6543 included. */
  readonly database: string
  /** A file with the CA certificate that verifies the database. */
  readonly databaseCa?: string | undefined
  /** Most connections to the database (default 10), beside one to listen. */
  readonly connections?: number
  /**
   * The connection for notifications, if `database` is a pooler that shares connections among transactions:
   * the database itself, or a pooler of sessions (Supabase: port 5432).
   */
  readonly listenDatabase?: string | undefined
  /** Address and port to listen on; default `127.0.0.1` and 8787; port 0 for any free port. */
  readonly host?: string
  readonly port?: number
  /**
   * The key of every caller, at least 16 characters. Without it only this machine is admitted, with the key
   * `development`, and no request that came through a proxy.
   */
  readonly key?: string | undefined
  /** A proxy in front ends TLS and sets `X-Forwarded-Proto`. Nobody else may reach the port. */
  readonly behindProxy?: boolean
  /** Limits of this server; for the defaults see `ServerLimits` and `AddressLimits`. */
  readonly limits?: Partial<ServerLimits & AddressLimits>
  /** Origins of pages that may call, beside those of this machine, separated by blanks. */
  readonly origins?: string | undefined
  /** Other settings of an edge, as in its environment: JSON Web Tokens, rates, embedder, language model. */
  readonly settings?: EdgeSettings
  /** Called after every answer. It gets neither bodies nor keys. */
  readonly onAnswer?: (answer: Answered) => void
}

/**
 * Settings of an edge except its key and origins. Vectors of records would be lost with each copy, so there
 * are none; archives need the edge with a bucket.
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

const portOption = numberOption(0, 65_535)
const msOption = numberOption(10, 86_400_000)
// Options of their own here, or unsupported: vectors of records, archives.
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

/** Throws `invalid-input` for unknown options and those that would leak keys. */
export function checkServeOptions(options: ServeMirrorsOptions): void {
  checkTable(options, '')
  checkSettings(options)
}

/** Checks settings that are read later, so that errors come before the server starts. */
function checkReadable(settings: EdgeSettings): void {
  const readers: { readonly [Name in keyof EdgeSettings]?: (text: string | undefined) => unknown } = {
    DAYBOOK_RATE: readRate,
    DAYBOOK_GUEST_QUOTA: (text) => readQuotas({ DAYBOOK_GUEST_QUOTA: text }),
    DAYBOOK_GUESTS_QUOTA: (text) => readQuotas({ DAYBOOK_GUESTS_QUOTA: text }),
    DAYBOOK_A2P_RATE: readAgentRate,
    DAYBOOK_DID: readProfileBooks,
    DAYBOOK_A2P_AUDIENCE: readAudience,
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
    throw wrong('key', 'it is required behind a proxy, where every caller seems to be this machine')
  if (!isOnlyHere(host) && !behindProxy)
    throw wrong('host', 'other machines need HTTPS: put a proxy in front, and set `behindProxy`')
}

/** Whether a socket address is of this machine only. Node shows IPv4 as IPv6 on sockets for both. */
export function isOnlyHere(host: string): boolean {
  return host === 'localhost' || isOwnAddress(host.replace(/^::ffff:(?=127\.)/, ''))
}
