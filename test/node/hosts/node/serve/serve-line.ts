// A line to `daybook serve` by hand: what it hears comes out one by one, its end last.
import type { TalkSocket } from '../../../../contract/mirror/line/line-frame.ts'
import type { BookAt } from './serve-world.ts'

/** Opens the line of a ticket; `closing` is told how to end it. */
export async function openServeLine(
  closing: (() => Promise<unknown>)[],
  { url, book }: BookAt,
  ticket: string,
  protocols: readonly string[],
): Promise<TalkSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/books/${book}/live`, [
    ...protocols,
    `ticket.${ticket}`,
  ])
  closing.push(async () => socket.close())
  const heard: string[] = []
  let wake: (() => void) | undefined
  const note = (text: string) => {
    heard.push(text)
    wake?.()
  }
  socket.onmessage = ({ data }) => note(String(data))
  socket.onclose = ({ code }) => note(`closed ${code}`)
  await new Promise<void>((resolve) => (socket.onopen = () => resolve()))
  const next = async () => {
    while (heard.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return heard.shift() ?? ''
  }
  // Its line is there once it is answered.
  socket.send('ping')
  const early: string[] = []
  for (let text = await next(); text !== 'pong'; text = await next()) early.push(text)
  heard.unshift(...early)
  return {
    protocol: socket.protocol,
    send: (text) => socket.send(typeof text === 'string' ? text : Uint8Array.from(text)),
    close: (code) => socket.close(code),
    next,
  }
}
