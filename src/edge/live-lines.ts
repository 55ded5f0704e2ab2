// The mirror's half of the lines to devices: it pokes them when others have written, and hands on what they say to each other.
// What a socket is and where tickets are kept is the host's business.
// Invariant: each line carries with it what its caller may hear and until when, so that nothing of this is lost when an
// object sleeps; and no second poke is sent to a device that has not come for the first.
import { DaybookError, isDaybookError } from '../core/errors.ts'
import type { Clock, Random, Scheduler } from '../core/ports.ts'
import { toBase64Url } from '../shape/encoded-bytes.ts'
import type { MirrorRoom } from '../commons/room/mirror-room.ts'
import { payerOf, type Standing } from '../trust/admission.ts'
import type { BookStore } from '../store/book-store.ts'
import { isNewTo, type LatestPlace, latestPlaces } from '../store/record/mirror-places.ts'
import {
  closeCodes,
  type LiveProtocol,
  liveProtocols,
  type LiveVersion,
  type Poke,
  ticketPrefix,
  versionOf,
} from '../sync/wire/live-wire.ts'
import { isFor, type Line, type LineState, type Listener } from './line.ts'
import { createFrameReader, hearersOf, type Relay } from './line-frames.ts'

/** The book as it is now. */
export interface LiveBook {
  readonly store: Pick<BookStore, 'db' | 'settings'>
  /** Throws `unauthorized` once the caller's key, token or claims have ended. */
  recheck(standing: Standing): void
  /** The meeting room, which is this mirror's while it lives. */
  readonly meeting?: MirrorRoom | undefined
}

/**
 * Where talk (`room` and `envelope` frames) goes on its way. Law: it is asked once for each frame, in the order in which the
 * frames of a line came; what it answers is relayed to every other line of that purpose, in that order, and undefined is
 * relayed to nobody. Without one every frame is relayed as it is, and nothing is kept.
 */
export interface TalkPort {
  take(relay: Relay): Relay | undefined
}

export interface LiveLinesOptions {
  /** Lines that are open, of one device or of all. */
  readonly lines: (device?: string) => readonly Line[]
  /** Runs `work` on the book, at once or as soon as it is there. */
  readonly within: (work: (book: LiveBook) => void) => void
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly talk?: TalkPort | undefined
  /** Hands talk on to the lines of other processes, where there are any. */
  readonly pass?: ((relay: Relay) => void) | undefined
}

export interface LiveLines {
  /**
   * Throws `unauthorized` once the caller's key, token or claims have ended, `rate-limited` when there are too many lines for
   * one more. Asked when a ticket is wanted, and again when it is shown.
   */
  admit(standing: Standing, book: LiveBook): void
  /** What a new line of `listener` begins with. Ends the line that the device had. */
  begin(listener: Listener, version: LiveVersion): LineState
  /** Says where the mirror stands: whoever missed something while there was no line comes now. */
  greet(line: Line, book: LiveBook): void
  /**
   * A heartbeat, or a ping or pong of the socket's own, has come: it is one frame of those that a line may bring. False when
   * it was one too many, and the line has ended.
   */
  beat(line: Line): boolean
  /** A line has said something that is no heartbeat; undefined: something binary. */
  said(line: Line, text: string | undefined): void
  /** Another process has taken this from a line of its own. */
  relay(relay: Relay, book: LiveBook): void
  /** The device has come, and has read all there was up to `seq`: it may be poked again. */
  came(device: string, seq: number, book: LiveBook): void
  /** Something may have been written: every device that did not write it is poked, once for many writes. */
  changed(book: LiveBook): void
  /** Something may have happened in the meeting room: every line for it is told, in the order of what happened. */
  roomChanged(book: LiveBook): void
  /** Ends who has left the meeting room without a word; answers when to look again, undefined when nobody is there. */
  sweepRoom(book: LiveBook): Promise<number | undefined>
  /** Ends lines that have been silent too long, or whose time is over; answers how many are left. */
  sweep(book: LiveBook): number
  /** When the next line ends by its time alone; undefined for never. */
  nextEndMs(): number | undefined
}

