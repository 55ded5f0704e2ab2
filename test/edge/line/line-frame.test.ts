// What lines say to each other, over the real thing; and that an object that slept still knows them.
import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { lineFrameCases } from '../../contract/mirror/line/line-frame.ts'
import { edgeLines as host } from './edge-lines.ts'
import { newBook } from '../http/http.ts'

lineFrameCases(host)

it('O6 talk wakes an object that sleeps, which still knows who hears it', async () => {
  const book = newBook()
  const [one, two] = [await open('d_one'), await open('d_two')]
  async function open(device: string) {
    const { body } = await host.ticket(book, { device, for: ['room'] })
    return host.open(book, String(body['ticket']), ['daybook.live.2'])
  }
  for (let i = 0; i < 2; i++) {
    await evictDurableObject(env.MIRROR.getByName(book), { webSockets: 'hibernate' })
    one.send(`{"type":"room","data":{"n":${i}}}`)
    expect(JSON.parse(await two.next())).toEqual({ type: 'room', data: { n: i }, from: { device: 'd_one' } })
  }
})
