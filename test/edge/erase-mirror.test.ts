// A Durable Object whose book is erased: its storage, its alarm, and what it says from then on.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { defined } from '../../src/core/defined.ts'
import { eraseMirrorCases } from '../contract/mirror/erase-mirror.ts'
import { call, newBook, run } from './http/http.ts'

const rest = (book: string) =>
  runInDurableObject(env.MIRROR.getByName(book), (_object, { storage }) => {
    const tables = storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
      )
      .toArray()
      .filter(({ name }) => !name.startsWith('_cf_') && !name.startsWith('text_index'))
    return JSON.stringify(
      tables.map(({ name }) => [name, storage.sql.exec(`SELECT * FROM "${name}"`).toArray()]),
    )
  })

async function openLine(book: string) {
  const asked = await call(`/v1/books/${book}/live`, { body: { device: 'd_line' } })
  const { ticket } = (await asked.json()) as { ticket: string }
  const response = await call(`/v1/books/${book}/live`, {
    method: 'GET',
    key: null,
    headers: { upgrade: 'websocket', 'sec-websocket-protocol': `daybook.live.2, ticket.${ticket}` },
  })
  const socket = response.webSocket
  if (!socket) throw new Error('no socket')
  const code = new Promise<number>((resolve) =>
    socket.addEventListener('close', (event) => resolve(event.code)),
  )
  socket.accept()
  return { code }
}

eraseMirrorCases({
  newBook,
  async ask(path, { method = 'POST', key = 'development', body }) {
    const response = await call(path, { method, key, ...defined({ body }) })
    return { status: response.status, body: await response.json() }
  },
  rest,
  evict: (book) => evictDurableObject(env.MIRROR.getByName(book)),
  openLine,
})

it('X1 the alarm goes with the book, and one that rings late makes nothing', async () => {
  const book = newBook()
  const stub = env.MIRROR.getByName(book)
  await run(book, 'kstar:store_perception', { type: 'belief', subject: 's', content: 'c', confidence: 1 })
  expect(await runInDurableObject(stub, (_object, { storage }) => storage.getAlarm())).not.toBeNull()
  await call(`/v1/books/${book}`, { method: 'DELETE', body: { confirm: book } })
  expect(await runInDurableObject(stub, (_object, { storage }) => storage.getAlarm())).toBeNull()
  await runInDurableObject(stub, (_object, { storage }) => storage.setAlarm(Date.now() + 60_000))
  await runDurableObjectAlarm(stub)
  expect(JSON.parse(await rest(book))).toEqual([['tombstone', [expect.objectContaining({ begun: 0 })]]])
})