export const ticketMs = 30_000
/** A new ticket: 256 bits that nobody can guess. */
export const makeTicket = (random: Random): string => toBase64Url(random.bytes(32))
/**
 * Tickets that nobody has shown yet, of one caller and of one book: a caller has at most as many as it may have lines, and
 * when a book has too many the oldest goes, so that no caller, under however many names, keeps another from one.
 */
export const ticketLimit = { ofCaller: 100, ofBook: 1000 } as const
/** Lines of one book at once, and of one caller: nobody takes them all. */
const lineLimit = 200
const callerLineLimit = 100
/** Writes that come together are one poke. */
const gatherMs = 25
/** Three heartbeats. */
const silentMs = 100_000
/** A poke that nobody came for may have been lost. */
const pokeAgainMs = 60_000

/** The lines of one book, which stands at `head` of its sequence. */
export function createLiveLines(
  { lines, within, clock, scheduler, talk, pass }: LiveLinesOptions,
  head: number,
): LiveLines {
  const frames = createFrameReader(clock)
  let announcedSeq = head
  let cancel: (() => void) | undefined
  const headOf = ({ store }: LiveBook) => store.settings.getNumber('head')

  const poke = (line: Line, seq: number) => line.send(JSON.stringify({ type: 'poke', seq } satisfies Poke))
  const isSilent = (line: Line) => {
    const { openedMs } = line.state
    return clock.now() - Math.max(line.heartbeatMs() ?? openedMs, openedMs) > silentMs
  }
  /** True when the line may go on; ends it otherwise. */
  const stands = (line: Line, book: LiveBook): boolean => {
    try {
      book.recheck(line.state.standing)
    } catch (error) {
      if (!isDaybookError(error, 'unauthorized')) throw error
      line.close(closeCodes.ended)
      return false
    }
    if (!isSilent(line)) return true
    line.close(closeCodes.silent)
    return false
  }

  const pokeIfNews = (line: Line, written: readonly LatestPlace[], book: LiveBook) => {
    const one = line.state
    if (!isFor(one, 'sync') || !stands(line, book)) return
    // Whoever wrote it has come with it, and has read it.
    const isNews = written.some(
      (latest) => latest.place > one.seq && (!one.kinds || isNewTo(one.kinds, latest)),
    )
    const isWaitedFor = clock.now() - one.pokedMs < pokeAgainMs
    if (!isNews || isWaitedFor) return
    poke(line, announcedSeq)
    line.note({ ...one, pokedMs: clock.now() })
  }
  const announce = (book: LiveBook) => {
    const written = latestPlaces(book.store.db, announcedSeq)
    announcedSeq = headOf(book)
    // What was written may have ended a key or a token, of whatever line.
    for (const line of lines()) {
      if (isFor(line.state, 'sync')) pokeIfNews(line, written, book)
      else stands(line, book)
    }
  }

  const cameOn = (line: Line, seq: number, book: LiveBook) => {
    line.note({ ...line.state, pokedMs: 0, seq })
    // Something was written while it came, for which the others were poked already.
    if (announcedSeq > seq) pokeIfNews(line, latestPlaces(book.store.db, seq), book)
  }
  const relay = (one: Relay, book: LiveBook) => {
    const text = JSON.stringify(one.frame)
    for (const line of hearersOf(lines(), one)) if (stands(line, book)) line.send(text)
  }

  const tellRoom = (line: Line, data: object) => line.send(JSON.stringify({ type: 'room', data }))
  /** What is for the room at this mirror goes no further: the mirror says itself what came of it. */
  const takeToRoom = (line: Line, { frame }: Relay, { meeting }: LiveBook): boolean => {
    if (!meeting || frame.type !== 'room' || !Object.hasOwn(frame.data, 'do')) return false
    void meeting.take(frame.data, frame.from, (data) => tellRoom(line, data)).catch(() => undefined)
    return true
  }

  return {
    roomChanged(book) {
      const news = book.meeting?.news() ?? []
      if (news.length === 0) return
      const hearers = lines().filter(({ state }) => state.version === 2 && isFor(state, 'room'))
      for (const line of hearers) if (stands(line, book)) for (const data of news) tellRoom(line, data)
    },

    async sweepRoom({ meeting }) {
      const alive = new Map(
        lines()
          .filter(({ state }) => isFor(state, 'room'))
          .map((line) => [line.state.device, line]),
      )
      return meeting?.sweep((device) => {
        const line = alive.get(device)
        return line && Math.max(line.heartbeatMs() ?? 0, line.state.openedMs)
      })
    },

    admit(standing, book) {
      book.recheck(standing)
      const all = lines()
      const own = all.filter(({ state }) => payerOf(state.standing) === payerOf(standing))
      if (all.length >= lineLimit || own.length >= callerLineLimit) throw tooManyLines()
    },

    begin(listener, version) {
      // The name of a device is no secret: only its own caller ends its line.
      for (const line of lines(listener.device))
        if (line.state.standing.id === listener.standing.id) line.close(closeCodes.replaced)
      return { ...listener, version, openedMs: clock.now(), pokedMs: 0, seq: 0 }
    },

    greet(line, book) {
      if (isFor(line.state, 'sync') && stands(line, book)) poke(line, headOf(book))
    },

    beat(line) {
      const isPaid = frames.pay(line, 0)
      if (!isPaid) line.close(closeCodes.tooMuch)
      return isPaid
    },

    said(line, text) {
      // Before anything is asked of the book: a flood costs nobody else.
      const heard = frames.read(line, text)
      if (heard.type === 'close') return line.close(heard.code)
      if (heard.type === 'nothing') return
      within((book) => {
        if (!stands(line, book)) return
        if (heard.type === 'read') return cameOn(line, Math.min(heard.poke.seq, headOf(book)), book)
        if (takeToRoom(line, heard.relay, book)) return
        const taken = talk ? talk.take(heard.relay) : heard.relay
        if (!taken) return
        relay(taken, book)
        pass?.(taken)
      })
    },

    relay,

    came(device, seq, book) {
      for (const line of lines(device)) cameOn(line, seq, book)
    },

    changed(book) {
      if (cancel || headOf(book) === announcedSeq) return
      if (lines().length === 0) announcedSeq = headOf(book)
      else
        cancel = scheduler.later(gatherMs, () => {
          cancel = undefined
          within(announce)
        })
    },

    sweep: (book) => lines().filter((line) => stands(line, book)).length,

    nextEndMs() {
      const ends = lines().flatMap(({ state }) => endOf(state) ?? [])
      return ends.length === 0 ? undefined : Math.min(...ends)
    },
  }
}

