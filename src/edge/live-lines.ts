// The mirror's half of live lines: pokes devices when others have written, and relays their messages. Sockets and
// tickets belong to the host.
// Invariant: each line's state says what its caller may receive and until when, so it survives an object's sleep;
// and a device that has not synced since a poke gets no second one.
import { DaybookError, isDaybookError } from '../core/errors.ts'
import type { Clock, Random, Scheduler } from '../core/ports.ts'
import { toBase64Url } from '../shape/encoded-bytes.ts'
import type { MirrorRoom } from '../commons/room/mirror-room.ts'
import { quotaOwnerOf, type CallerIdentity } from '../trust/admission.ts'
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
import {
  FrameReader,
  isFor,
  type Line,
  type LineState,
  type Listener,
  receiversOf,
  type Relay,
} from './line.ts'

/** The open book, as the lines need it. */
export interface LiveBook {
  readonly store: Pick<BookStore, 'db' | 'settings'>
  /** Throws `unauthorized` if the caller's key, token or claims expired. */
  recheck(standing: CallerIdentity): void
  /** The meeting room of this mirror. */
  readonly meeting?: MirrorRoom | undefined
}

/**
 * Filters messages (`room` and `envelope` frames). Law: called once per frame, in the order of each line's frames. The answer is
 * relayed to every other line of that purpose, in that order; undefined is not relayed. Default: every frame is relayed as it is.
 */
export interface TalkPort {
  take(relay: Relay): Relay | undefined
}

export interface LiveLinesOptions {
  /** Open lines, of one device or of all. */
  readonly lines: (device?: string) => readonly Line[]
  /** Runs `work` on the book, at once or once it is open. */
  readonly within: (work: (book: LiveBook) => void) => void
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly talk?: TalkPort | undefined
  /** Passes messages to the lines of other processes. */
  readonly pass?: ((relay: Relay) => void) | undefined
}

export const ticketMs = 30_000
/** A new ticket of 256 random bits. */
export const makeTicket = (random: Random): string => toBase64Url(random.bytes(32))
/**
 * Maximum unused tickets. A caller may have as many unused tickets as lines. A book with too many drops the
 * oldest, so a caller with many names can't lock others out.
 */
export const ticketLimit = { ofCaller: 100, ofBook: 1000 } as const
/** Maximum open lines of one book, and of one caller. */
const lineLimit = 200
const callerLineLimit = 100
/** Writes within this time share one poke. */
const gatherMs = 25
/** Three heartbeats. */
const silentMs = 100_000
/** A poke without a sync may have been lost. */
const pokeAgainMs = 60_000

/** The live lines of one book. */
export class LiveLines {
  readonly #options: LiveLinesOptions
  readonly #frames: FrameReader
  #announcedSeq: number
  #cancelAnnounce: (() => void) | undefined

  /** `head`: the current end of the book's sequence. */
  constructor(options: LiveLinesOptions, head: number) {
    this.#options = options
    this.#frames = new FrameReader(options.clock)
    this.#announcedSeq = head
  }

  /**
   * Throws `unauthorized` if the caller's key, token or claims expired, `rate-limited` if there are too many lines. Call it when a
   * ticket is requested, and again when it is used.
   */
  admit(standing: CallerIdentity, book: LiveBook): void {
    book.recheck(standing)
    const all = this.#options.lines()
    const own = all.filter(({ state }) => quotaOwnerOf(state.standing) === quotaOwnerOf(standing))
    if (all.length >= lineLimit || own.length >= callerLineLimit) throw tooManyLines()
  }

