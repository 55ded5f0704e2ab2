// `daybook serve` as devices and people meet it: over HTTP, on a PostgreSQL of the tests' own, as one process and several.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeTrace } from '../../../../support/trace.ts'
import { startDaybook } from '../command-line.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

const { key, postgres, closing, start, device, ask, open, close } = createServeWorld()
const databaseUrl = async () => (await postgres.get()).postgres.url

/** What `fetch` does not let a page say: another `Host`. */
function askAs(url: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${key}` }
    httpRequest(`${url}/manifest`, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}

/** The command line as a process that serves, once it says where. */
async function serve(
  env: Record<string, string | undefined>,
): Promise<{ child: ChildProcess; url: string; said(): string }> {
  const child = startDaybook(['serve', '--port', '0'], {
    env: { ...process.env, DAYBOOK_KEY: key, ...env },
  })
  closing.push(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'close')
    }
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part))
  const url = await new Promise<string>((resolve, reject) => {
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      out += part
      said += part
      const found = /Listening on (\S+)/.exec(out)?.[1]
      if (found) resolve(found)
    })
    child.once('close', (code) => reject(new Error(`ended with ${code}: ${said}`)))
  })
  return { child, url, said: () => said }
}

describe.skipIf(skipped !== '')(`daybook serve${skipped}`, { timeout: 170_000 }, () => {
  beforeAll(open)
  afterAll(close)

  it('brings the records of one device to another, through two processes, and answers capabilities', async () => {
    const [one, two] = await Promise.all([start(), start()])
    const [a, b] = [await device(one.url, 'shared'), await device(two.url, 'shared', { agent: 'b' })]
    const { id } = await a.traces.store(makeTrace())
    expect(await a.sync()).toEqual({ pulled: 0, pushed: 1, conflicts: 0 })
    expect(await b.sync()).toEqual({ pulled: 1, pushed: 0, conflicts: 0 })
    expect(await b.records.get({ id })).toEqual(await a.records.get({ id }))
    const at = (url: string, capability: string) => `${url}/v1/books/shared/capabilities/${capability}`
    const recalled = await ask(at(two.url, 'daybook:recall'), { text: 'recursion exercise' })
    expect(recalled.body).toMatchObject({ hits: [{ record: { id } }] })
    expect((await ask(at(one.url, 'daybook:status'), {})).body).toMatchObject({ durability: 'postgres' })
    const once = { 'idempotency-key': 'once' }
    const stored = await ask(at(one.url, 'kstar:store_trace'), makeTrace(), once)
    expect(stored.status).toBe(200)
    // The other process knows of the answer.
    expect((await ask(at(two.url, 'kstar:store_trace'), makeTrace(), once)).body).toEqual(stored.body)
    expect(await a.sync()).toMatchObject({ pulled: 1 })
    await a.records.forget({ id })
    await a.sync()
    expect((await ask(at(two.url, 'daybook:recall'), { text: 'recursion exercise' })).body).not.toMatchObject(
      {
        hits: [{ record: { id } }],
      },
    )
    await b.sync()
    expect((await b.status()).records).toEqual((await a.status()).records)
    const other = await ask(`${one.url}/v1/books/another/capabilities/daybook:status`, {})
    expect(other.body).toMatchObject({ records: {} })
  })

  it('keeps texts with every character until the next process', async () => {
    const one = await start()
    const at = (url: string, capability: string) => `${url}/v1/books/kept/capabilities/${capability}`
    const text = 'nul \u0000, last \uffff1, half \ud800, "quoted" \\ 🙂'
    const trace = makeTrace({ session: 'a\u0000b\uffff', task: { goal: text } })
    const stored = await ask(at(one.url, 'kstar:store_trace'), trace)
    expect(stored.status).toBe(200)
    await one.close()
    const two = await start()
    const found = await ask(at(two.url, 'kstar:get_record'), { id: stored.body['id'] })
    expect(found.body).toMatchObject({ session: 'a\u0000b\uffff', task: { goal: text } })
  })

  it('refuses whoever has no key, other methods and other addresses, in the one shape', async () => {
    const { url } = await start()
    const refused = await ask(`${url}/v1/books/b/sync`, {}, { authorization: 'Bearer wrong' })
    expect(refused).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
    expect(await ask(`${url}/nothing`)).toMatchObject({ status: 404, body: { code: 'unknown-route' } })
    const guess = await ask(`${url}/v1/books/nobody/sync`, {}, { authorization: 'Bearer dbk.x.y' })
    expect(guess.status).toBe(401)
    const { sql } = await postgres.get()
    expect(await sql.rows("SELECT book FROM daybook.books WHERE book = 'nobody'")).toHaveLength(0)
  })

  it('believes a proxy only when told that there is one, and nobody who calls himself this machine', async () => {
    const plain = await start()
    expect((await ask(`${plain.url}/manifest`, undefined, { 'x-forwarded-proto': 'https' })).status).toBe(200)
    expect(await askAs(plain.url, 'daybook.example.org')).toBe(403)
    const proxied = await start({ behindProxy: true })
    expect((await ask(`${proxied.url}/manifest`)).status).toBe(403)
    const https = { 'x-forwarded-proto': 'https' }
    expect((await ask(`${proxied.url}/manifest`, undefined, https)).status).toBe(200)
    const status = await ask(`${proxied.url}/v1/books/p/capabilities/daybook:status`, {}, https)
    expect(status.body).toMatchObject({ durability: 'postgres' })
  })

  it.each([
    ['a key that is none', { key: 'two words' }, 'key'],
    ['a key that can be guessed', { key: 'fifteen-letters' }, 'key'],
    ['a proxy and no key', { behindProxy: true, key: undefined }, 'key'],
    ['all addresses and no proxy', { host: '0.0.0.0' }, 'host'],
    ['an address of another database', { database: 'mysql://u:s3cret@127.0.0.1/x' }, 'database'],
    ['an address that is none', { database: 's3cret' }, 'database'],
    ['an origin without a scheme', { origins: 'https://app.example.org foo' }, 'origins'],
    ['an origin with a path', { origins: 'https://app.example.org/' }, 'origins'],
  ])('refuses %s, and says where it is', async (_name, wrong, path) => {
    const error: unknown = await start(wrong).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'invalid-input', details: { path } })
    expect(JSON.stringify(error) + String(error)).not.toContain('s3cret')
  })

  it('says that the server has no such database, and does not call it a failure of storage', async () => {
    const address = new URL(await databaseUrl())
    address.pathname = '/missing'
    const error: unknown = await start({ database: address.href }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'database', code: '3D000' } })
    expect(String(error)).toContain('has no database of that name')
  })

  it('leaves no timer and no connection behind when it can’t listen', async () => {
    const { port } = new URL((await start()).url)
    const begun = vi.spyOn(globalThis, 'setInterval')
    const ended = vi.spyOn(globalThis, 'clearInterval')
    try {
      await expect(start({ port: Number(port) })).rejects.toMatchObject({
        code: 'invalid-input',
        message: expect.stringContaining(`Another program listens on 127.0.0.1:${port}`),
      })
      await new Promise((resolve) => setImmediate(resolve))
      const timers = begun.mock.results.map(({ value }) => value as unknown)
      expect(timers.length).toBeGreaterThan(0)
      expect(timers.filter((timer) => !ended.mock.calls.some(([one]) => one === timer))).toEqual([])
    } finally {
      begun.mockRestore()
      ended.mockRestore()
    }
  })

  it('says of its health whether the database answers', async () => {
    const { url } = await start()
    expect(await ask(`${url}/health`)).toMatchObject({
      status: 200,
      body: { ok: true, database: 'up', wire: 1 },
    })
  })

  it('answers to its health as the app does, with its headers and to its methods alone', async () => {
    const { url } = await start()
    const health = await fetch(`${url}/health`, { headers: { origin: 'http://127.0.0.1:1' } })
    for (const name of ['x-content-type-options', 'content-security-policy', 'access-control-allow-origin'])
      expect([name, health.headers.has(name)]).toEqual([name, true])
    expect(await health.json()).toMatchObject({ ok: true, database: 'up' })
    const head = await fetch(`${url}/health`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const posted = await fetch(`${url}/health`, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(await posted.json()).toMatchObject({ code: 'wrong-method' })
  })

  it('a process that is killed in the middle of a push: the next one goes on, and nothing is there twice', async () => {
    const first = await serve({ DAYBOOK_DATABASE_URL: await databaseUrl() })
    const port = Number(new URL(first.url).port)
    const book = await device(first.url, 'killed')
    const traces = Array.from({ length: 1200 }, () => makeTrace())
    await book.traces.storeMany({ traces: traces.slice(0, 600) })
    await book.traces.storeMany({ traces: traces.slice(600) })
    let rounds = 0
    book.on('sync', () => {
      rounds += 1
      if (rounds === 2) first.child.kill('SIGKILL')
    })
    await expect(book.sync()).rejects.toMatchObject({ code: 'offline' })
    expect(first.child.signalCode ?? 'SIGKILL').toBe('SIGKILL')
    const next = await start({ port })
    const { pushed } = (await book.sync()) as { pushed: number }
    expect(pushed).toBeGreaterThan(0)
    const other = await device(next.url, 'killed', { agent: 'b' })
    expect(await other.sync()).toMatchObject({ pulled: 1200 })
    const { sql } = await postgres.get()
    const [row] = await sql.rows(`SELECT count(*) AS n, max(place) AS head,
      max(ver) AS vers FROM daybook.records WHERE book = 'killed'`)
    expect(row).toEqual({ n: 1200, head: 1200, vers: 1 })
  })

  it('ends in good order when told to, and prints no secret', async () => {
    const secret = (await databaseUrl()).replace('daybook@', 'daybook:s3cret@')
    const { child, url, said } = await serve({ DAYBOOK_DATABASE_URL: secret })
    expect((await ask(`${url}/v1/books/s/capabilities/daybook:status`, {})).status).toBe(200)
    child.kill('SIGTERM')
    const [code] = (await once(child, 'close')) as [number | null]
    expect(said()).toContain('"status":200')
    expect(said()).not.toMatch(/s3cret|test-key|postgres:\/\//)
    expect(code).toBe(0)
  })

  it('warns at its start of who is let in where there is no key, and of nobody where there is one', async () => {
    const warning = 'Warning: DAYBOOK_KEY is not set'
    for (const DAYBOOK_KEY of [undefined, key]) {
      const { child, said } = await serve({ DAYBOOK_DATABASE_URL: await databaseUrl(), DAYBOOK_KEY })
      child.kill('SIGTERM')
      await once(child, 'close')
      expect(said().includes(warning)).toBe(DAYBOOK_KEY === undefined)
    }
  })

  it('says on the command line what is missing, and not what is wrong with a secret', async () => {
    await expect(serve({ DAYBOOK_DATABASE_URL: '' })).rejects.toThrow(/ended with 2.*DAYBOOK_DATABASE_URL/s)
    const error: unknown = await serve({ DAYBOOK_DATABASE_URL: 'postgres://u:s3cret@127.0.0.1:1/x' }).catch(
      (reason: unknown) => reason,
    )
    expect(String(error)).toMatch(/ended with 1: offline/)
    expect(String(error)).not.toContain('s3cret')
  })
})
