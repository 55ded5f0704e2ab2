// Tickets to lines at the edge, where they are kept in the memory of a book's object.
import { defined } from '../../../src/core/defined.ts'
import { ticketCases } from '../../contract/access/ticket.ts'
import { call, run } from './http.ts'

let devices = 0
ticketCases({
  run,
  async ticket(book, key) {
    const body = { device: `d_ticket${++devices}` }
    const response = await call(`/v1/books/${book}/live`, { body, ...defined({ key }) })
    const { ticket = '' } = (await response.json()) as { ticket?: string }
    return { status: response.status, ticket }
  },
  async show(book, ticket) {
    const headers = { upgrade: 'websocket', 'sec-websocket-protocol': `daybook.live.1, ticket.${ticket}` }
    const response = await call(`/v1/books/${book}/live`, { method: 'GET', key: null, headers })
    response.webSocket?.accept()
    return response.status
  },
})