/** When the line of `listener` ends by its time alone: the first moment at which its key, token or claims do not hold. */
export const endOf = ({ standing: { endsMs } }: Listener): number | undefined =>
  endsMs === undefined ? undefined : endsMs + 1

/** What an upgrade offers: its ticket, and the newest version that both sides speak. */
export interface OfferedLine {
  readonly ticket: string
  readonly protocol: LiveProtocol
  readonly version: LiveVersion
}

/** The subprotocols that an upgrade offers; throws `unauthorized` without a ticket or a version that is known. */
export function offeredLine(headers: Headers): OfferedLine {
  const offered = (headers.get('sec-websocket-protocol') ?? '').split(',').map((one) => one.trim())
  const ticket = offered.find((one) => one.startsWith(ticketPrefix))?.slice(ticketPrefix.length)
  const protocol = liveProtocols.find((one) => offered.includes(one))
  if (ticket === undefined || protocol === undefined) throw unknownTicket()
  return { ticket, protocol, version: versionOf(protocol) }
}

export const tooManyLines = () =>
  new DaybookError('rate-limited', 'There are too many lines.', { details: { retryAfterMs: ticketMs } })

export const unknownTicket = () => new DaybookError('unauthorized', 'The ticket is not known, or was used.')

/** What a host answers that has no lines. */
export const noLines = () => new DaybookError('unknown-route', 'This edge has no lines.')
