// Bodies of requests to `daybook serve`: the key comes first, one caller holds a bounded share of memory, and what is refused is
// charged.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../../../../src/doors/http/app.ts'
import { fromOutcome } from '../../../../../src/edge/outcome.ts'
import { defaultRate } from '../../../../../src/edge/rate-limit.ts'
import { nodePorts } from '../../../../../src/hosts/node/port/node-ports.ts'
import { openPostgresMirrors } from '../../../../../src/hosts/node/postgres/postgres-mirrors.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

const { key: ownerKey, postgres, start, ask, run, open, close, closing } = createServeWorld()

const madeUp = ['dbk1.wrong.wrong', 'dbt2.e30.wrong', 'hello']
const deep = '['.repeat(400_000) + ']'.repeat(400_000)
const wide = `[${'{},'.repeat(250_000)}{}]`

/** Every address below a book that takes a body. */
const bodyRoutes = () =>
  [...new Set(createApp().routes.map(({ method, path }) => `${method} ${path}`))]
    .filter((route) => /^(POST|PUT|DELETE) \/v1\/books\/:book/.test(route))
    .map(
      (route) =>
        route.replace(':book', 'b').replace(':id', 'kstar:store_fact').split(' ') as [string, string],
    )

describe.skipIf(skipped !== '')(`Bodies at \`daybook serve\`${skipped}`, { timeout: 60_000 }, () => {
  beforeAll(open)
  afterAll(close)

  const guestOf = async (url: string, book: string, permissions: readonly string[]) => {
    const made = await run({ url, book }, 'daybook:create_access_key', { name: 'guest', permissions })
    return String(made.body['key'])
  }

  it('are not looked at for a key that opens nothing, whatever the route', async () => {
    const { url } = await start()
    await run({ url, book: 'b' }, 'kstar:store_fact', { schema: 'note', data: { a: 1 } })
    const routes = bodyRoutes()
    expect(routes.length).toBeGreaterThan(6)
    for (const [method, path] of [
      ...routes,
      ['POST', '/embed'],
      ['POST', '/a2p/v1/profile/did:a2p:user:local:b/memories/propose'],
    ] as const)
      for (const key of madeUp) {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        const { status } = await fetch(`${url}${path}`, { method, headers, body: '{"no' })
        expect([method, path, key, status]).toEqual([method, path, key, 401])
      }
  })

  it('of one caller take a bounded share of memory until their requests end', async () => {
    const { sql } = await postgres.get()
    const mirrors = await openPostgresMirrors({ postgres: sql, ports: nodePorts, rate: defaultRate })
    closing.push(() => mirrors.close())
    const app = createApp()
    const post = (body: BodyInit, key: string) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body, duplex: 'half' }
      const request = new Request('https://memory.example.org/v1/books/held/sync', init)
      return app.fetch(request, { MIRROR: mirrors, DAYBOOK_KEY: ownerKey })
    }
    const made = mirrors
      .getByName('held')
      .call('daybook:create_access_key', { name: 'g', permissions: ['sync'] }, {})
    const { key } = (await fromOutcome(made)) as { readonly key: string }
    const megabytes = new Uint8Array(2_000_000).fill(0x20)
    /** A request whose body was read up to its last byte, which comes with `finish`. */
    const begin = async () => {
      let answer: Promise<Response> | undefined
      const finish = await new Promise<() => void>((resolve) => {
        let isSent = false
        const body = new ReadableStream<Uint8Array>(
          {
            pull(controller) {
              if (isSent) return resolve(() => controller.close())
              isSent = true
              controller.enqueue(megabytes)
            },
          },
          { highWaterMark: 0 },
        )
        answer = Promise.resolve(post(body, key))
      })
      return { finish, answer }
    }
    const held = await Promise.all(Array.from({ length: 32 }, begin))
    const more = await post(megabytes, key)
    expect([more.status, await more.json()]).toMatchObject([
      429,
      {
        code: 'rate-limited',
        message: expect.stringContaining('too many bytes of requests in progress') as unknown,
      },
    ])
    expect((await post(megabytes, ownerKey)).status).toBe(400)
    for (const { finish } of held) finish()
    for (const { answer } of held) expect((await answer)?.status).toBe(400)
    expect((await post(megabytes, key)).status).toBe(400)
  })

  it.each([
    ['deep', deep],
    ['wide', wide],
  ])('that are refused are charged by their size: %s', async (_name, body) => {
    const { url } = await start({ settings: { DAYBOOK_RATE: '20/0.001' } })
    const key = await guestOf(url, 'b', ['write'])
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) {
      const address = `${url}/v1/books/b/capabilities/kstar:store_fact`
      statuses.push((await fetch(address, { method: 'POST', headers, body })).status)
    }
    expect(statuses[0]).toBe(400)
    expect(statuses.slice(3)).toEqual([429, 429, 429])
  })

  it('cost whoever has no key that opens something the allowance of its address', async () => {
    const { url } = await start({ limits: { openPerSecond: 1 } })
    const statuses = new Map<number, number>()
    for (let i = 0; i < 60; i++) {
      const headers = { authorization: `Bearer ${madeUp[i % 3]}` }
      const { status } = await ask(`${url}/v1/books/b/sync`, {}, headers)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect([...statuses.keys()]).toEqual([401, 429])
    expect(statuses.get(429)).toBeGreaterThan(20)
    // Who has a key isn't counted there.
    expect((await run({ url, book: 'b' }, 'daybook:status', {})).status).toBe(200)
  })
})
