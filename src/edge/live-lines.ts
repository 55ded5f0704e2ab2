// The mirror's half of live lines: pokes devices when others have written, and relays their messages. Sockets and
// tickets belong to the host.
// A place is the number of a change in the book's sequence; the head is the last place.
// Invariant: each line's state contains the rights of its caller and their end, so that both survive the hibernation
// of a Durable Object. A device that has not synced since a poke gets no second one before `pokeRetryMs`.
import { DaybookError, isDaybookError } from '../core/errors.ts'
import type { Clock, Random, Scheduler } from '../core/ports.ts'
import { toBase64Url } from '../shape/encoded-bytes.ts'
import type { MirrorRoom } from '../commons/room/mirror-room.ts'
import { quotaOwnerOf, type CallerIdentity } from '../trust/admission.ts'
import type { BookStore } from '../store/book-store.ts'
import { mayFetchLatest, type LatestPlace, latestPlaces } from '../store/record/mirror-places.ts'
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
  hasPurpose,
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
  /** The meeting room of this mirror. Absent: messages of the room are only relayed. */
  readonly meetingRoom?: MirrorRoom | undefined
}

/**
 * Filters messages (`room` and `envelope` frames). Law: called once per frame, in the order of each line's frames.
 * The result is relayed in that order; undefined: the message is dropped.
 */
export interface RelayFilter {
  filter(relay: Relay): Relay | undefined
}

export interface LiveLinesOptions {
  /** Open lines, of one device or of all. */
  readonly lines: (device?: string) => readonly Line[]
  /** Runs `work` on the book, at once or once it is open. */
  readonly withBook: (work: (book: LiveBook) => void) => void
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Absent: every message is relayed unchanged. */
  readonly relayFilter?: RelayFilter | undefined
  /** Passes messages to the lines of other processes. Absent: all lines are in this process. */
  readonly relayToOtherProcesses?: ((relay: Relay) => void) | undefined
}

export const ticketLifetimeMs = 30_000
/** Makes a ticket of 256 random bits. */
export const newTicket = (random: Random): string => toBase64Url(random.bytes(32))
/** Maximum open lines of one book, and of one caller. */
const maxLines = 200
const maxLinesPerCaller = 100
/**
 * Maximum unused tickets. A caller may have as many unused tickets as lines. A book with too many drops the
 * oldest, so a caller with many names can't lock others out.
 */
export const maxUnusedTickets = { perCaller: maxLinesPerCaller, perBook: 1000 } as const
/** Writes within this time share one poke. */
const pokeDelayMs = 25
/** Three intervals of the devices' heartbeats (30 s), and a reserve. */
const maxSilenceMs = 100_000
/** After this time without a sync, a poke counts as lost, and the device is poked again. */
const pokeRetryMs = 60_000

/** The live lines of one book. */
export class LiveLines {
  readonly #options: LiveLinesOptions
  readonly #frames: FrameReader
  /** The head (last place of the book's sequence) at the last poke. */
  #pokedSeq: number
  #cancelPendingPoke: (() => void) | undefined

  /** `head`: the current last place of the book's sequence. */
  constructor(options: LiveLinesOptions, head: number) {
    this.#options = options
    this.#frames = new FrameReader(options.clock)
    this.#pokedSeq = head
  }

  /**
   * Throws `unauthorized` if the caller's key, token or claims expired, `rate-limited` if there are too many lines.
   * Call it when a ticket is requested, and again when it is used.
   */
  admit(standing: CallerIdentity, book: LiveBook): void {
    book.recheck(standing)
    const openLines = this.#options.lines()
    const callerLines = openLines.filter(
      ({ state }) => quotaOwnerOf(state.standing) === quotaOwnerOf(standing),
    )
    if (openLines.length >= maxLines || callerLines.length >= maxLinesPerCaller) throw tooManyLinesError()
  }

