// Tickets over sockets of one's own: asked for at one port, shown to another.
import { askRaw } from '../../support/server/raw-request.ts'
import type { TicketHost } from './ticket.ts'

/** `portOf` says which process is asked, for each turn. */
export function rawTickets(key: string, portOf: (turn: number) => number): TicketHost {
  let turn = 0
  const upgrade = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  const post = async (target: string, body: object, bearer = key) => {
    turn += 1
    const { status, text } = await askRaw(portOf(turn), { target, key: bearer, body })
    const answer = JSON.parse(text.split('\r\n\r\n')[1] ?? '{}') as Record<string, string>
    return { status, answer }
  }
  return {
    run: async (book, id, input) => (await post(`/v1/books/${book}/capabilities/${id}`, input)).answer,
    async ticket(book, bearer) {
      const { status, answer } = await post(`/v1/books/${book}/live`, { device: `d_ticket${turn}` }, bearer)
      return { status, ticket: answer['ticket'] ?? '' }
    },
    async show(book, ticket) {
      turn += 1
      const headers = { ...upgrade, 'sec-websocket-protocol': `daybook.live.1, ticket.${ticket}` }
      const target = `/v1/books/${book}/live`
      return (await askRaw(portOf(turn), { method: 'GET', target, headers })).status
    },
  }
}
