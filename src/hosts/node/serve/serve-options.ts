// What `daybook serve` can be set to, and what of it is refused before anybody waits for an answer.
// Invariant: settings that would let keys leak start nothing.
import { checkKey, checkKeyLength, isOwnAddress } from '../../../core/address.ts'
import { DaybookError, toDaybookError } from '../../../core/errors.ts'
import {
  anyOption,
  flagOption,
  functionOption,
  numberOption,
  optionsOf,
  textOption,
} from '../../../core/option/option-check.ts'
import { readAudience } from '../../../doors/http/a2p/authorization.ts'
import { readProfileBooks } from '../../../doors/http/a2p/profile-book.ts'
import { readAgentRate } from '../../../edge/agent/agent-gate.ts'
import type { ArchiveEnv } from '../../../edge/archive/edge-archive.ts'
import { type EdgeEnv, edgeSettingTable } from '../../../edge/edge-env.ts'
import { readQuotas } from '../../../edge/guest-quota.ts'
import { readRate } from '../../../edge/rate-limit.ts'
import type { ServerLimits } from '../port/server-limits.ts'

export interface AddressLimits {
  /** Requests and lines of one address at a time; many devices may stand behind one. */
  readonly ofAddress: number
  /** Requests without a key that an address may send each second, and twenty times as many at once. */
  readonly openPerSecond: number
}

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
  /** Connections and times of this server, each with a default of its own: see `ServerLimits` and `AddressLimits`. */
  readonly limits?: Partial<ServerLimits & AddressLimits>
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

const portOption = numberOption(0, 65_535)
const msOption = numberOption(10, 86_400_000)
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

/** Throws `invalid-input` for what is no setting, or would let keys leak. */
export function checkServeOptions(options: ServeMirrorsOptions): void {
  checkTable(options, '')
  checkSettings(options)
}

/** Settings that are read later, by whom they concern: what is wrong with one is said before anybody waits for an answer. */
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
    throw wrong('key', 'behind a proxy everybody seems to be this machine, so there must be one')
  if (!isOnlyHere(host) && !behindProxy)
    throw wrong('host', 'others are answered over HTTPS only, which a proxy before this must speak: say so')
}

/** True for an end of a socket that only this machine reaches. Node shows IPv4 as IPv6 where a socket takes both. */
export function isOnlyHere(host: string): boolean {
  return host === 'localhost' || isOwnAddress(host.replace(/^::ffff:(?=127\.)/, ''))
}
