// `POST /v1/books/:book/inbox`: who may leave a message, how often it arrives, and that it comes down to a device.
import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { call, expectError, newBook, run, syncRequest } from './http/http.ts'

const send = (book: string, body: unknown, { key = 'development', headers = {} } = {}) =>
  call(`/v1/books/${book}/inbox`, { key, headers, body })

it('leaves a message once for each key, over evictions, and it comes down with the next sync', async () => {
  const book = newBook()
  const headers = { 'idempotency-key': 'order-17' }
  const message = { to: 'tutor', subject: 'Order', text: 'Order 17 has shipped', data: { order: 17 } }
  const first = await send(book, message, { headers })
  expect(first.status).toBe(201)
  const { id } = (await first.json()) as { id: string }
  await evictDurableObject(env.MIRROR.getByName(book))
  const second = await send(book, message, { headers })
  expect([second.status, await second.json()]).toEqual([200, { id, sent: false }])
  await expectError(
    await send(book, { ...message, text: 'another' }, { headers }),
    409,
    'request-reused',
    'key',
  )
  const synced = await call(`/v1/books/${book}/sync`, { body: syncRequest() })
  const { changes } = (await synced.json()) as { changes: { kind: string; id: string; body: object }[] }
  expect(changes).toMatchObject([{ kind: 'inbox', id, body: { ...message, from: 'edge', deliveredTo: [] } }])
  expect(await run(book, 'inbox:take', { agent: 'tutor' })).toMatchObject({ messages: [{ id }], more: false })
  expect(await run(book, 'inbox:take', { agent: 'tutor' })).toEqual({ messages: [], more: false })
})

it('can be left to a key that may do nothing else, for one agent, in its own name', async () => {
  const book = newBook()
  const { key } = await run<{ key: string }>(book, 'daybook:create_access_key', {
    name: 'shop',
    permissions: ['inbox:send'],
    scope: 'inbox:tutor',
  })
  const own = { key }
  expect((await send(book, { to: 'tutor', text: 'x' }, own)).status).toBe(201)
  const { messages } = await run<{ messages: object[] }>(book, 'inbox:list', { agent: 'tutor' })
  expect(messages).toMatchObject([{ from: 'shop' }])
  await expectError(await send(book, { to: 'another', text: 'x' }, own), 403, 'forbidden')
  await expectError(await send(book, { text: 'x' }, own), 403, 'forbidden')
  await expectError(await send(book, { to: 'tutor', text: 'x', from: 'bank' }, own), 403, 'forbidden')
  for (const id of ['inbox:list', 'inbox:take', 'kstar:query_traces'])
    await expectError(await call(`/v1/books/${book}/capabilities/${id}`, { key, body: {} }), 403, 'forbidden')
})

it.for([
  ['no key', null, { text: 'x' }, 401, 'unauthorized'],
  ['a wrong key', 'wrong', { text: 'x' }, 401, 'unauthorized'],
  ['a list', 'development', [], 400, 'invalid-input'],
  ['no text', 'development', {}, 400, 'invalid-input'],
  ['too much', 'development', { text: 'x'.repeat(2_200_000) }, 413, 'too-large'],
] as const)('refuses %s, and leaves nothing', async ([_what, key, body, status, code]) => {
  const book = newBook()
  await expectError(await call(`/v1/books/${book}/inbox`, { key, body }), status, code)
  expect(await run(book, 'inbox:list', { agent: 'edge', state: 'all' })).toEqual({ messages: [] })
})
