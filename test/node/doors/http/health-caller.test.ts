// `/health` with a key admits the same callers as the book's own address: the public key `development` only from this
// machine, and never through a proxy.
import { expect, it } from 'vitest'
import { createApp } from '../../../../src/doors/http/app.ts'
import type { EdgeEnv } from '../../../../src/edge/edge-env.ts'

const status = { ok: true, value: { durability: 'postgres', degraded: [], records: { perception: 42 } } }
const mirror = { call: () => Promise.resolve(status), admit: () => Promise.resolve({ ok: true, value: {} }) }
const env = { MIRROR: { getByName: () => mirror } } as unknown as EdgeEnv

it.each<[string, Record<string, string>, number]>([
  ['this machine', {}, 200],
  ['a proxy', { 'x-forwarded-for': '203.0.113.9', via: '1.1 tunnel' }, 401],
  ['a page of another port', { origin: 'http://localhost:3000' }, 401],
  ['another machine', { 'cf-connecting-ip': '192.168.1.7' }, 401],
])('answers the key `development` through %s alike', async (_place, place, expected) => {
  const app = createApp()
  const headers = { authorization: 'Bearer development', ...place }
  const health = await app.fetch(
    new Request('http://localhost:8787/health', { headers: { ...headers, 'x-daybook-book': 'tutor' } }),
    env,
  )
  const own = await app.fetch(
    new Request('http://localhost:8787/v1/books/tutor/capabilities/daybook:status', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{}',
    }),
    env,
  )
  expect([health.status, own.status]).toEqual([expected, expected])
})