  /** The first state of a new line. Closes the device's former line. */
  begin(listener: Listener, version: LiveVersion): LineState {
    // Device names are no secret: only the same caller replaces a line.
    for (const line of this.#options.lines(listener.device))
      if (line.state.standing.id === listener.standing.id) line.close(closeCodes.replaced)
    return { ...listener, version, openedMs: this.#options.clock.now(), pokedMs: 0, seq: 0 }
  }

  /** Sends the mirror's place, so that a device syncs if it missed changes. */
  greet(line: Line, book: LiveBook): void {
    if (isFor(line.state, 'sync') && this.#isValid(line, book)) poke(line, headOf(book))
  }

  /** Counts a heartbeat, or a ping or pong of the socket, as a frame. False if it was one too many: then the line is closed. */
  beat(line: Line): boolean {
    const isPaid = this.#frames.pay(line, 0)
    if (!isPaid) line.close(closeCodes.tooMuch)
    return isPaid
  }

  /** Handles a frame that is no heartbeat; undefined for a binary one. */
  receive(line: Line, text: string | undefined): void {
    // Before the book is touched: a flood costs nobody else.
    const action = this.#frames.read(line, text)
    if (action.type === 'close') return line.close(action.code)
    if (action.type === 'nothing') return
    const { within, talk, pass } = this.#options
    within((book) => {
      if (!this.#isValid(line, book)) return
      if (action.type === 'read') return this.#markRead(line, Math.min(action.poke.seq, headOf(book)), book)
      if (takeToRoom(line, action.relay, book)) return
      const taken = talk ? talk.take(action.relay) : action.relay
      if (!taken) return
      this.relay(taken, book)
      pass?.(taken)
    })
  }

  /** Relays a message, also one that another process of this mirror received. */
  relay(relay: Relay, book: LiveBook): void {
    const text = JSON.stringify(relay.frame)
    for (const line of receiversOf(this.#options.lines(), relay))
      if (this.#isValid(line, book)) line.send(text)
  }

  /** The device synced and has read everything up to `seq`: it may be poked again. */
  synced(device: string, seq: number, book: LiveBook): void {
    for (const line of this.#options.lines(device)) this.#markRead(line, seq, book)
  }

  /** Records may have changed: pokes every device that did not write them, once for many writes. */
  changed(book: LiveBook): void {
    const { lines, scheduler, within } = this.#options
    if (this.#cancelAnnounce || headOf(book) === this.#announcedSeq) return
    if (lines().length === 0) this.#announcedSeq = headOf(book)
    else
      this.#cancelAnnounce = scheduler.later(gatherMs, () => {
        this.#cancelAnnounce = undefined
        within((one) => this.#announce(one))
      })
  }

  /** Sends news of the meeting room, in order, to every line for it. */
  roomChanged(book: LiveBook): void {
    const news = book.meeting?.news() ?? []
    if (news.length === 0) return
    const receivers = this.#options.lines().filter(({ state }) => state.version === 2 && isFor(state, 'room'))
    for (const line of receivers)
      if (this.#isValid(line, book)) for (const data of news) sendToRoom(line, data)
  }

  /** Removes participants whose line is gone; answers when to look again, undefined if nobody is there. */
  async sweepRoom({ meeting }: LiveBook): Promise<number | undefined> {
    const alive = new Map(
      this.#options
        .lines()
        .filter(({ state }) => isFor(state, 'room'))
        .map((line) => [line.state.device, line]),
    )
    return meeting?.sweep((device) => {
      const line = alive.get(device)
      return line && Math.max(line.heartbeatMs() ?? 0, line.state.openedMs)
    })
  }

  /** Closes silent and expired lines; answers the number of lines that stay. */
  sweep(book: LiveBook): number {
    return this.#options.lines().filter((line) => this.#isValid(line, book)).length
  }

  /** When the next line expires; undefined for never. */
  nextEndMs(): number | undefined {
    const ends = this.#options.lines().flatMap(({ state }) => endOf(state) ?? [])
    return ends.length === 0 ? undefined : Math.min(...ends)
  }

  /** False for an expired or silent line, after closing it. */
  #isValid(line: Line, book: LiveBook): boolean {
    try {
      book.recheck(line.state.standing)
    } catch (error) {
      if (!isDaybookError(error, 'unauthorized')) throw error
      line.close(closeCodes.ended)
      return false
    }
    if (!this.#isSilent(line)) return true
    line.close(closeCodes.silent)
    return false
  }

  #isSilent(line: Line): boolean {
    const { openedMs } = line.state
    return this.#options.clock.now() - Math.max(line.heartbeatMs() ?? openedMs, openedMs) > silentMs
  }

  #announce(book: LiveBook): void {
    const written = latestPlaces(book.store.db, this.#announcedSeq)
    this.#announcedSeq = headOf(book)
    // A write may have ended the key or token of any line.
    for (const line of this.#options.lines()) {
      if (isFor(line.state, 'sync')) this.#pokeIfNews(line, written, book)
      else this.#isValid(line, book)
    }
  }

  #pokeIfNews(line: Line, written: readonly LatestPlace[], book: LiveBook): void {
    const nowMs = this.#options.clock.now()
    const { state } = line
    if (!isFor(state, 'sync') || !this.#isValid(line, book)) return
    // `state.seq`: what the device has read; the writer has read its own change.
    const isNews = written.some(
      (latest) => latest.place > state.seq && (!state.kinds || isNewTo(state.kinds, latest)),
    )
    const isPending = nowMs - state.pokedMs < pokeAgainMs
    if (!isNews || isPending) return
    poke(line, this.#announcedSeq)
    line.note({ ...state, pokedMs: nowMs })
  }

  #markRead(line: Line, seq: number, book: LiveBook): void {
    line.note({ ...line.state, pokedMs: 0, seq })
    // Changes that arrived during its sync were announced to the others only: poke this line now.
    if (this.#announcedSeq > seq) this.#pokeIfNews(line, latestPlaces(book.store.db, seq), book)
  }
}

const headOf = ({ store }: LiveBook) => store.settings.getNumber('head')
const poke = (line: Line, seq: number) => line.send(JSON.stringify({ type: 'poke', seq } satisfies Poke))
const sendToRoom = (line: Line, data: object) => line.send(JSON.stringify({ type: 'room', data }))

/** Handles a command for the meeting room of this mirror, which sends the result itself; false for other messages. */
function takeToRoom(line: Line, { frame }: Relay, { meeting }: LiveBook): boolean {
  if (!meeting || frame.type !== 'room' || !Object.hasOwn(frame.data, 'do')) return false
  void meeting.take(frame.data, frame.from, (data) => sendToRoom(line, data)).catch(() => undefined)
  return true
}

/** When the line expires: the first moment after its key, token or claims; undefined for never. */
export const endOf = ({ standing: { endsMs } }: Listener): number | undefined =>
  endsMs === undefined ? undefined : endsMs + 1

/** The ticket of an upgrade, and the newest version that both sides know. */
export interface OfferedLine {
  readonly ticket: string
  readonly protocol: LiveProtocol
  readonly version: LiveVersion
}

/** Reads the subprotocols of an upgrade; throws `unauthorized` without a ticket or a known version. */
export function offeredLine(headers: Headers): OfferedLine {
  const offered = (headers.get('sec-websocket-protocol') ?? '').split(',').map((one) => one.trim())
  const ticket = offered.find((one) => one.startsWith(ticketPrefix))?.slice(ticketPrefix.length)
  const protocol = liveProtocols.find((one) => offered.includes(one))
  if (ticket === undefined || protocol === undefined) throw unknownTicket()
  return { ticket, protocol, version: versionOf(protocol) }
}

export const tooManyLines = () =>
  new DaybookError('rate-limited', 'There are too many lines.', { details: { retryAfterMs: ticketMs } })

export const unknownTicket = () =>
  new DaybookError('unauthorized', 'The ticket is unknown or was used. Get another one.')

/** The error of a host without lines. */
export const noLines = () => new DaybookError('unknown-route', 'This edge has no lines.')
