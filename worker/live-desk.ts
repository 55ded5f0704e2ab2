// The mirror's half of the lines to devices: hibernating WebSockets of one book's object, told when others have written.
// Invariant: each socket carries with it what its caller may hear and until when, so that nothing of this is lost when the
// object sleeps; and no second poke is sent to a device that has not come for the first.
import { toBase64Url } from '../src/core/base64url.ts'
import { DaybookError, isDaybookError } from '../src/core/errors.ts'
import type { Clock, Random, Scheduler } from '../src/core/ports.ts'
import type { Standing } from '../src/engine-guest.ts'
import type { BookStore } from '../src/store/book-store.ts'
import { closeCodes, heartbeat, liveProtocol, type Poke, ticketPrefix } from '../src/sync/live-wire.ts'

/** Who a line belongs to. */
export interface Listener {
  readonly device: string
  readonly standing: Standing
  /** Kinds that it may hear of; absent: all. */
  readonly kinds?: readonly string[]
}

/** What travels with a socket; at most 16 KB. */
interface Attachment extends Listener {
  readonly openedMs: number
  /** When it was last told, if it has not come since; else 0. */
  readonly pokedMs: number
  /** How far the device has read, as far as is known. */
  readonly seq: number
}

export interface LiveDeskOptions {
  readonly ctx: Pick<
    DurableObjectState,
    'acceptWebSocket' | 'getWebSockets' | 'getWebSocketAutoResponseTimestamp'
  > &
    Pick<DurableObjectState, 'setWebSocketAutoResponse'>
  readonly store: Pick<BookStore, 'db' | 'settings'>
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
  /** Throws once the caller's key, token or claims have ended. */
  recheck(standing: Standing): void
}

export interface LiveDesk {
  /** A ticket for one line, good for `ticketMs`; `rate-limited` when there are too many lines. */
  ticket(listener: Listener): string
  /** Answers the upgrade of whoever has a ticket. */
  accept(request: Request): Response
  /** The device has come, and has read all there was up to `seq`: it may be told again. */
  came(device: string, seq: number): void
  /** Something may have been written: whoever has not written it is told, once for many. */
  changed(): void
  /** The device said something; there is nothing that it may say. */
  heard(socket: WebSocket): void
  /** Ends lines that have been silent too long, or whose time is over; answers how many are left. */
  sweep(): number
}

export const ticketMs = 30_000
const ticketLimit = 1000
/** Lines of one book at once, and of one caller: nobody takes them all. */
const lineLimit = 200
const callerLineLimit = 100
/** Writes that come together are one poke. */
const gatherMs = 25
/** Three heartbeats. */
const silentMs = 100_000
/** A poke that nobody came for may have been lost. */
const pokeAgainMs = 60_000
/** `readyState` of a socket that can be written to. */
const openState = 1

