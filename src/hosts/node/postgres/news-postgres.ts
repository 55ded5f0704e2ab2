// News between the processes on one database: changed books, devices that synced, and messages of lines. Sent by NOTIFY
// to a dedicated connection. If notifications don't arrive, as behind a pooler that shares connections, each process
// polls for changed books.
// Invariant: a notification is only a hint. Polling finds the same news, and every gap in notifications ends with
// one poll.
import { Client, type ClientConfig } from 'pg'
import { z } from 'zod'
import { toHex } from '../../../core/ids.ts'
import type { Log, Random } from '../../../core/ports.ts'
import type { Postgres } from './connect-postgres.ts'

export interface BookNews {
  readonly book: string
  /** Devices that have just synced, each with the place up to which it has read. */
  readonly synced: readonly (readonly [device: string, seq: number])[]
}

export interface PostgresNewsOptions {
  /** The dedicated connection for LISTEN. */
  readonly connection: ClientConfig
  /** The connection for NOTIFY. */
  readonly postgres: Pick<Postgres, 'rows'>
  readonly random: Random
  readonly log: Log
  onNews(news: BookNews): void
  /** A line of another process sent this message (JSON text). */
  onTalk(book: string, text: string): void
  /** Notifications may have been lost: check every book with open lines. */
  onLook(): void
  /** Polling interval without notifications; default 5 s. */
  readonly lookEveryMs?: number | undefined
  /** Time limit for our own notification to come back; default 3 s. */
  readonly echoWithinMs?: number | undefined
}

/**
 * `silent`: no line has needed news yet. `connecting`: not known yet. `hearing`: notifications arrive. `deaf`: the
 * connection works, but no notification arrives on it.
 */
type NewsState = 'silent' | 'connecting' | 'hearing' | 'deaf'

const channel = 'daybook_news'
/** News of one book within this time are sent together. */
const gatherMs = 25
/** So many devices fit into one notification (below 8000 bytes). */
const devicesOfOne = 75
/** Interval of notifications to ourselves: a connection may die silently. */
const echoEveryMs = 30_000
const reconnectMs = { first: 500, longest: 60_000 }

/** Sending process, book, and devices that synced. Without a book: the process tests whether notifications arrive. */
const newsShape = z.tuple([
  z.string(),
  z.string(),
  z.array(z.tuple([z.string().max(64), z.number().int().min(0)])).max(devicesOfOne),
])

export class PostgresNews {
  readonly #options: PostgresNewsOptions
  readonly #lookEveryMs: number
  readonly #echoWithinMs: number
  /** Names this process. */
  readonly #own: string
  readonly #pieces: MessagePieces
  /** News to send: by book, the devices that synced, each with its place. */
  readonly #pending = new Map<string, Map<string, number>>()
  #state: NewsState = 'silent'
  #client: Client | undefined
  #flushTimer: NodeJS.Timeout | undefined
  #connectionTimer: NodeJS.Timeout | undefined
  #pollTimer: NodeJS.Timeout | undefined
  /** Failures since the last notification that came back. */
  #failures = 0
  #isClosed = false

  constructor(options: PostgresNewsOptions) {
    this.#options = options
    this.#lookEveryMs = options.lookEveryMs ?? 5000
    this.#echoWithinMs = options.echoWithinMs ?? 3000
    this.#own = toHex(options.random.bytes(8))
    this.#pieces = createMessagePieces(this.#own, options.random)
  }

  get state(): NewsState {
    return this.#state
  }

