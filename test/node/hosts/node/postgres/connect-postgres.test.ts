// Ways to PostgreSQL: TLS that checks or does not, strings as Supabase gives them, and migrations that take turns.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  connectPostgres,
  type PostgresOptions,
} from '../../../../../src/hosts/node/postgres/connect-postgres.ts'
import { serveMirrors } from '../../../../../src/hosts/node/index.ts'
import {
  migratePostgres,
  postgresMigrations,
} from '../../../../../src/hosts/node/postgres/postgres-schema.ts'
import { fromRemote, fromRemoteText, toRemote } from '../../../../../src/hosts/node/postgres/relation-sql.ts'
import { createPostgres, skipped } from './postgres-world.ts'

const folder = mkdtempSync('/tmp/daybook-certificate-')
const certificate = join(folder, 'server.crt')
afterAll(() => rmSync(folder, { recursive: true }))

function makeCertificate(): void {
  const key = join(folder, 'server.key')
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const making = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    certificate,
  ]
  execFileSync('openssl', [...making, ...subject], { stdio: 'ignore' })
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  for (const file of [key, folder, certificate]) chownSync(file, id('-u'), id('-g'))
  chmodSync(key, 0o600)
  expect(statSync(key).mode & 0o077).toBe(0)
}

describe.skipIf(skipped !== '')(`The way to PostgreSQL${skipped}`, () => {
  const server = createPostgres([
    'ssl = on',
    `ssl_cert_file = '${certificate}'`,
    `ssl_key_file = '${join(folder, 'server.key')}'`,
    // The second is no name of this machine for Daybook, as any other address is not.
    "listen_addresses = '127.0.0.1,127.0.0.2'",
  ])
  let port = 0
  beforeAll(async () => {
    makeCertificate()
    port = (await server.get()).postgres.port
  })
  afterAll(server.close)

  const isEncrypted = async (options: Partial<PostgresOptions> & { readonly url: string }) => {
    const sql = connectPostgres(options)
    try {
      const [row] = await sql.rows<{ ssl: boolean }>(
        'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      )
      return row?.ssl
    } finally {
      await sql.close()
    }
  }
  const at = (host: string, query = '') => `postgres://daybook@${host}:${port}/postgres${query}`

  it('speaks plainly to this machine, and in secret when told to', async () => {
    expect(await isEncrypted({ url: at('127.0.0.1') })).toBe(false)
    expect(await isEncrypted({ url: at('127.0.0.1', '?sslmode=disable') })).toBe(false)
    expect(await isEncrypted({ url: at('127.0.0.1', '?sslmode=no-verify') })).toBe(true)
    expect(await isEncrypted({ url: at('localhost', '?sslmode=require'), caFile: certificate })).toBe(true)
  })

  it('verifies the certificate of a database elsewhere, unless its address says not to', async () => {
    const elsewhere = '127.0.0.2'
    for (const query of ['', '?sslmode=require', '?sslmode=verify-full'])
      await expect(isEncrypted({ url: at(elsewhere, query) })).rejects.toThrow(/self-signed/)
    await expect(isEncrypted({ url: at('localhost', `?host=${elsewhere}`) })).rejects.toThrow(/self-signed/)
    await expect(isEncrypted({ url: at(elsewhere), caFile: certificate })).rejects.toThrow(/altnames/)
    expect(await isEncrypted({ url: at(elsewhere, '?sslmode=no-verify') })).toBe(true)
    expect(await isEncrypted({ url: at(elsewhere, '?sslmode=disable') })).toBe(false)
    expect(await isEncrypted({ url: at(elsewhere, `?host=${(await server.get()).postgres.folder}`) })).toBe(
      false,
    )
  })

  it('is served over with a warning where nothing is verified, and otherwise says what to do', async () => {
    const heard: string[] = []
    const hear = ({ message }: Error) => void heard.push(message)
    process.on('warning', hear)
    await expect(serveMirrors({ database: at('127.0.0.2'), port: 0 })).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringMatching(/could not be verified.*--database-ca.*sslmode=no-verify/),
      details: { path: 'database' },
    })
    await using served = await serveMirrors({ database: at('127.0.0.2', '?sslmode=no-verify'), port: 0 })
    expect((await fetch(`${served.url}/health`)).status).toBe(200)
    process.off('warning', hear)
    expect(heard.filter((message) => /not verified/.test(message))).toHaveLength(1)
  })

  it('refuses a server that nobody vouches for, or another than was asked for, when it is to check', async () => {
    await expect(isEncrypted({ url: at('localhost', '?sslmode=verify-full') })).rejects.toThrow(/self-signed/)
    expect(await isEncrypted({ url: at('localhost'), caFile: certificate })).toBe(true)
    await expect(isEncrypted({ url: at('127.0.0.1'), caFile: certificate })).rejects.toThrow(/altnames/)
  })

  it('takes strings that were made for other programs', async () => {
    const query = '?pgbouncer=true&connection_limit=1&supa=base-pooler.x&application_name=mine'
    const sql = connectPostgres({ url: at('127.0.0.1', query) })
    const [row] = await sql.rows("SELECT current_setting('application_name') AS name, $1::bigint AS one", [1])
    expect(row).toEqual({ name: 'mine', one: 1 })
    // A pooler may give each transaction another connection: nothing may be left behind in one.
    expect(await sql.rows('SELECT name FROM pg_prepared_statements')).toEqual([])
    await sql.close()
  })

  it('passes over connections that ended while nobody used them', async () => {
    const sql = connectPostgres({ url: at('127.0.0.1'), connections: 2 })
    const { sql: other } = await server.get()
    const own = () =>
      sql.begin(
        'SELECT pg_backend_pid() AS pid',
        async (_, [row]: readonly { pid: number }[]) => row?.pid ?? 0,
      )
    const pid = await own()
    await other.rows('SELECT pg_terminate_backend($1::int)', [pid])
    expect(await own()).not.toBe(pid)
    await sql.close()
  })

  it('migrates once, whoever comes first, and refuses what newer code has made', async () => {
    const { sql } = await server.get()
    await sql.rows('CREATE DATABASE fresh')
    const fresh = connectPostgres({ url: at('127.0.0.1').replace(/postgres$/, 'fresh') })
    await Promise.all([1, 2, 3, 4].map(() => migratePostgres(fresh)))
    const known = postgresMigrations.length
    expect(await fresh.rows('SELECT version FROM daybook.schema_version')).toHaveLength(known)
    const asked = Array.from({ length: known }, () => 'not asked for again')
    const steps = [...asked, 'CREATE TABLE daybook.later (n bigint)', 'nonsense']
    await expect(migratePostgres(fresh, steps)).rejects.toMatchObject({ code: 'storage-failed' })
    expect(await fresh.rows("SELECT to_regclass('daybook.later') AS later")).toEqual([{ later: null }])
    await migratePostgres(fresh, steps.slice(0, -1))
    await expect(migratePostgres(fresh)).rejects.toMatchObject({
      code: 'book-newer',
      details: { found: known + 1, supported: known },
    })
    await fresh.close()
  })

  it('works for a user with no rights but to make a schema', async () => {
    const { sql } = await server.get()
    await sql.rows('CREATE ROLE plain LOGIN')
    await sql.rows('CREATE DATABASE plain OWNER plain')
    const plain = connectPostgres({ url: `postgres://plain@127.0.0.1:${port}/plain` })
    await migratePostgres(plain)
    const wrong = plain.rows(
      "INSERT INTO daybook.books (book, epoch, device) VALUES ('not this one', 'e', 'd')",
    )
    await expect(wrong).rejects.toMatchObject({ code: '42501' })
    await plain.close()
    // A user who bypasses row-level security comes later, and its transactions take the role that does not.
    const later = connectPostgres({ url: at('127.0.0.1').replace(/postgres$/, 'plain') })
    await migratePostgres(later)
    const count = later.begin('SET LOCAL ROLE daybook_mirror', (own) =>
      own.rows('SELECT count(*)::int AS n FROM daybook.meeting'),
    )
    expect(await count).toEqual([{ n: 0 }])
    await later.close()
  })

  it.each(['', 'plain', 'a\0b', '\uffff', '\uffff0\0\uffff1', '\0\uffff0'])(
    'brings %j there and back',
    (text) => {
      const there = JSON.parse(toRemote([{ text, n: 1, none: null }])) as [
        { text: string; n: number; none: null },
      ]
      expect(there[0].text).not.toContain('\0')
      expect(fromRemote(there[0])).toEqual({ text, n: 1, none: null })
      const [key = ''] = JSON.parse(toRemote([JSON.stringify([text])])) as string[]
      expect(JSON.parse(fromRemoteText(key))).toEqual([text])
    },
  )
})
