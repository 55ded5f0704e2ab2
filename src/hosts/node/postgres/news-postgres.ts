// What the processes on one database tell each other: which books were written to, which devices have come. By NOTIFY,
// with a connection of its own to listen on; where no notification comes through, as with a pooler that shares connections,
// each process looks for itself.
// Invariant: no process needs a notification. One that misses it learns the same by looking, which it does after each silence
// in any case.
import { Client, type ClientConfig } from 'pg'
import { z } from 'zod'
import { toHex } from '../../../core/ids.ts'
import type { Log, Random } from '../../../core/ports.ts'
import type { Postgres } from './connect-postgres.ts'
import { createTalkPieces } from './talk-pieces.ts'

/** News of one book. */
export interface BookNews {
  readonly book: string
  /** Devices that have come, and how far each has read. */
  readonly came: readonly (readonly [device: string, seq: number])[]
}

export interface PostgresNewsOptions {
  /** Where to listen: a connection that is ours alone. */
  readonly connection: ClientConfig
  /** Where to notify. */
  readonly postgres: Pick<Postgres, 'rows'>
  readonly random: Random
  readonly log: Log
  onNews(news: BookNews): void
  /** A line of another process has said this in a book: JSON. */
  onTalk(book: string, text: string): void
  /** News may have been missed, or can't come through: whoever waits for any must look. */
  onLook(): void
  /** Between two looks while nothing comes through; 5 s by default. */
  readonly lookEveryMs?: number | undefined
  /** A notification of our own must come back this soon; 3 s by default. */
  readonly echoWithinMs?: number | undefined
}

export interface PostgresNews {
  /** Begins to listen, if it has not. */
  listen(): void
  /** Hands talk on to the others that hear; it is kept nowhere, and lost for those that don't. */
  talk(book: string, text: string): void
  /** Tells the others, if there are any. News of one book that come together are one. */
  tell(news: BookNews): void
  /** `deaf`: nothing comes through this connection. */
  state(): 'silent' | 'connecting' | 'hearing' | 'deaf'
  close(): Promise<void>
}

const channel = 'daybook_news'
const gatherMs = 25
/** What a notification may carry, in bytes (PostgreSQL: less than 8000), and with that so many devices. */
const devicesOfOne = 75
/** Between two notifications to ourselves: a connection may die in silence. */
const echoEveryMs = 30_000
const againMs = { first: 500, longest: 60_000 }

const newsShape = z.tuple([
  z.string(),
  z.string(),
  z.array(z.tuple([z.string().max(64), z.number().int().min(0)])).max(devicesOfOne),
])

export function createPostgresNews(options: PostgresNewsOptions): PostgresNews {
  const {
    connection,
    postgres,
    random,
    log,
    onNews,
    onTalk,
    onLook,
    lookEveryMs = 5000,
    echoWithinMs = 3000,
  } = options
  const me = toHex(random.bytes(8))
  const waiting = new Map<string, Map<string, number>>()
  let gathering: NodeJS.Timeout | undefined
  let state: ReturnType<PostgresNews['state']> = 'silent'
  let client: Client | undefined
  let timer: NodeJS.Timeout | undefined
  let looking: NodeJS.Timeout | undefined
  let failures = 0
  let closed = false

  const say = (text: string) => postgres.rows('SELECT pg_notify($1, $2)', [channel, text])
  const after = (ms: number, work: () => void) => {
    clearTimeout(timer)
    timer = setTimeout(work, ms)
    timer.unref()
  }

  const become = (next: typeof state) => {
    if (next === state || closed) return
    const before = state
    state = next
    clearInterval(looking)
    if (next === 'hearing') onLook()
    else looking = setInterval(onLook, lookEveryMs).unref()
    if (next === 'deaf' && before !== 'deaf')
      log.warn(`No notifications come through this connection: lines look for news every ${lookEveryMs} ms.`)
  }

  const drop = () => {
    const gone = client
    client = undefined
    // It may be dead: nothing is waited for.
    void gone?.end().catch(() => undefined)
  }

  const fail = (next: 'connecting' | 'deaf') => {
    if (closed) return
    drop()
    become(next)
    failures += 1
    // What is deaf by its nature stays so; what broke may come back soon.
    const waitMs = next === 'deaf' ? againMs.longest * 10 : againMs.first * 2 ** Math.min(failures, 10)
    after(next === 'deaf' ? waitMs : Math.min(againMs.longest, waitMs), () => void connect())
  }

  const listenForEcho = () => {
    after(echoWithinMs, () => fail(state === 'hearing' ? 'connecting' : 'deaf'))
    // That it can't be said is no sign of deafness: the database is away.
    say(JSON.stringify([me, '', []])).catch(() => fail('connecting'))
  }

  const pieces = createTalkPieces(me, random)

  const hear = (text: string | undefined) => {
    const said = parse(text)
    const talk = pieces.take(said)
    if (talk) return onTalk(talk.book, talk.text)
    const [from, book, came] = newsShape.safeParse(said).data ?? ['', '', []]
    if (from === me && book === '') {
      failures = 0
      become('hearing')
      after(echoEveryMs, listenForEcho)
    }
    if (from !== me && book !== '') onNews({ book, came })
  }

  const connect = async () => {
    become('connecting')
    const own = new Client(connection)
    client = own
    const isCurrent = () => client === own && !closed
    own.on('notification', ({ payload }) => isCurrent() && hear(payload))
    own.on('error', () => isCurrent() && fail('connecting'))
    own.on('end', () => isCurrent() && fail('connecting'))
    try {
      await own.connect()
      await own.query(`LISTEN ${channel}`)
      if (isCurrent()) listenForEcho()
    } catch {
      if (isCurrent()) fail('connecting')
    }
  }

  const flush = () => {
    gathering = undefined
    for (const [book, devices] of waiting) {
      const came = [...devices]
      for (let from = 0; from === 0 || from < came.length; from += devicesOfOne)
        say(JSON.stringify([me, book, came.slice(from, from + devicesOfOne)])).catch(() => undefined)
    }
    waiting.clear()
  }

  return {
    state: () => state,
    listen() {
      if (state === 'silent' && !closed) void connect()
    },
    talk(book, text) {
      if (closed) return
      // In one statement, which is one transaction: its notifications arrive together and in their order.
      const all = pieces.cut(book, text)
      postgres
        .rows('SELECT pg_notify($1, piece) FROM json_array_elements_text($2::json) AS piece', [
          channel,
          JSON.stringify(all),
        ])
        .catch(() => undefined)
    },
    tell({ book, came }) {
      if (closed) return
      const devices = waiting.get(book) ?? new Map<string, number>()
      for (const [device, seq] of came) devices.set(device, seq)
      waiting.set(book, devices)
      gathering ??= setTimeout(flush, gatherMs)
    },
    async close() {
      clearTimeout(gathering)
      clearTimeout(timer)
      clearInterval(looking)
      closed = true
      await client?.end().catch(() => undefined)
    },
  }
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