export function createLiveDesk(options: LiveDeskOptions): LiveDesk {
  const { ctx, store, clock, random, scheduler, recheck } = options
  const tickets = new Map<string, { readonly listener: Listener; readonly untilMs: number }>()
  const head = () => store.settings.getNumber('head')
  let told = head()
  let cancel: (() => void) | undefined
  ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(heartbeat.ask, heartbeat.answer))

  const sockets = (device?: string) => ctx.getWebSockets(device).filter((one) => one.readyState === openState)
  const attached = (socket: WebSocket) => socket.deserializeAttachment() as Attachment
  const attach = (socket: WebSocket, more: Partial<Attachment>) =>
    socket.serializeAttachment({ ...attached(socket), ...more } satisfies Attachment)
  const poke = (socket: WebSocket, seq: number) => {
    socket.send(JSON.stringify({ type: 'poke', seq } satisfies Poke))
  }
  const end = (socket: WebSocket, code: number) => {
    socket.close(code)
  }
  const isSilent = (socket: WebSocket, { openedMs }: Attachment) => {
    const answered = ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? openedMs
    return clock.now() - Math.max(answered, openedMs) > silentMs
  }
  /** True when the line may go on; ends it otherwise. */
  const stands = (socket: WebSocket, one: Attachment): boolean => {
    try {
      recheck(one.standing)
    } catch (error) {
      if (!isDaybookError(error, 'unauthorized')) throw error
      end(socket, closeCodes.ended)
      return false
    }
    if (!isSilent(socket, one)) return true
    end(socket, closeCodes.silent)
    return false
  }

  const writtenAfter = (seq: number) =>
    store.db.all<{ kind: string; place: number }>(
      'SELECT kind, max(place) AS place FROM records WHERE place > ? GROUP BY kind',
      [seq],
    )
  const tellOne = (socket: WebSocket, rows: ReturnType<typeof writtenAfter>) => {
    const one = attached(socket)
    if (!stands(socket, one)) return
    // Whoever wrote it has come with it, and has read it.
    const isNews = rows.some(({ kind, place }) => place > one.seq && (one.kinds?.includes(kind) ?? true))
    const isWaitedFor = clock.now() - one.pokedMs < pokeAgainMs
    if (!isNews || isWaitedFor) return
    poke(socket, told)
    attach(socket, { pokedMs: clock.now() })
  }
  const tell = () => {
    cancel = undefined
    const rows = writtenAfter(told)
    told = head()
    for (const socket of sockets()) tellOne(socket, rows)
  }

  return {
    ticket(listener) {
      const now = clock.now()
      for (const [name, { untilMs }] of tickets) if (untilMs <= now) tickets.delete(name)
      const lines = sockets()
      const own = lines.filter((one) => attached(one).standing.id === listener.standing.id)
      if (lines.length >= lineLimit || own.length >= callerLineLimit || tickets.size >= ticketLimit)
        throw new DaybookError('rate-limited', 'This book has too many lines.', {
          details: { retryAfterMs: ticketMs },
        })
      const ticket = toBase64Url(random.bytes(32))
      tickets.set(ticket, { listener, untilMs: now + ticketMs })
      return ticket
    },

    accept(request) {
      const offered = (request.headers.get('sec-websocket-protocol') ?? '')
        .split(',')
        .map((one) => one.trim())
      const name = offered.find((one) => one.startsWith(ticketPrefix))?.slice(ticketPrefix.length) ?? ''
      const found = tickets.get(name)
      // Good for one line, whatever comes of it.
      tickets.delete(name)
      if (!offered.includes(liveProtocol) || !found || found.untilMs <= clock.now())
        throw new DaybookError('unauthorized', 'The ticket is not known, or was used.')
      const { device, standing } = found.listener
      // The name of a device is no secret: only its own caller ends its line.
      for (const socket of sockets(device))
        if (attached(socket).standing.id === standing.id) end(socket, closeCodes.replaced)
      const { 0: theirs, 1: ours } = new WebSocketPair()
      ctx.acceptWebSocket(ours, [device])
      const now = clock.now()
      ours.serializeAttachment({ ...found.listener, openedMs: now, pokedMs: 0, seq: 0 } satisfies Attachment)
      // It says where the mirror stands: whoever missed something while there was no line comes now.
      poke(ours, head())
      return new Response(null, {
        status: 101,
        webSocket: theirs,
        headers: { 'sec-websocket-protocol': liveProtocol },
      })
    },

    came(device, seq) {
      for (const socket of sockets(device)) {
        attach(socket, { pokedMs: 0, seq })
        // What was written while it came, and was told to the others already.
        if (told > seq) tellOne(socket, writtenAfter(seq))
      }
    },

    changed() {
      if (cancel || head() === told) return
      if (sockets().length === 0) told = head()
      else cancel = scheduler.later(gatherMs, tell)
    },

    heard: (socket) => end(socket, closeCodes.unheard),

    sweep() {
      return sockets().filter((socket) => stands(socket, attached(socket))).length
    },
  }
}
