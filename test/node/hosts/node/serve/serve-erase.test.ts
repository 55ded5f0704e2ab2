// Books that are erased at `daybook serve`, by one process, and asked for at another.
import { afterAll, beforeAll, describe } from 'vitest'
import { eraseMirrorCases } from '../../../../contract/mirror/erase-mirror.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

const { key, postgres, closing, start, ask, open, close } = createServeWorld()

describe.skipIf(skipped !== '')(`Erasing at \`daybook serve\`${skipped}`, () => {
  const urls: string[] = []
  let turn = 0
  const url = () => urls[turn++ % urls.length] ?? ''
  let serial = 0
  beforeAll(async () => {
    await open()
    for (const server of [await start(), await start()]) urls.push(server.url)
  })
  afterAll(close)

  eraseMirrorCases({
    newBook: () => `erase-${++serial}`,
    async ask(path, { method = 'POST', key: bearer = key, body }) {
      const response = await fetch(`${url()}${path}`, {
        method,
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
    async rest(book) {
      const { sql } = await postgres.get()
      const tables = await sql.rows<{ name: string }>(
        `SELECT table_name AS name FROM information_schema.columns
         WHERE table_schema = 'daybook' AND column_name = 'book' AND table_name <> 'erased'`,
      )
      const rows = []
      for (const { name } of tables)
        rows.push(
          await sql.rows(`SELECT to_jsonb(t)::text AS text FROM daybook.${name} t WHERE book = $1`, [book]),
        )
      return JSON.stringify(rows)
    },
    // The next request is asked of the other process in any case.
    evict: () => Promise.resolve(),
    async openLine(book) {
      const at = url()
      const { body } = await ask(
        `${at}/v1/books/${book}/live`,
        { device: 'd_line' },
        {
          authorization: `Bearer ${key}`,
        },
      )
      const socket = new WebSocket(`${at.replace('http', 'ws')}/v1/books/${book}/live`, [
        'daybook.live.2',
        `ticket.${String(body['ticket'])}`,
      ])
      closing.push(async () => socket.close())
      const code = new Promise<number>((resolve) => {
        socket.onclose = (event) => resolve(event.code)
      })
      await new Promise<void>((resolve) => {
        socket.onmessage = () => resolve()
      })
      return { code }
    },
  })
})
