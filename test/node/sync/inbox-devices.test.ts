// The inbox over several devices, whose mirror is `daybook serve`: each message once for each agent, whatever gets lost.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { skipped } from '../hosts/node/postgres/postgres-world.ts'
import { createServeWorld } from '../hosts/node/serve/serve-world.ts'

const { key, closing, start, ask, run, open, close } = createServeWorld()

describe.skipIf(skipped !== '')(`The inbox of several devices${skipped}`, () => {
  beforeAll(open)
  afterAll(close)

  const inbox = async (url: string, name: string, agent = 'tutor') => {
    const sync = { url, key, triggers: 'manual' } as const
    const book = await openDaybook({ name, agent, path: ':memory:', sync })
    closing.push(() => book.close())
    return book
  }
  const textsOf = ({ messages }: { messages: readonly { text: string }[] }) =>
    messages.map(({ text }) => text)

  it('hands each message to each agent once, whichever device asks, and it can be acknowledged', async () => {
    const [one, two] = [await start(), await start()]
    const devices = [await inbox(one.url, 'post'), await inbox(two.url, 'post'), await inbox(two.url, 'post')]
    for (let i = 0; i < 9; i++) await ask(`${one.url}/v1/books/post/inbox`, { text: `m${i}` })
    // One has them already, the others have not.
    await devices[0]?.sync()
    const taken = await Promise.all(devices.map((book) => book.inbox.take({ limit: 5 })))
    expect(taken.flatMap(textsOf).toSorted()).toEqual(Array.from({ length: 9 }, (_, i) => `m${i}`))
    expect(taken.filter(({ more }) => more).length).toBeGreaterThan(0)
    for (const [i, book] of devices.entries()) {
      const ids = taken[i]?.messages.map(({ id }) => id) ?? []
      if (ids.length > 0) expect(await book.inbox.acknowledge({ ids })).toEqual({ acknowledged: ids })
      await book.sync()
    }
    for (const book of devices) {
      expect(await book.inbox.take()).toEqual({ messages: [], more: false })
      await book.sync()
      expect((await book.inbox.list()).messages).toEqual([])
    }
    // Another agent has them all, once as well; and what was written here and never left.
    const others = [await inbox(one.url, 'post', 'other'), await inbox(two.url, 'post', 'other')]
    await others[0]?.inbox.send({ text: 'own', to: 'other' })
    const [first, second] = await Promise.all(others.map((book) => book.inbox.take({ limit: 100 })))
    const all = [...textsOf(first ?? { messages: [] }), ...textsOf(second ?? { messages: [] })]
    const rest = await Promise.all(others.map((book) => book.inbox.take({ limit: 100 })))
    expect([...all, ...rest.flatMap(textsOf)].toSorted()).toEqual([
      ...Array.from({ length: 9 }, (_, i) => `m${i}`),
      'own',
    ])
  })

  it('gives again what was lost on the way, and hands out nothing while nobody can be asked', async () => {
    const { url } = await start()
    const way = await lossyWay(url)
    closing.push(way.close)
    const book = await inbox(way.url, 'lost')
    for (const text of ['a', 'b', 'c']) await ask(`${url}/v1/books/lost/inbox`, { text })
    way.loses = 'answers'
    await expect(book.inbox.take({ limit: 2 })).rejects.toMatchObject({ code: 'offline', retry: true })
    way.loses = 'requests'
    await expect(book.inbox.take({ limit: 2 })).rejects.toMatchObject({ code: 'offline' })
    way.loses = 'nothing'
    // What was asked for first is answered first, though more is asked for now; two at once are not given the same.
    const [one, two] = await Promise.all([book.inbox.take(), book.inbox.take()])
    expect([textsOf(one), textsOf(two)]).toEqual([['a', 'b'], ['c']])
    const again = await book.inbox.take({}, { requestId: 'r-1' })
    expect(again.messages).toEqual([])
    await ask(`${url}/v1/books/lost/inbox`, { text: 'd' })
    // The same call once more has the same answer.
    expect((await book.inbox.take({}, { requestId: 'r-1' })).messages).toEqual([])
    expect(textsOf(await book.inbox.take())).toEqual(['d'])
  })

  it('is the copy’s own where the key may do nothing but sync', async () => {
    const { url } = await start()
    await ask(`${url}/v1/books/narrowed/inbox`, { text: 'x' })
    const made = await run({ url, book: 'narrowed' }, 'daybook:create_access_key', {
      name: 's',
      permissions: ['sync'],
    })
    const sync = { url, key: String(made.body['key']), triggers: 'manual' } as const
    const book = await openDaybook({ name: 'narrowed', agent: 'tutor', path: ':memory:', sync })
    closing.push(() => book.close())
    await book.sync()
    expect(textsOf(await book.inbox.take())).toEqual(['x'])
    expect(textsOf(await book.inbox.take())).toEqual([])
  })
})

/** A way to `target` that loses requests, or their answers. */
async function lossyWay(target: string) {
  const way = {
    url: '',
    loses: 'nothing' as 'nothing' | 'requests' | 'answers',
    close: async () => undefined as void,
  }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      if (way.loses === 'requests') return void request.socket.destroy()
      const { authorization = '', 'idempotency-key': number } = request.headers
      const headers = {
        authorization,
        'content-type': 'application/json',
        ...(typeof number === 'string' ? { 'idempotency-key': number } : {}),
      }
      void fetch(`${target}${request.url}`, { method: 'POST', headers, body: Buffer.concat(pieces) }).then(
        async (answer) => {
          const text = await answer.text()
          if (way.loses === 'answers') return void request.socket.destroy()
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
        },
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  way.url = `http://127.0.0.1:${port}`
  way.close = async () => {
    server.closeAllConnections()
    server.close()
  }
  return way
}
