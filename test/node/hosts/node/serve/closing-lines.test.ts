// A line that is being added while the server closes: it is ended, so that the server can end.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { expect, it } from 'vitest'
import { nodePorts } from '../../../../../src/hosts/node/port/node-ports.ts'
import { BookLines } from '../../../../../src/hosts/node/postgres/book-lines.ts'
import type { LiveBook } from '../../../../../src/edge/live-lines.ts'

it('is closed as the others are', async () => {
  const book = {
    store: { settings: { getNumber: () => 0 } },
    recheck: () => undefined,
  } as unknown as LiveBook
  const followed = Promise.withResolvers<void>()
  const lines = new BookLines({
    clock: nodePorts.clock,
    scheduler: nodePorts.scheduler,
    within: (_book, work) => followed.promise.then(() => work(book)),
    onLine: () => undefined,
    onFault: () => undefined,
    onTalk: () => undefined,
  })
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const closed = new Promise<number>((resolve) =>
    client.addEventListener('close', ({ code }) => resolve(code)),
  )
  const [socket] = (await once(server, 'connection')) as [Parameters<BookLines['add']>[2]]
  const listener = { device: 'd_1', standing: { id: 'owner' }, purposes: ['sync'] }
  const added = lines.add('tutor', listener as unknown as Parameters<BookLines['add']>[1], socket, 2)
  lines.close()
  followed.resolve()
  await added
  expect(await closed).toBe(1012)
  expect(lines.has('tutor')).toBe(false)
  server.close()
})