  /** Starts to listen, once. */
  listen(): void {
    if (this.#state === 'silent' && !this.#isClosed) void this.#connect()
  }

  /** Sends a message to lines of other processes. It isn't stored: a process that doesn't listen misses it. */
  talk(book: string, text: string): void {
    if (this.#isClosed) return
    // One statement is one transaction: its notifications arrive together and in order.
    this.#options.postgres
      .rows('SELECT pg_notify($1, piece) FROM json_array_elements_text($2::json) AS piece', [
        channel,
        JSON.stringify(this.#pieces.cut(book, text)),
      ])
      .catch(() => undefined)
  }

  /** Sends news to other processes. News of one book within a short time are sent together. */
  tell({ book, synced }: BookNews): void {
    if (this.#isClosed) return
    const devices = this.#pending.get(book) ?? new Map<string, number>()
    for (const [device, seq] of synced) devices.set(device, seq)
    this.#pending.set(book, devices)
    this.#flushTimer ??= setTimeout(() => this.#flush(), gatherMs)
  }

  async close(): Promise<void> {
    clearTimeout(this.#flushTimer)
    clearTimeout(this.#connectionTimer)
    clearInterval(this.#pollTimer)
    this.#isClosed = true
    await this.#client?.end().catch(() => undefined)
  }

  async #connect(): Promise<void> {
    this.#become('connecting')
    const client = new Client(this.#options.connection)
    this.#client = client
    const isCurrent = () => this.#client === client && !this.#isClosed
    client.on('notification', ({ payload }) => isCurrent() && this.#hear(payload))
    client.on('error', () => isCurrent() && this.#fail('connecting'))
    client.on('end', () => isCurrent() && this.#fail('connecting'))
    try {
      await client.connect()
      await client.query(`LISTEN ${channel}`)
      if (isCurrent()) this.#awaitEcho()
    } catch {
      if (isCurrent()) this.#fail('connecting')
    }
  }

  #hear(payload: string | undefined): void {
    const data = parse(payload)
    const message = this.#pieces.take(data)
    if (message) return this.#options.onTalk(message.book, message.text)
    const [from, book, synced] = newsShape.safeParse(data).data ?? ['', '', []]
    if (from === this.#own && book === '') {
      this.#failures = 0
      this.#become('hearing')
      this.#after(echoEveryMs, () => this.#awaitEcho())
    }
    if (from !== this.#own && book !== '') this.#options.onNews({ book, synced })
  }

  /** Sends a notification to itself, and fails if it does not come back in time. */
  #awaitEcho(): void {
    this.#after(this.#echoWithinMs, () => this.#fail(this.#state === 'hearing' ? 'connecting' : 'deaf'))
    // If sending fails, the database is unreachable; that says nothing about notifications.
    this.#notify(this.#own, '', []).catch(() => this.#fail('connecting'))
  }

  #become(next: NewsState): void {
    if (next === this.#state || this.#isClosed) return
    const before = this.#state
    const { log, onLook } = this.#options
    this.#state = next
    clearInterval(this.#pollTimer)
    if (next === 'hearing') onLook()
    else this.#pollTimer = setInterval(onLook, this.#lookEveryMs).unref()
    if (next === 'deaf' && before !== 'deaf')
      log.warn(
        `No notifications come through this connection: lines look for news every ${this.#lookEveryMs} ms.`,
      )
  }

  #fail(next: 'connecting' | 'deaf'): void {
    if (this.#isClosed) return
    const failed = this.#client
    this.#client = undefined
    // It may be dead: don't wait.
    void failed?.end().catch(() => undefined)
    this.#become(next)
    this.#failures += 1
    // A pooler stays deaf; a broken connection may recover soon.
    const { first, longest } = reconnectMs
    const waitMs =
      next === 'deaf' ? longest * 10 : Math.min(longest, first * 2 ** Math.min(this.#failures, 10))
    this.#after(waitMs, () => void this.#connect())
  }

  /** Replaces the one pending task of the connection: an echo, its time limit, or a new connection. */
  #after(ms: number, work: () => void): void {
    clearTimeout(this.#connectionTimer)
    this.#connectionTimer = setTimeout(work, ms).unref()
  }

  #flush(): void {
    this.#flushTimer = undefined
    for (const [book, devices] of this.#pending) {
      const synced = [...devices]
      // At least once: a changed book is news without a device.
      for (let from = 0; from === 0 || from < synced.length; from += devicesOfOne)
        this.#notify(this.#own, book, synced.slice(from, from + devicesOfOne)).catch(() => undefined)
    }
    this.#pending.clear()
  }

  #notify(...news: z.input<typeof newsShape>): Promise<unknown> {
    return this.#options.postgres.rows('SELECT pg_notify($1, $2)', [channel, JSON.stringify(news)])
  }
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

// Splits messages between processes into pieces that fit a notification, and joins them again.
// Invariant: a joined message is complete and unchanged; incomplete ones are dropped.

/**
 * PostgreSQL takes less than 8,000 bytes; a character of JSON text has up to four of UTF-8, and some are
 * escaped again.
 */
const pieceLength = 1800
/**
 * At most this many incomplete messages are kept. The pieces of one message arrive together, so old ones will
 * never be complete.
 */
const openLimit = 64

/** `talk`, sending process, book, name of the message, number of the piece, number of pieces, and text. */
const pieceShape = z.tuple([
  z.literal('talk'),
  z.string(),
  z.string().max(64),
  z.string().max(64),
  z.number().int().min(0),
  z.number().int().min(1).max(100),
  z.string(),
])

interface MessagePieces {
  cut(book: string, text: string): string[]
  /** Returns the message if this was its last piece, unless this process sent it; otherwise undefined. */
  take(data: unknown): { readonly book: string; readonly text: string } | undefined
}

/** `me` names this process. */
function createMessagePieces(me: string, random: Random): MessagePieces {
  const open = new Map<string, string[]>()
  return {
    cut(book, text) {
      const name = toHex(random.bytes(8))
      const count = Math.max(1, Math.ceil(text.length / pieceLength))
      return Array.from({ length: count }, (_, i) =>
        JSON.stringify([
          'talk',
          me,
          book,
          name,
          i,
          count,
          text.slice(i * pieceLength, (i + 1) * pieceLength),
        ]),
      )
    },
    take(data) {
      const piece = pieceShape.safeParse(data).data
      if (!piece) return undefined
      const [, from, book, name, i, count, text] = piece
      if (from === me) return undefined
      const parts = i === 0 ? [] : open.get(name)
      open.delete(name)
      // The first pieces were missed.
      if (!parts || parts.length !== i) return undefined
      parts.push(text)
      if (parts.length === count) return { book, text: parts.join('') }
      open.set(name, parts)
      const [oldest] = open.keys()
      if (oldest !== undefined && open.size > openLimit) open.delete(oldest)
      return undefined
    },
  }
}
