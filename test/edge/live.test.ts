// The line from the mirror to a device, over the real thing: who may open one, what is told to whom, and what survives sleep.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { defined } from '../../src/core/defined.ts'
import { makeTrace } from '../support/trace.ts'
import { call, expectError, newBook, run, syncRequest, traceOp } from './http/http.ts'

const live = (book: string) => `/v1/books/${book}/live`
const ticketOf = (
  book: string,
  key: string | null = 'development',
  device = 'd_listener',
  purposes?: readonly string[],
) => call(live(book), { key, body: { device, ...(purposes ? { for: purposes } : {}) } })
const upgrade = (book: string, ticket: string, headers: Record<string, string> = {}) =>
  call(live(book), {
    method: 'GET',
    key: null,
    headers: {
      upgrade: 'websocket',
      'sec-websocket-protocol': `daybook.live.1, ticket.${ticket}`,
      ...headers,
    },
  })

/** A line of `device`; what it hears comes out one by one. */
async function listen(
  book: string,
  {
    key = 'development',
    device = 'd_listener',
    for: purposes,
  }: { key?: string; device?: string; for?: readonly string[] } = {},
) {
  const answer = await ticketOf(book, key, device, purposes)
  expect(answer.status).toBe(200)
  const { ticket } = (await answer.json()) as { ticket: string }
  const response = await upgrade(book, ticket)
  expect([response.status, response.headers.get('sec-websocket-protocol')]).toEqual([101, 'daybook.live.1'])
  const socket = response.webSocket
  if (!socket) throw new Error('no socket')
  const heard: string[] = []
  let wake: (() => void) | undefined
  const note = (text: string) => {
    heard.push(text)
    wake?.()
  }
  socket.addEventListener('message', ({ data }) => note(String(data)))
  socket.addEventListener('close', ({ code }) => note(`closed ${code}`))
  socket.accept()
  const next = async () => {
    while (heard.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return heard.shift() ?? ''
  }
  const seq = async () => (JSON.parse(await next()) as { seq: number }).seq
  return { socket, next, seq, heard, ticket }
}
const push = (book: string, mid: number, more: { device?: string; key?: string; cursor?: number } = {}) =>
  call(`/v1/books/${book}/sync`, {
    ...defined({ key: more.key }),
    body: syncRequest({
      device: more.device ?? 'd_writer',
      ops: [traceOp({ mid, id: `${more.device ?? 'w'}-${mid}` })],
    }),
  })
const come = (book: string, device = 'd_listener') =>
  call(`/v1/books/${book}/sync`, { body: syncRequest({ device }) })

describe('a line', () => {
  it('O4 says where the mirror stands, and tells of what others write, from HTTP and from devices', async () => {
    const book = newBook()
    const line = await listen(book)
    expect(await line.seq()).toBe(0)
    await push(book, 1)
    expect(await line.seq()).toBe(1)
    await come(book)
    await run(book, 'kstar:store_trace', makeTrace())
    expect(await line.seq()).toBe(2)
    // Not again before the device has come, however much is written.
    for (let mid = 2; mid <= 5; mid++) await push(book, mid)
    await come(book)
    await push(book, 6)
    expect(await line.seq()).toBe(7)
    expect(line.heard).toEqual([])
  })

  it('O4 does not tell a device of its own writes, and tells the others', async () => {
    const book = newBook()
    const [own, other] = [await listen(book, { device: 'd_writer' }), await listen(book)]
    expect([await own.seq(), await other.seq()]).toEqual([0, 0])
    await push(book, 1)
    expect(await other.seq()).toBe(1)
    // Behind whatever it was told before.
    own.socket.send('ping')
    expect(await own.next()).toBe('pong')
  })

  it('survives the object’s sleep: it is woken by a write and knows who listens', async () => {
    const book = newBook()
    const line = await listen(book)
    await line.seq()
    for (let mid = 1; mid <= 3; mid++) {
      await evictDurableObject(env.MIRROR.getByName(book), { webSockets: 'hibernate' })
      await push(book, mid)
      expect(await line.seq()).toBe(mid)
      await evictDurableObject(env.MIRROR.getByName(book), { webSockets: 'hibernate' })
      await come(book)
    }
    // The heartbeat is answered by the platform, without the object.
    line.socket.send('ping')
    expect(await line.next()).toBe('pong')
  })

  it('ends with the object when the platform says so; the next one is told what it missed', async () => {
    const book = newBook()
    const line = await listen(book)
    await line.seq()
    await evictDurableObject(env.MIRROR.getByName(book), { webSockets: 'close' })
    expect(await line.next()).toMatch(/^closed/)
    await push(book, 1)
    expect(await (await listen(book)).seq()).toBe(1)
  })

  it('O1 O2 is opened with a ticket that is good once, for one book, and for a while', async () => {
    const [book, other] = [newBook(), newBook()]
    await run(other, 'daybook:status')
    const { ticket } = await listen(book)
    await expectRefused(await upgrade(book, ticket))
    const fresh = ((await (await ticketOf(book)).json()) as { ticket: string }).ticket
    await expectRefused(await upgrade(other, fresh))
    await expectRefused(await upgrade(book, ''))
    await expectRefused(await upgrade(book, fresh, { 'sec-websocket-protocol': `ticket.${fresh}` }))
    // A ticket is not kept: who comes back after the object slept asks for another.
    const lost = ((await (await ticketOf(book)).json()) as { ticket: string }).ticket
    await evictDurableObject(env.MIRROR.getByName(book))
    await expectRefused(await upgrade(book, lost))
    await listen(book)
    const none = newBook()
    await expectRefused(await upgrade(none, 'x'.repeat(43)))
    expect((await upgrade(book, fresh, { upgrade: '' })).status).toBe(400)
  })

  it('needs a key for its ticket, and the right to sync', async () => {
    const [book, other] = [newBook(), newBook()]
    const make = (name: string, input: object) =>
      run<{ id: string; key: string }>(name, 'daybook:create_access_key', { name: 'test', ...input })
    const reader = await make(book, { permissions: ['read'] })
    const theirs = await make(other, { owner: true })
    for (const key of [null, 'wrong', theirs.key, 'dbk1.x', 'dbt1.AAAA'])
      await expectError(await ticketOf(book, key), 401, 'unauthorized')
    await expectError(await ticketOf(book, reader.key), 403, 'forbidden')
    await expectError(await ticketOf(book, 'development', 'nobody'), 400, 'invalid-input', 'device')
    const pages = { origin: 'https://evil.example.org' }
    const { ticket } = (await (await ticketOf(book)).json()) as { ticket: string }
    await expectRefused(await upgrade(book, ticket, pages), 403)
    const http = `http://example.org${live(book)}`
    expect((await call(http, { method: 'GET', key: null, headers: { upgrade: 'websocket' } })).status).toBe(
      403,
    )
  })

  it('hears only of kinds that its key may fetch, and ends with the key', async () => {
    const book = newBook()
    const { id, key } = await run<{ id: string; key: string }>(book, 'daybook:create_access_key', {
      name: 'facts',
      permissions: ['sync'],
      pull: ['perception', 'mark'],
    })
    const { id: trace } = await run<{ id: string }>(book, 'kstar:store_trace', makeTrace())
    const line = await listen(book, { key })
    await line.seq()
    await push(book, 1)
    await run(book, 'mark:set', { id: trace, pinned: true })
    await run(book, 'kstar:store_perception', { type: 'belief', subject: 's', content: 'c', confidence: 1 })
    // One for the perception, none for the key, the traces, or the mark of one.
    const head = await line.seq()
    expect(head).toBe(5)
    expect(line.heard).toEqual([])
    await run(book, 'daybook:revoke_access_key', { id })
    expect(await line.next()).toBe('closed 4401')
  })

  it('O3 O5 is one for each device, and is ended by whoever says something else than it may', async () => {
    const book = newBook()
    const first = await listen(book)
    await first.seq()
    const second = await listen(book)
    expect(await first.next()).toBe('closed 4409')
    await second.seq()
    const { key } = await run<{ key: string }>(book, 'daybook:create_access_key', {
      name: 'another',
      permissions: ['sync'],
    })
    expect(await second.seq()).toBe(1)
    // Somebody else under the name of the device ends nobody's line.
    const namesake = await listen(book, { key })
    await namesake.seq()
    second.socket.send('ping')
    expect(await second.next()).toBe('pong')
    second.socket.send('{"type":"anything"}')
    expect(await second.next()).toBe('closed 4400')
    await push(book, 1)
  })

  it('ends when the time of its key or token is over, though nobody writes', async () => {
    const book = newBook()
    const stub = env.MIRROR.getByName(book)
    const end = Date.now() + 1500
    const { key } = await run<{ key: string }>(book, 'daybook:create_access_key', {
      name: 'short',
      permissions: ['sync'],
      expires_at: new Date(end).toISOString(),
    })
    const line = await listen(book, { key })
    await line.seq()
    const due = await runInDurableObject(stub, (_object, { storage }) =>
      storage.sql.exec<{ at_ms: number }>("SELECT at_ms FROM due_jobs WHERE job = 'lines'").one(),
    )
    // Not with the sweep, which comes every five minutes.
    expect(due.at_ms).toBeLessThanOrEqual(end + 1001)
    expect(await line.next()).toBe('closed 4401')
  })

  it('ends with its token, also where it is for the meeting room alone', async () => {
    const book = newBook()
    const { id, key } = await run<{ id: string; key: string }>(book, 'daybook:create_access_key', {
      name: 'room',
      permissions: ['read', 'write'],
    })
    const line = await listen(book, { key, device: 'd_room', for: ['room'] })
    await run(book, 'daybook:revoke_access_key', { id })
    expect(await line.next()).toBe('closed 4401')
  })

  it('O5 ends when the claims that opened it are over', async () => {
    const book = newBook()
    const line = await listen(book)
    await line.seq()
    await runInDurableObject(env.MIRROR.getByName(book), (_object, state) => {
      for (const socket of state.getWebSockets()) {
        const standing = { id: 'claims:x', by: 'claims', untilMs: 1 }
        socket.serializeAttachment({ ...(socket.deserializeAttachment() as object), standing })
      }
    })
    await push(book, 1)
    expect(await line.next()).toBe('closed 4401')
  })

  it('O3 O5 is swept away when it has been silent too long', async () => {
    const book = newBook()
    const stub = env.MIRROR.getByName(book)
    const line = await listen(book)
    await line.seq()
    const due = () =>
      runInDurableObject(stub, (_object, { storage }) => {
        storage.sql.exec("UPDATE due_jobs SET at_ms = 1 WHERE job = 'lines'")
      })
    await due()
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    expect(line.heard).toEqual([])
    await runInDurableObject(stub, (_object, state) => {
      for (const socket of state.getWebSockets())
        socket.serializeAttachment({ ...(socket.deserializeAttachment() as object), openedMs: 1 })
    })
    await due()
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    expect(await line.next()).toBe('closed 4408')
  })
})

async function expectRefused(response: Response, status = 401): Promise<void> {
  expect([response.status, response.webSocket]).toEqual([status, null])
  const body: unknown = await response.json()
  expect(body).toMatchObject({ code: status === 401 ? 'unauthorized' : 'forbidden' })
}
