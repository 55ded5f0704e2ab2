// The lines that devices have open to this process, book by book: WebSockets, poked when others have written, in this
// process or in another.
// Invariant: a poke is about what is in PostgreSQL; whoever sends one has followed the truth first. Every frame that a line
// brings is paid for, and nothing is answered to a client that does not read.
import type { WebSocket } from 'ws'
import { isDaybookError } from '../../../core/errors.ts'
import { closeCodes, heartbeat, type LiveVersion } from '../../../sync/wire/live-wire.ts'
import type { Clock, Scheduler } from '../../../core/ports.ts'
import type { Standing } from '../../../trust/admission.ts'
import type { Line, LineState, Listener, Relay } from '../../../edge/line.ts'
import { endOf, type LiveBook, LiveLines } from '../../../edge/live-lines.ts'
import { BookTurns } from './book-turns.ts'
import type { BookNews } from './news-postgres.ts'

export interface BookLinesOptions {
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Runs `work` on the book as it is in PostgreSQL now. */
  within(book: string, work: (live: LiveBook) => void): Promise<void>
  /** The first line of this process is open: news are wanted. */
  onFirst(): void
  onFault(error: unknown): void
  /** Talk of a line of this process, for those of the others. */
  onTalk(book: string, relay: Relay): void
}

export interface BookLines {
  has(book: string): boolean
  /** Looks again whether the caller may have a line of `book`; see `LiveLines.admit`. */
  admit(book: string, standing: Standing): Promise<void>
  /** A line of `listener` over `socket`, which is open, in that version. */
  add(book: string, listener: Listener, socket: WebSocket, version: LiveVersion): Promise<void>
  /** Something has happened in this book, here or elsewhere. */
  hear(news: BookNews): void
  /** Another process has this from a line of its own. */
  relay(book: string, relay: Relay): void
  /** Something may have happened in any book. */
  look(): void
  /** Ends lines that have been silent too long, or whose time is over. */
  sweep(): void
  /** Ends who has left the meeting room of `book` without a word. */
  sweepRoom(book: string, live: LiveBook): Promise<void>
  /** Ends all lines. */
  close(): void
}

interface OpenLines {
  readonly lines: LiveLines
  readonly open: Set<SocketLine>
}

interface SocketLine extends Line {
  readonly end: (code: number) => void
}

interface LineHooks {
  onEnd(): void
  /** A heartbeat, or a ping or pong of the socket's own; false: one too many. */
  onBeat(): boolean
  /** Something came that is no heartbeat; undefined: something binary. */
  onSaid(text: string | undefined): void
}

/** The process ends, another will take over (RFC 6455, registry of close codes). */
const restartCode = 1012
/** More than this that was not sent yet: the line is as good as broken. */
const bufferLimitBytes = 1_000_000
/** Most that a timer of Node waits for. */
const longestTimerMs = 2_147_483_647
/** So long a socket may take to say goodbye. */
const goodbyeMs = 1000
/** When this much that was said waits for its book, nothing more is read of the line that said it. */
const waitingLimit = 64

