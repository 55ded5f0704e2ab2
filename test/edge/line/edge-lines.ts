// Lines to the mirror of a book over the real thing: what a socket hears comes out one by one.
import type { LineHost } from '../../contract/mirror/line/line-frame.ts'
import { call, newBook, run } from '../http/http.ts'

export const edgeLines: LineHost = {
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
