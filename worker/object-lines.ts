// Live connections of one book's object: hibernating WebSockets, and tickets in memory.
// Invariant: the state of a connection is attached to its socket and survives hibernation; a ticket is valid once.
import type { Clock, Random } from '../src/core/ports.ts'
import { heartbeat, protocolOf } from '../src/sync/wire/live-wire.ts'
import type { Line, LineState, Listener } from '../src/edge/line.ts'
import { quotaOwnerOf } from '../src/trust/admission.ts'
import {
  newTicket,
  maxUnusedTickets,
  ticketLifetimeMs,
  tooManyLinesError,
  unknownTicketError,
} from '../src/edge/live-lines.ts'

export type LineContext = Pick<
  DurableObjectState,
  'acceptWebSocket' | 'getWebSockets' | 'getWebSocketAutoResponseTimestamp' | 'setWebSocketAutoResponse'
>

/** `readyState` of an open socket. */
export const openReadyState = 1

export class ObjectLines {
  readonly #ctx: LineContext
  readonly #clock: Clock
  readonly #random: Random
  /**
   * Unused tickets, the oldest first. `listener`: the device and the caller that requested it (edge/line.ts).
   */
  readonly #tickets = new Map<string, { readonly listener: Listener; readonly untilMs: number }>()

  constructor(ctx: LineContext, { clock, random }: { clock: Clock; random: Random }) {
    this.#ctx = ctx
    this.#clock = clock
    this.#random = random
    // The platform answers heartbeats without waking the object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(heartbeat.ask, heartbeat.answer))
  }

  /** Returns the open connections of one device, or of all. */
  open(device?: string): Line[] {
    return this.#ctx
      .getWebSockets(device)
      .filter((socket) => socket.readyState === openReadyState)
      .map((socket) => this.lineOf(socket))
  }

  /** Creates a ticket for one connection, valid for `ticketLifetimeMs`. Throws `rate-limited` if the caller has too many. */
  issueTicket(listener: Listener): string {
    const tickets = this.#tickets
    const now = this.#clock.now()
    for (const [name, { untilMs }] of tickets) if (untilMs <= now) tickets.delete(name)
    // The caller whose limit counts: see `quotaOwnerOf`.
    const payer = quotaOwnerOf(listener.standing)
    const callerTickets = [...tickets.values()].filter(
      (other) => quotaOwnerOf(other.listener.standing) === payer,
    )
    if (callerTickets.length >= maxUnusedTickets.perCaller) throw tooManyLinesError()
    const [oldest] = tickets.keys()
    if (oldest !== undefined && tickets.size >= maxUnusedTickets.perBook) tickets.delete(oldest)
    const ticket = newTicket(this.#random)
    tickets.set(ticket, { listener, untilMs: now + ticketLifetimeMs })
    return ticket
  }

  /** Removes a ticket and returns its listener. Throws `unauthorized` if the ticket is unknown, used or expired. */
  redeemTicket(ticket: string): Listener {
    const found = this.#tickets.get(ticket)
    this.#tickets.delete(ticket)
    if (!found || found.untilMs <= this.#clock.now()) throw unknownTicketError()
    return found.listener
  }

  /** Returns the connection of a socket that this object accepted. */
  lineOf(socket: WebSocket): Line {
    const ctx = this.#ctx
    return {
      get state() {
        return socket.deserializeAttachment() as LineState
      },
      saveState: (state) => socket.serializeAttachment(state),
      heartbeatMs: () => ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime(),
      send: (text) => socket.send(text),
      close: (code) => socket.close(code),
    }
  }

  /** Opens a connection with the device as its tag, and returns the response of its upgrade. */
  accept(state: LineState): { readonly line: Line; readonly response: Response } {
    const { 0: theirs, 1: ours } = new WebSocketPair()
    this.#ctx.acceptWebSocket(ours, [state.device])
    const line = this.lineOf(ours)
    line.saveState(state)
    const headers = { 'sec-websocket-protocol': protocolOf(state.version ?? 1) }
    return { line, response: new Response(null, { status: 101, webSocket: theirs, headers }) }
  }
}
