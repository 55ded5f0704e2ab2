// The open lines of devices to this process, book by book: WebSockets that are poked when this or another process
// wrote.
// Invariant: a poke comes after the copy has followed PostgreSQL. Every frame counts against the rate. A client
// that does not read is disconnected.
import type { WebSocket } from 'ws'
import { longestTimerMs } from '../../../core/time.ts'
import { isDaybookError } from '../../../core/errors.ts'
import { closeCodes, heartbeat, type LiveVersion } from '../../../sync/wire/live-wire.ts'
import type { Clock, Scheduler } from '../../../core/ports.ts'
import type { CallerIdentity } from '../../../trust/admission.ts'
import type { Line, LineState, Listener, Relay } from '../../../edge/line.ts'
import { expiryMsOf, type LiveBook, LiveLines } from '../../../edge/live-lines.ts'
import type { BookNews } from './news-postgres.ts'

export interface BookLinesOptions {
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Runs `work` on the book as it is in PostgreSQL now. */
  within(book: string, work: (live: LiveBook) => void): Promise<void>
  /** A line is open: listen for news of other processes from now on. */
  onLine(): void
  onFault(error: unknown): void
  /** A line of this process sent a message for the lines of other processes. */
  onTalk(book: string, relay: Relay): void
}

/** The lines of one book: `open` has the lines, `lines` serves them. */
interface OpenLines {
  readonly lines: LiveLines
  readonly open: Set<Line>
}

interface LineHooks {
  /** The line has ended, or ends now. May be called more than once. */
  onEnd(): void
  /** Counts a heartbeat, ping or pong. False: over the limit, and the line is closed. */
  onBeat(): boolean
  /** Any other message; undefined: a binary one. */
  onMessage(text: string | undefined): void
}

/** Service restart (IANA registry of WebSocket close codes). */
const restartCode = 1012
/** With more unsent bytes the client counts as gone. */
const bufferLimitBytes = 1_000_000
/** Longest wait for the socket's close handshake. */
const goodbyeMs = 1000
/** While so many jobs wait for a book, lines that send more are paused. */
const waitingLimit = 64

export class BookLines {
  readonly #options: BookLinesOptions
  readonly #books = new Map<string, OpenLines>()
  readonly #turns: BookTurns
  #isClosed = false

  constructor(options: BookLinesOptions) {
    this.#options = options
    this.#turns = new BookTurns({
      within: (book, work) => options.within(book, work),
      onFault: (book, error) => {
        if (!isDaybookError(error, 'book-erased')) return options.onFault(error)
        for (const line of this.#books.get(book)?.open ?? []) line.close(closeCodes.erased)
      },
    })
  }

  has(book: string): boolean {
    return this.#books.has(book)
  }

  /**
   * Checks again whether the caller may have a line of `book`; rejects as `LiveLines.admit` throws.
   * `standing`: the caller as its ticket has it.
   */
  admit(book: string, standing: CallerIdentity): Promise<void> {
    return this.#options.within(book, (live) => {
      const open = this.#books.get(book)
      if (open) open.lines.admit(standing, live)
      else live.recheck(standing)
    })
  }

  /**
   * Adds a line of `listener` (the holder of its ticket) over an open, paused socket, and resumes the socket.
   */
  add(book: string, listener: Listener, socket: WebSocket, version: LiveVersion): Promise<void> {
    return this.#options.within(book, (live) => {
      const { lines, open } = this.#linesOf(book, live)
      const cancelExpiry = this.#endWhenExpired(book, listener)
      const line = toLine(socket, lines.startLine(listener, version), this.#options.clock, {
        onEnd: () => {
          cancelExpiry()
          open.delete(line)
          if (open.size === 0 && this.#books.get(book)?.open === open) this.#books.delete(book)
        },
        onBeat: () => lines.countHeartbeat(line),
        onMessage: (text) => {
          lines.receive(line, text)
          if (this.#turns.waiting(book) < waitingLimit || socket.readyState !== socket.OPEN) return
          socket.pause()
          this.#turns.add(book, () => void (socket.readyState === socket.OPEN && socket.resume()))
        },
      })
      open.add(line)
      // `startLine` may have closed the book's only line, which removed the entry.
      this.#books.set(book, { lines, open })
      // The socket, or this process, may have closed meanwhile.
      if (this.#isClosed || socket.readyState !== socket.OPEN) return line.close(restartCode)
      lines.pokeNewLine(line, live)
      this.#options.onLine()
    })
  }

  /** Call it when something happened in this book, here or in another process. `synced`: see `BookNews`. */
  hear({ book, synced }: BookNews): void {
    this.#inTurn(book, (live, lines) => {
      for (const [device, seq] of synced) lines.synced(device, seq, live)
      lines.announceChange(live)
      lines.sendRoomEvents(live)
    })
  }

  /** Sends a message of another process's line to the lines of this process. */
  relay(book: string, relay: Relay): void {
    this.#inTurn(book, (live, lines) => lines.relay(relay, live))
  }

  /** Call it when something may have happened in any book: checks all books with lines. */
  look(): void {
    for (const book of this.#books.keys()) this.hear({ book, synced: [] })
  }

  /** Ends lines that are silent too long or have expired. */
  sweep(): void {
    for (const book of this.#books.keys()) this.#inTurn(book, (live, lines) => void lines.sweep(live))
  }

  /** Removes members who left the meeting room of `book` without a message. */
  async sweepRoom(book: string, live: LiveBook): Promise<void> {
    const lines = this.#books.get(book)?.lines
    await (lines ? lines.sweepRoom(live) : live.meetingRoom?.sweep(() => undefined))
  }

  /** Ends all lines, also those that are being added. */
  close(): void {
    this.#isClosed = true
    for (const { open } of this.#books.values()) for (const line of open) line.close(restartCode)
    this.#books.clear()
  }

  #inTurn(book: string, work: (live: LiveBook, lines: LiveLines) => void): void {
    const open = this.#books.get(book)
    if (open) this.#turns.add(book, (live) => work(live, open.lines))
  }

  #linesOf(book: string, live: LiveBook): OpenLines {
    const existing = this.#books.get(book)
    if (existing) return existing
    const { clock, scheduler, onTalk } = this.#options
    const open = new Set<Line>()
    const lines = new LiveLines(
      {
        clock,
        scheduler,
        lines: (device) => [...open].filter(({ state }) => device === undefined || state.device === device),
        withBook: (work) => this.#inTurn(book, work),
        relayToOtherProcesses: (relay) => onTalk(book, relay),
      },
      // The last place of the book's sequence of changes.
      live.store.settings.getNumber('head'),
    )
    const opened = { lines, open }
    this.#books.set(book, opened)
    return opened
  }

  /** Ends the line when its credential expires; returns a function that cancels this. */
  #endWhenExpired(book: string, listener: Listener): () => void {
    const { clock, scheduler } = this.#options
    const leftMs = (expiryMsOf(listener) ?? Infinity) - clock.now()
    // The regular sweeps end this line.
    if (leftMs > longestTimerMs) return () => undefined
    return scheduler.later(Math.max(leftMs, 1), () =>
      this.#inTurn(book, (live, lines) => void lines.sweep(live)),
    )
  }
}

