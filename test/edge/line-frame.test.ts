// What lines say to each other, over the real thing; and that an object that slept still knows them.
import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { type LineHost, lineFrameCases } from '../contract/mirror/line-frame.ts'
import { call, newBook, run } from './http/http.ts'

const host: LineHost = {
  newBook,
  run,
  async ticket(book, body, key = 'development') {
    const response = await call(`/v1/books/${book}/live`, { key, body })
    return { status: response.status, body: await response.json() }
  },
  async open(book, ticket, protocols) {
    const response = await call(`/v1/books/${book}/live`, {
      method: 'GET',
      key: null,
      headers: {
        upgrade: 'websocket',
        'sec-websocket-protocol': [...protocols, `ticket.${ticket}`].join(', '),
      },
    })
    const socket = response.webSocket
    if (!socket) throw new Error(`no socket: ${response.status}`)
    const heard: string[] = []
    let wake: (() => void) | undefined
    const note = (text: string) => {
      heard.push(text)
      wake?.()
    }
    socket.addEventListener('message', ({ data }) => note(String(data)))
    socket.addEventListener('close', ({ code }) => note(`closed ${code}`))
    socket.accept()
    return {
      protocol: response.headers.get('sec-websocket-protocol') ?? '',
      send: (text) => socket.send(text),
      close: (code) => socket.close(code),
      async next() {
        while (heard.length === 0) await new Promise<void>((resolve) => (wake = resolve))
        return heard.shift() ?? ''
      },
    }
  },
}
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