  /** Returns the first state of a new line, and closes the former line of the same device and caller. */
  startLine(listener: Listener, version: LiveVersion): LineState {
    // Device names are no secret: only the same caller replaces a line.
    for (const line of this.#options.lines(listener.device))
      if (line.state.standing.id === listener.standing.id) line.close(closeCodes.replaced)
    return { ...listener, version, openedMs: this.#options.clock.now(), pokedMs: 0, seq: 0 }
  }

  /** Sends the head, so that a device syncs if it missed changes. */
  pokeNewLine(line: Line, book: LiveBook): void {
    if (hasPurpose(line.state, 'sync') && this.#isValid(line, book)) poke(line, headOf(book))
  }

  /** Counts a heartbeat, or a ping or pong of the socket, as a frame. False: it was one too many, and the line is closed. */
  countHeartbeat(line: Line): boolean {
    const isWithinRate = this.#frames.charge(line, 0)
    if (!isWithinRate) line.close(closeCodes.tooManyFrames)
    return isWithinRate
  }

  /** Handles a frame that is no heartbeat. `text`: undefined for a binary frame. */
  receive(line: Line, text: string | undefined): void {
    // Before the book is touched: a flood costs nobody else.
    const action = this.#frames.read(line, text)
    if (action.type === 'close') return line.close(action.code)
    if (action.type === 'nothing') return
    const { withBook, relayFilter, relayToOtherProcesses } = this.#options
    withBook((book) => {
      if (!this.#isValid(line, book)) return
      if (action.type === 'read') return this.#markRead(line, Math.min(action.poke.seq, headOf(book)), book)
      if (handleRoomRequest(line, action.relay, book)) return
      const relayed = relayFilter ? relayFilter.filter(action.relay) : action.relay
      if (!relayed) return
      this.relay(relayed, book)
      relayToOtherProcesses?.(relayed)
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

  /** Call it when records may have changed: pokes every device with unread changes, once for many writes. */
  announceChange(book: LiveBook): void {
    const { lines, scheduler, withBook } = this.#options
    if (this.#cancelPendingPoke || headOf(book) === this.#pokedSeq) return
    if (lines().length === 0) this.#pokedSeq = headOf(book)
    else
      this.#cancelPendingPoke = scheduler.later(pokeDelayMs, () => {
        this.#cancelPendingPoke = undefined
        withBook((currentBook) => this.#pokeLines(currentBook))
      })
  }

  /** Sends new events of the meeting room, in order, to every line with purpose `room`. */
  sendRoomEvents(book: LiveBook): void {
    const frames = book.meetingRoom?.takeEventFrames() ?? []
    if (frames.length === 0) return
    const receivers = this.#options
      .lines()
      .filter(({ state }) => state.version === 2 && hasPurpose(state, 'room'))
    for (const line of receivers)
      if (this.#isValid(line, book)) for (const data of frames) sendToRoom(line, data)
  }

  /**
   * Removes participants whose line is gone. Returns the time of the next sweep (milliseconds since 1970 UTC),
   * undefined if the room is empty.
   */
  async sweepRoom({ meetingRoom }: LiveBook): Promise<number | undefined> {
    const roomLines = new Map(
      this.#options
        .lines()
        .filter(({ state }) => hasPurpose(state, 'room'))
        .map((line) => [line.state.device, line]),
    )
    // The last sign of life of a participant's device; undefined without a line.
    return meetingRoom?.sweep((device) => {
      const line = roomLines.get(device)
      return line && Math.max(line.heartbeatMs() ?? 0, line.state.openedMs)
    })
  }

  /** Closes silent and expired lines; returns the number of lines that stay. */
  sweep(book: LiveBook): number {
    return this.#options.lines().filter((line) => this.#isValid(line, book)).length
  }

  /** Time at which the next line expires (milliseconds since 1970 UTC); undefined for never. */
  nextExpiryMs(): number | undefined {
    const expiries = this.#options.lines().flatMap(({ state }) => expiryMsOf(state) ?? [])
    return expiries.length === 0 ? undefined : Math.min(...expiries)
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
    return this.#options.clock.now() - Math.max(line.heartbeatMs() ?? openedMs, openedMs) > maxSilenceMs
  }

  #pokeLines(book: LiveBook): void {
    // The latest place of each kind that changed since the last poke.
    const latestWrites = latestPlaces(book.store.db, this.#pokedSeq)
    this.#pokedSeq = headOf(book)
    // A write may have ended the key or token of any line.
    for (const line of this.#options.lines()) {
      if (hasPurpose(line.state, 'sync')) this.#pokeIfUnread(line, latestWrites, book)
      // Closes the line if its rights ended.
      else this.#isValid(line, book)
    }
  }

  #pokeIfUnread(line: Line, latestWrites: readonly LatestPlace[], book: LiveBook): void {
    const nowMs = this.#options.clock.now()
    const { state } = line
    if (!hasPurpose(state, 'sync') || !this.#isValid(line, book)) return
    // A device that wrote has read its own change: `state.seq` includes it.
    const hasUnread = latestWrites.some(
      (latest) => latest.place > state.seq && (!state.kinds || mayFetchLatest(state.kinds, latest)),
    )
    const isPokePending = nowMs - state.pokedMs < pokeRetryMs
    if (!hasUnread || isPokePending) return
    poke(line, this.#pokedSeq)
    line.saveState({ ...state, pokedMs: nowMs })
  }

  #markRead(line: Line, seq: number, book: LiveBook): void {
    line.saveState({ ...line.state, pokedMs: 0, seq })
    // Changes that arrived during its sync were announced to the others only: poke this line now.
    if (this.#pokedSeq > seq) this.#pokeIfUnread(line, latestPlaces(book.store.db, seq), book)
  }
}

const headOf = ({ store }: LiveBook) => store.settings.getNumber('head')
const poke = (line: Line, seq: number) => line.send(JSON.stringify({ type: 'poke', seq } satisfies Poke))
const sendToRoom = (line: Line, data: object) => line.send(JSON.stringify({ type: 'room', data }))

/** Handles a request to the meeting room of this mirror: a message with `do`. False for other messages. */
function handleRoomRequest(line: Line, { frame }: Relay, { meetingRoom }: LiveBook): boolean {
  if (!meetingRoom || frame.type !== 'room' || !Object.hasOwn(frame.data, 'do')) return false
  void meetingRoom
    .handleRequest(frame.data, frame.from, (data) => sendToRoom(line, data))
    .catch(() => undefined)
  return true
}

/** Time at which the line expires, the first millisecond after its key, token or claims; undefined for never. */
export const expiryMsOf = ({ standing: { endsMs } }: Listener): number | undefined =>
  endsMs === undefined ? undefined : endsMs + 1

/** The ticket of an upgrade, and the newest version that both sides know. */
export interface UpgradeOffer {
  readonly ticket: string
  /** The subprotocol of that version, for the answer to the upgrade. */
  readonly protocol: LiveProtocol
  readonly version: LiveVersion
}

/** Reads the subprotocols of an upgrade; throws `unauthorized` without a ticket or a known version. */
export function parseUpgradeOffer(headers: Headers): UpgradeOffer {
  const protocols = (headers.get('sec-websocket-protocol') ?? '').split(',').map((one) => one.trim())
  const ticket = protocols.find((one) => one.startsWith(ticketPrefix))?.slice(ticketPrefix.length)
  const protocol = liveProtocols.find((one) => protocols.includes(one))
  if (ticket === undefined || protocol === undefined) throw unknownTicketError()
  return { ticket, protocol, version: versionOf(protocol) }
}

/** Retry after the lifetime of a ticket: by then, unused tickets no longer count. */
export const tooManyLinesError = () =>
  new DaybookError('rate-limited', 'There are too many lines.', {
    details: { retryAfterMs: ticketLifetimeMs },
  })

export const unknownTicketError = () =>
  new DaybookError('unauthorized', 'The ticket is unknown or was used. Get another one.')

/** The error of a host without lines. */
export const noLinesError = () => new DaybookError('unknown-route', 'This edge has no lines.')
