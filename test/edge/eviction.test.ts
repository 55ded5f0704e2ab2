// The object is killed in the middle of everything, again and again: whoever sends the same once more finds it done once.
import {
  abortAllDurableObjects,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { createEdge } from '../../worker/create-edge.ts'
import { A2pAgent, readAnswer } from '../contract/a2p/a2p-client.ts'
import { makeTrace } from '../support/trace.ts'
import { type Call, call, newBook, origin, run, syncRequest, traceOp } from './http/http.ts'

let cuts = 0

/** Sends until it is answered: with a fault of the object, the same again. */
async function insist(path: string, request: Call): Promise<unknown> {
  for (;;) {
    const response = await call(path, request)
    const body: unknown = await response.json()
    if (response.status === 200 || response.status === 201) return body
    cuts += 1
    expect([response.status, body]).toMatchObject([500, { code: 'engine-died', retry: true }])
  }
}

it('loses nothing and does nothing twice when it is killed in the middle of syncs, calls, messages and tickets', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const book = newBook()
  const at = (route: string) => `/v1/books/${book}/${route}`
  let epoch: string | null = null
  const opsEach = 5
  let rounds = 0
  // As long as it takes for some to be cut; a dozen rounds cut several.
  for (; rounds < 12 || (cuts === 0 && rounds < 100); rounds++) {
    const round = rounds
    const ops = Array.from({ length: opsEach }, (_, i) => {
      const mid = round * opsEach + i + 1
      return traceOp({ mid, id: `trace-${mid}` })
    })
    const request = syncRequest({ epoch, ackedMid: round * opsEach, ops })
    const key = { 'idempotency-key': `round-${round}` }
    const work = [
      insist(at('sync'), { body: request }),
      insist(at('capabilities/kstar:store_trace'), { body: makeTrace(), headers: key }),
      insist(at('inbox'), { body: { text: `Message ${round}` }, headers: key }),
      insist(at('live'), { body: { device: 'd_listener' } }),
    ]
    // Every other time it is thrown away once all is done, as the platform does with an object at rest.
    if (round % 2 === 0) {
      // The first is answered: the others are on their way, or in there.
      await Promise.race(work)
      await abortAllDurableObjects()
    }
    const [answer] = (await Promise.all(work)) as [
      { epoch: string; lastMid: number; results: { s: string }[] },
    ]
    expect(answer.results.map(({ s }) => s)).toEqual(ops.map(() => 'ok'))
    expect(answer.lastMid).toBe((round + 1) * opsEach)
    epoch = answer.epoch
    if (round % 2 === 1) await evictDurableObject(env.MIRROR.getByName(book))
  }
  expect(cuts).toBeGreaterThan(0)
  const { records } = await run<{ records: { ver: number }[] }>(book, 'kstar:query_traces', { limit: 1000 })
  expect(records.length).toBe(rounds * (opsEach + 1))
  expect(records.every(({ ver }) => ver === 1)).toBe(true)
  const { messages } = await run<{ messages: { text: string }[] }>(book, 'inbox:list', { agent: 'edge' })
  expect(messages.map(({ text }) => text).sort()).toEqual(
    Array.from({ length: rounds }, (_, i) => `Message ${i}`).sort(),
  )
  // And the sums that were kept with each of these changes are those of what is there.
  const summed = async (check: boolean) => {
    const pull = { cursor: 0, limit: 1000, maxBytes: 1_000_000 }
    const body = { ...syncRequest({ device: 'd_check', pull }), ...(check ? { check } : {}) }
    return ((await insist(at('sync'), { body })) as { digest: object }).digest
  }
  expect(await summed(false)).toEqual(await summed(true))
  log.mockRestore()
})

it('forgets keys that ended long ago, by the alarm, and shows those that ended lately', async () => {
  const book = newBook()
  const stub = env.MIRROR.getByName(book)
  const make = (name: string) =>
    run<{ id: string }>(book, 'daybook:create_access_key', { name, permissions: ['read'] })
  const ids = []
  for (const name of ['long ago', 'lately', 'standing']) ids.push((await make(name)).id)
  const [old, late] = ids
  for (const id of [old, late]) await run(book, 'daybook:revoke_access_key', { id })
  await runInDurableObject(stub, (_object, { storage }) => {
    storage.sql.exec(
      "UPDATE records SET body = json_set(body, '$.revoked_at', '2020-01-01T00:00:00.000Z') WHERE id = ?",
      old,
    )
    storage.sql.exec("UPDATE due_jobs SET at_ms = 1 WHERE job = 'tidy'")
  })
  expect(await runDurableObjectAlarm(stub)).toBe(true)
  const { keys } = await run<{ keys: { name: string }[] }>(book, 'daybook:list_access_keys')
  expect(keys.map(({ name }) => name).sort()).toEqual(['lately', 'standing'])
  const synced = await call(`/v1/books/${book}/sync`, { body: syncRequest() })
  const { changes } = (await synced.json()) as { changes: { id: string; op: string }[] }
  expect(changes.find(({ id }) => id === old)).toMatchObject({ op: 'forget' })
})

it('keeps nonces of signed requests while its object is thrown away, and sweeps them by the alarm', async () => {
  const book = newBook()
  const stub = env.MIRROR.getByName(book)
  const edge = createEdge()
  const send = async (url: string, init: RequestInit) => edge.fetch(new Request(url, init), env)
  const agent = await A2pAgent.make('did:a2p:agent:local:assistant', origin, send)
  await run(book, 'a2p:register_agent', { did: agent.did, publicKey: agent.publicKey })
  const path = `/agents/${agent.did}?profile=did:a2p:user:local:${book}`
  const { url, init } = await agent.request('GET', path, undefined)
  const codes = async () => {
    const { status, body } = await readAnswer(await send(url, init))
    return [status, body.error?.code]
  }
  expect(await codes()).toEqual([200, undefined])
  await evictDurableObject(stub)
  expect(await codes()).toEqual([401, 'A2P008'])
  const kept = () =>
    runInDurableObject(stub, (_object, { storage }) => [
      storage.sql.exec('SELECT nonce FROM agent_nonces').toArray().length,
      storage.sql.exec("SELECT job FROM due_jobs WHERE job = 'agents'").toArray().length,
    ])
  const ring = async () => {
    await runInDurableObject(stub, (_object, { storage }) => {
      storage.sql.exec("UPDATE due_jobs SET at_ms = 1 WHERE job = 'agents'")
    })
    expect(await runDurableObjectAlarm(stub)).toBe(true)
  }
  await ring()
  expect(await kept()).toEqual([1, 1])
  await runInDurableObject(stub, (_object, { storage }) => {
    storage.sql.exec('UPDATE agent_nonces SET until_ms = 1')
    storage.sql.exec('UPDATE agent_buckets SET at_ms = 1')
  })
  await ring()
  // Nothing is left to be swept, so nobody looks again.
  expect(await kept()).toEqual([0, 0])
})
