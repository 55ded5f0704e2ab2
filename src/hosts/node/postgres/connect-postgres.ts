// Connects to PostgreSQL by URL: a pool of connections, TLS to other machines, atomic transactions. No
// statement is named, so that poolers that change the connection with each transaction work too.
// Invariant: the URL, which contains a password, is in no message and no log.
import { readFileSync } from 'node:fs'
import { type ClientConfig, Pool, type PoolClient, types } from 'pg'
import { isOwnName } from '../../../core/address.ts'
import { DaybookError, invalidInput } from '../../../core/errors.ts'
import { isConnectionFault } from './postgres-fault.ts'

export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database`. Connections to other machines are encrypted, and the
   * server's certificate is verified. `sslmode=no-verify` skips the verification, `sslmode=disable` the
   * encryption; `require` and `verify-full` force both on this machine too.
   */
  readonly url: string
  /** A file with the CA certificate of the server. Default: the authorities that Node trusts. */
  readonly caFile?: string | undefined
  /** Most connections of this process; default 10. */
  readonly connections?: number
}

/** A transaction, or a connection for one statement. */
export interface Sql {
  rows<Row extends object>(text: string, params?: readonly (string | number | null)[]): Promise<Row[]>
}

export interface Postgres extends Sql {
  /**
   * Runs statements without parameters as one message, which is one transaction; returns the rows of the
   * last.
   */
  last<Row extends object>(statements: string): Promise<readonly Row[]>
  /**
   * Runs `work` in a transaction that begins with the statements of `opening`, which have no parameters;
   * `work` gets the rows of the last. If a pooled connection is dead, another one is tried.
   */
  begin<Row extends object, Result>(
    opening: string,
    work: (sql: Sql, rows: readonly Row[]) => Promise<Result>,
  ): Promise<Result>
  close(): Promise<void>
}

/** Attempts, because pooled connections may be dead. */
const attempts = 3
/** PostgreSQL's type number of `bigint`. Ours are counters below 2^53. */
const bigintType = 20

/** Makes a pool that connects when a query needs it. Throws `invalid-input` for an invalid URL. */
export function connectPostgres({ url, caFile, connections = 10 }: PostgresOptions): Postgres {
  const pool = new Pool({
    ...connectionTo({ url, caFile }),
    max: connections,
    idleTimeoutMillis: 60_000,
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        type === bigintType
          ? Number
          : (types.getTypeParser(type, format as 'text') as (text: string) => unknown),
    },
  })
  // The next query reports a broken connection; here nobody waits for it.
  pool.on('connect', (client) => client.on('error', () => undefined))
  pool.on('error', () => undefined)

  const rowsOfLast = <Row>(answer: unknown): readonly Row[] => {
    const results = answer as { rows: Row[] } | { rows: Row[] }[]
    return (Array.isArray(results) ? results.at(-1) : results)?.rows ?? []
  }

  const open = async <Row extends object>(
    opening: string,
  ): Promise<{ client: PoolClient; rows: readonly Row[] }> => {
    for (let attemptsLeft = attempts; ; attemptsLeft--) {
      const client = await pool.connect()
      try {
        return { client, rows: rowsOfLast<Row>(await client.query(opening)) }
      } catch (error) {
        // True: closes the connection.
        client.release(true)
        if (attemptsLeft === 1 || !isConnectionFault(error)) throw error
      }
    }
  }

  return {
    async rows<Row extends object>(text: string, params: readonly (string | number | null)[] = []) {
      return (await pool.query(text, [...params])).rows as Row[]
    },
    async last<Row extends object>(statements: string) {
      const { client, rows } = await open<Row>(statements)
      client.release()
      return rows
    },
    async begin(opening, work) {
      const { client, rows } = await open<never>(`BEGIN; ${opening}`)
      const sql: Sql = {
        async rows<Row extends object>(text: string, params: readonly (string | number | null)[] = []) {
          return (await client.query(text, [...params])).rows as Row[]
        },
      }
      try {
        const result = await work(sql, rows)
        await client.query('COMMIT')
        client.release()
        return result
      } catch (error) {
        // If the rollback fails, close the connection.
        await client.query('ROLLBACK').then(
          () => client.release(),
          () => client.release(true),
        )
        throw error
      }
    },
    close: () => pool.end(),
  }
}

/** The options of the driver for a URL. Throws `invalid-input` for an invalid URL or certificate file. */
export function connectionTo({ url, caFile }: Pick<PostgresOptions, 'url' | 'caFile'>): ClientConfig {
  const address = parse(url)
  // `?host=/folder`: the folder of a Unix socket.
  const socket = address.searchParams.get('host')
  return {
    host: socket ?? hostOf(address),
    ...(address.port === '' ? {} : { port: Number(address.port) }),
    ...(address.username === '' ? {} : { user: decodeURIComponent(address.username) }),
    ...(address.password === '' ? {} : { password: decodeURIComponent(address.password) }),
    ...(address.pathname.length > 1 ? { database: decodeURIComponent(address.pathname.slice(1)) } : {}),
    application_name: address.searchParams.get('application_name') ?? 'daybook',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    ssl: tlsOf(address, caFile),
  }
}

function parse(url: string): URL {
  let address: URL | undefined
  try {
    address = new URL(url)
  } catch {
    // The URL is a secret even when it is malformed.
  }
  if (address && /^postgres(?:ql)?:$/.test(address.protocol)) return address
  throw new DaybookError(
    'invalid-input',
    '`database` must look like postgres://user:password@host/database.',
    { details: { path: 'database' } },
  )
}

const hostOf = ({ hostname }: URL) => (hostname === '' ? 'localhost' : hostname.replace(/^\[|\]$/g, ''))

/**
 * True if the connection is encrypted without verifying the server, so that somebody between could read it.
 */
export function isUnverified(url: string): boolean {
  return parse(url).searchParams.get('sslmode') === 'no-verify'
}

/** Whether the host is a socket folder or this machine. */
function isLocal(address: URL): boolean {
  const host = address.searchParams.get('host') ?? address.hostname
  return host === '' || host.startsWith('/') || isOwnName(host)
}

function tlsOf(address: URL, caFile: string | undefined) {
  const verified = () => (caFile === undefined ? {} : { ca: readAuthority(caFile) })
  switch (address.searchParams.get('sslmode')) {
    case 'disable':
      return false
    case 'no-verify':
      return { rejectUnauthorized: false }
    case 'require':
    case 'verify-full':
      return verified()
    case null:
      return caFile === undefined && isLocal(address) ? false : verified()
    default:
      throw new DaybookError(
        'invalid-input',
        '`sslmode` must be disable, require, verify-full or no-verify.',
        {
          details: { path: 'database' },
        },
      )
  }
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw invalidInput(
      'databaseCa',
      `${file} can't be read. Name a file with the CA certificate, or leave it out.`,
      { cause },
    )
  }
}