export function createBookLines(options: BookLinesOptions): BookLines {
  const { clock, scheduler, within, onFirst, onFault, onTalk } = options
  const books = new Map<string, OpenLines>()

  const turns = new BookTurns({
    within,
    onFault(book, error) {
      if (!isDaybookError(error, 'book-erased')) return onFault(error)
      for (const line of books.get(book)?.open ?? []) line.end(closeCodes.erased)
    },
  })
  const withBook = (book: string, work: (live: LiveBook, lines: LiveLines) => void) => {
    const known = books.get(book)
    if (known) turns.add(book, (live) => work(live, known.lines))
  }

  const linesOf = (book: string, live: LiveBook): OpenLines => {
    const known = books.get(book)
    if (known) return known
    const open = new Set<SocketLine>()
    const lines = new LiveLines(
      {
        clock,
        scheduler,
        lines: (device) => [...open].filter(({ state }) => device === undefined || state.device === device),
        within: (work) => withBook(book, work),
        pass: (relay) => onTalk(book, relay),
      },
      live.store.settings.getNumber('head'),
    )
    const opened = { lines, open }
    books.set(book, opened)
    return opened
  }

  const toLine = (socket: WebSocket, begun: LineState, { onEnd, onBeat, onSaid }: LineHooks): SocketLine => {
    let state = begun
    let heartbeatMs: number | undefined
    const end = (code: number) => {
      onEnd()
      socket.close(code)
      // Somebody who says too much is not read any more, or that would be said for as long as the goodbye takes.
      if (code === closeCodes.tooMuch) socket.pause()
      setTimeout(() => socket.terminate(), goodbyeMs).unref()
    }
    /** Sends unless the client does not read what it was sent before: then the line ends. */
    const write = (send: () => void) => {
      if (socket.bufferedAmount <= bufferLimitBytes) return send()
      onEnd()
      socket.terminate()
    }
    // A goodbye that is under way is not disturbed.
    const isOpen = () => socket.readyState === socket.OPEN
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isOpen()) return
      const text = isBinary ? undefined : data.toString()
      if (text !== heartbeat.ask) return onSaid(text)
      if (!onBeat()) return
      heartbeatMs = clock.now()
      write(() => socket.send(heartbeat.answer))
    })
    socket.on('ping', (data: Buffer) => {
      if (isOpen() && onBeat()) write(() => socket.pong(data))
    })
    socket.on('pong', () => isOpen() && onBeat())
    socket.resume()
    socket.on('close', onEnd)
    socket.on('error', onEnd)
    return {
      get state() {
        return state
      },
      note: (next) => void (state = next),
      heartbeatMs: () => heartbeatMs,
      send: (text) => write(() => socket.send(text)),
      close: end,
      end,
    }
  }

  /** Ends the line when its time is over; answers how to have that not happen. */
  const awaitEnd = (book: string, listener: Listener): (() => void) => {
    const leftMs = (endOf(listener) ?? Infinity) - clock.now()
    // What lasts longer ends with a sweep.
    if (leftMs > longestTimerMs) return () => undefined
    return scheduler.later(Math.max(leftMs, 1), () => withBook(book, (live, lines) => void lines.sweep(live)))
  }

  return {
    has: (book) => books.has(book),
    admit: (book, standing) =>
      within(book, (live) => {
        const known = books.get(book)
        if (known) known.lines.admit(standing, live)
        else live.recheck(standing)
      }),
    add: (book, listener, socket, version) =>
      within(book, (live) => {
        const { lines, open } = linesOf(book, live)
        const forgetEnd = awaitEnd(book, listener)
        const line = toLine(socket, lines.begin(listener, version), {
          onEnd() {
            forgetEnd()
            open.delete(line)
            if (open.size === 0 && books.get(book)?.open === open) books.delete(book)
          },
          onBeat: () => lines.beat(line),
          onSaid(text) {
            lines.receive(line, text)
            if (turns.waiting(book) < waitingLimit || socket.readyState !== socket.OPEN) return
            socket.pause()
            turns.add(book, () => void (socket.readyState === socket.OPEN && socket.resume()))
          },
        })
        open.add(line)
        // The line that the device had may have been the last one.
        books.set(book, { lines, open })
        // It may have ended while it was looked up.
        if (socket.readyState !== socket.OPEN) return line.end(restartCode)
        lines.greet(line, live)
        onFirst()
      }),
    hear: ({ book, came }) =>
      withBook(book, (live, lines) => {
        for (const [device, seq] of came) lines.synced(device, seq, live)
        lines.changed(live)
        lines.roomChanged(live)
      }),
    relay: (book, relay) => withBook(book, (live, lines) => lines.relay(relay, live)),
    look() {
      for (const book of books.keys())
        withBook(book, (live, lines) => {
          lines.changed(live)
          lines.roomChanged(live)
        })
    },
    sweep() {
      for (const book of books.keys()) withBook(book, (live, lines) => void lines.sweep(live))
    },
    async sweepRoom(book, live) {
      const known = books.get(book)?.lines
      await (known ? known.sweepRoom(live) : live.meeting?.sweep(() => undefined))
    },
    close() {
      for (const { open } of books.values()) for (const line of open) line.end(restartCode)
      books.clear()
    },
  }
}