function toLine(
  socket: WebSocket,
  initial: LineState,
  clock: Clock,
  { onEnd, onBeat, onMessage }: LineHooks,
): Line {
  let state = initial
  let heartbeatMs: number | undefined
  const close = (code: number) => {
    onEnd()
    socket.close(code)
    // Stop reading a flood; otherwise it would last until the close handshake ends.
    if (code === closeCodes.tooManyFrames) socket.pause()
    setTimeout(() => socket.terminate(), goodbyeMs).unref()
  }
  /** Calls `send`, or ends the line of a client that doesn't read. */
  const write = (send: () => void) => {
    if (socket.bufferedAmount <= bufferLimitBytes) return send()
    onEnd()
    socket.terminate()
  }
  // Don't disturb a running close handshake.
  const isOpen = () => socket.readyState === socket.OPEN
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isOpen()) return
    const text = isBinary ? undefined : data.toString()
    if (text !== heartbeat.ask) return onMessage(text)
    if (!onBeat()) return
    heartbeatMs = clock.now()
    write(() => socket.send(heartbeat.answer))
  })
  socket.on('ping', (data: Buffer) => {
    if (isOpen() && onBeat()) write(() => socket.pong(data))
  })
  socket.on('pong', () => isOpen() && onBeat())
  // The upgrade paused the socket until these listeners are added.
  socket.resume()
  socket.on('close', onEnd)
  socket.on('error', onEnd)
  return {
    get state() {
      return state
    },
    saveState: (next) => void (state = next),
    heartbeatMs: () => heartbeatMs,
    send: (text) => write(() => socket.send(text)),
    close,
  }
}

type BookWork = (live: LiveBook) => void

interface BookTurnsOptions {
  /** Runs `work` on the book as it is in PostgreSQL now. */
  within(book: string, work: BookWork): Promise<void>
  onFault(book: string, error: unknown): void
}

/**
 * One queue per book. Jobs that arrive while a batch waits for PostgreSQL run together in the next batch.
 * Invariant: work runs in its order, on a book that was followed after the work came.
 */
class BookTurns {
  readonly #options: BookTurnsOptions
  readonly #waiting = new Map<string, BookWork[]>()

  constructor(options: BookTurnsOptions) {
    this.#options = options
  }

  /** Number of pending jobs for the next turn of this book. */
  waiting(book: string): number {
    return this.#waiting.get(book)?.length ?? 0
  }

  add(book: string, work: BookWork): void {
    const waiting = this.#waiting.get(book)
    if (waiting) return void waiting.push(work)
    this.#waiting.set(book, [work])
    void this.#run(book)
  }

  async #run(book: string): Promise<void> {
    for (;;) {
      const turn = this.#waiting.get(book)?.splice(0) ?? []
      if (turn.length === 0) break
      await this.#options
        .within(book, (live) => {
          for (const work of turn) this.#do(book, work, live)
        })
        .catch((error: unknown) => this.#options.onFault(book, error))
    }
    this.#waiting.delete(book)
  }

  /** A failure of one job doesn't stop the others. */
  #do(book: string, work: BookWork, live: LiveBook): void {
    try {
      work(live)
    } catch (error) {
      this.#options.onFault(book, error)
    }
  }
}
