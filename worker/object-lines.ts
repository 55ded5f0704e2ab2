// The lines of one book's object: hibernating WebSockets, and tickets in its memory.
// Invariant: what is known of a line is attached to its socket, which outlives the object's sleep; a ticket is good once.
import type { Clock, Random } from '../src/core/ports.ts'
import { heartbeat, protocolOf } from '../src/sync/wire/live-wire.ts'
import { type Line, type LineState, type Listener, payerOf } from '../src/edge/line.ts'
import { makeTicket, ticketLimit, ticketMs, tooManyLines, unknownTicket } from '../src/edge/live-lines.ts'

export type LineContext = Pick<
  DurableObjectState,
  'acceptWebSocket' | 'getWebSockets' | 'getWebSocketAutoResponseTimestamp' | 'setWebSocketAutoResponse'
>

export interface ObjectLines {
  /** Lines that are open, of one device or of all. */
  open(device?: string): Line[]
  /** A ticket for one line, good for `ticketMs`; throws `rate-limited` when that caller has too many. */
  give(listener: Listener): string
  /** Whom a ticket was given to; throws `unauthorized` when it is not known, or was used. */
  take(ticket: string): Listener
  /** The line of a socket that was accepted here before. */
  lineOf(socket: WebSocket): Line
  /** Makes a line, and the answer to the upgrade that asked for it. */
  accept(state: LineState): { readonly line: Line; readonly response: Response }
}

/** `readyState` of a socket that can be written to. */
const openState = 1

export function createObjectLines(
  ctx: LineContext,
  { clock, random }: { clock: Clock; random: Random },
): ObjectLines {
  const tickets = new Map<string, { readonly listener: Listener; readonly untilMs: number }>()
  ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(heartbeat.ask, heartbeat.answer))

  const toLine = (socket: WebSocket): Line => ({
    get state() {
      return socket.deserializeAttachment() as LineState
    },
    note: (state) => socket.serializeAttachment(state),
    heartbeatMs: () => ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime(),
    send: (text) => socket.send(text),
    close: (code) => socket.close(code),
  })

  return {
    lineOf: toLine,

    open: (device) =>
      ctx
        .getWebSockets(device)
        .filter((one) => one.readyState === openState)
        .map(toLine),

    give(listener) {
      const now = clock.now()
      for (const [name, { untilMs }] of tickets) if (untilMs <= now) tickets.delete(name)
      const payer = payerOf(listener.standing)
      const own = [...tickets.values()].filter((other) => payerOf(other.listener.standing) === payer)
      if (own.length >= ticketLimit.ofCaller) throw tooManyLines()
      const [oldest] = tickets.keys()
      if (oldest !== undefined && tickets.size >= ticketLimit.ofBook) tickets.delete(oldest)
      const ticket = makeTicket(random)
      tickets.set(ticket, { listener, untilMs: now + ticketMs })
      return ticket
    },

    take(ticket) {
      const found = tickets.get(ticket)
      // Good for one line, whatever comes of it.
      tickets.delete(ticket)
      if (!found || found.untilMs <= clock.now()) throw unknownTicket()
      return found.listener
    },

    accept(state) {
      const { 0: theirs, 1: ours } = new WebSocketPair()
      ctx.acceptWebSocket(ours, [state.device])
      const line = toLine(ours)
      line.note(state)
      const headers = { 'sec-websocket-protocol': protocolOf(state.version ?? 1) }
      return { line, response: new Response(null, { status: 101, webSocket: theirs, headers }) }
    },
  }
}
