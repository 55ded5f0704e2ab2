// What lines say to each other, each of them at another process of `daybook serve`.
import { afterAll, beforeAll, describe } from 'vitest'
import { type LineHost, lineFrameCases } from '../../../../contract/mirror/line/line-frame.ts'
import { mirrorRoomCases } from '../../../../contract/mirror/line/mirror-room.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { openServeLine } from './serve-line.ts'
import { createServeWorld } from './serve-world.ts'

const { key, closing, start, ask, run, open, close } = createServeWorld()
const bearing = (bearer: string) => ({ authorization: `Bearer ${bearer}` })

describe.skipIf(skipped !== '')(`Talk on lines of several processes${skipped}`, () => {
  const urls: string[] = []
  let turn = 0
  const url = () => urls[turn++ % urls.length] ?? ''
  let serial = 0
  beforeAll(async () => {
    await open()
    for (const server of [await start(), await start()]) urls.push(server.url)
    // Talk between processes is heard by those that listen, which a process does from its first line on.
    for (let i = 0; i < 2; i++) await hears(i)
  })
  afterAll(close)

  const host: LineHost = {
    newBook: () => `frames-${++serial}`,
    run: async (book, id, input) => (await run({ url: url(), book }, id, input)).body,
    ticket: (book, body, bearer = key) => ask(`${url()}/v1/books/${book}/live`, body, bearing(bearer)),
    open: (book, ticket, protocols) => openAt(url(), book, ticket, protocols),
  }

  const openAt = (at: string, book: string, ticket: string, protocols: readonly string[]) =>
    openServeLine(closing, { url: at, book }, ticket, protocols)

  /** A line of that process is told of what the other one wrote: then it hears the others. */
  async function hears(of: number): Promise<void> {
    const book = `hears-${of}`
    const { body } = await host.ticket(book, { device: 'd_hearer' })
    const hearer = await openAt(urls[of] ?? '', book, String(body['ticket']), ['daybook.live.2'])
    await hearer.next()
    const believed = { type: 'belief', subject: 's', content: 'c', confidence: 1 }
    await run({ url: urls[1 - of] ?? '', book }, 'kstar:store_perception', believed)
    await hearer.next()
  }

  lineFrameCases(host)
  mirrorRoomCases(host)
})
