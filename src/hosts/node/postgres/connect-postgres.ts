// The way to PostgreSQL from a connection string: a pool of connections, TLS to other machines, transactions that end as
// a whole. No statement is named, so poolers that give each transaction another connection will do.
// Invariant: the string, which holds a password, is in no message and no log.
import { readFileSync } from 'node:fs'
import { type ClientConfig, Pool, type PoolClient, types } from 'pg'
import { isOwnName } from '../../../core/address.ts'
import { DaybookError } from '../../../core/errors.ts'
import { isConnectionFault } from './postgres-fault.ts'

export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database`. Connections to other machines are encrypted, and the
   * server's certificate is verified. `sslmode=no-verify` does not verify it, `sslmode=disable` does not encrypt;
   * `require` and `verify-full` do both on this machine too.
   */
  readonly url: string
  /** A file with the certificate of the authority that signed the server's. Default: those that Node trusts. */
  readonly caFile?: string | undefined
  /** Most connections of this process, 10 by default. */
  readonly connections?: number
}

/** A transaction, or a connection of its own for one statement. */
export interface Sql {
  rows<Row extends object>(text: string, params?: readonly (string | number | null)[]): Promise<Row[]>
}

export interface Postgres extends Sql {
  /** Runs statements without parameters as one message, which is one transaction; the rows of the last are the answer. */
  last<Row extends object>(statements: string): Promise<readonly Row[]>
  /**
   * Runs `work` in a transaction that begins with the statements of `opening`, which have no parameters; the rows of
   * the last of them are `work`'s to see. When a connection of the pool turns out to be dead, another one is tried.
   */
  begin<Row extends object, Result>(
    opening: string,
    work: (sql: Sql, rows: readonly Row[]) => Promise<Result>,
  ): Promise<Result>
  close(): Promise<void>
}

/** Dead connections of the pool that are passed over. */
const tries = 3
/** PostgreSQL's number of the type `bigint`; what is one here counts, and is below 2^53. */
const bigintType = 20

/** Connects as queries need it; nothing is asked yet. Throws `invalid-input` for what is no such address. */
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
  // A connection that ends says so to whoever uses it next; here nobody waits for it.
  pool.on('connect', (client) => client.on('error', () => undefined))
  pool.on('error', () => undefined)

  const rowsOfLast = <Row>(answer: unknown): readonly Row[] => {
    const results = answer as { rows: Row[] } | { rows: Row[] }[]
    return (Array.isArray(results) ? results.at(-1) : results)?.rows ?? []
  }

  const open = async <Row extends object>(
    opening: string,
  ): Promise<{ client: PoolClient; rows: readonly Row[] }> => {
    for (let left = tries; ; left--) {
      const client = await pool.connect()
      try {
        return { client, rows: rowsOfLast<Row>(await client.query(opening)) }
      } catch (error) {
        client.release(true)
        if (left === 1 || !isConnectionFault(error)) throw error
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
        // What can't be undone in good order ends with its connection.
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

/** Where a connection goes, and how. */
export function connectionTo({ url, caFile }: Pick<PostgresOptions, 'url' | 'caFile'>): ClientConfig {
  const address = parse(url)
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
    // What was given is a secret, also when it is malformed.
  }
  if (address && /^postgres(?:ql)?:$/.test(address.protocol)) return address
  throw new DaybookError(
    'invalid-input',
    '`database` is no address like postgres://user:password@host/database.',
    { details: { path: 'database' } },
  )
}

const hostOf = ({ hostname }: URL) => (hostname === '' ? 'localhost' : hostname.replace(/^\[|\]$/g, ''))

/** True for a connection that is encrypted to whoever answers: that nobody listens in between is not known. */
export function isUnverified(url: string): boolean {
  return parse(url).searchParams.get('sslmode') === 'no-verify'
}

/** A folder with a socket, or this machine by name. */
function staysHere(address: URL): boolean {
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
      return caFile === undefined && staysHere(address) ? false : verified()
    default:
      throw new DaybookError('invalid-input', '`sslmode` is disable, require, verify-full or no-verify.', {
        details: { path: 'database' },
      })
  }
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new DaybookError(
      'invalid-input',
      `\`databaseCa\`: ${file} can't be read. Name a file with the certificate of the authority, or leave it out.`,
      { details: { path: 'databaseCa' }, cause },
    )
  }
}
