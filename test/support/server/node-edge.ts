// The edge in this process: the app of every edge and what every mirror answers, over books in memory. Lines are lists of what
// they were told.
import type { Ports } from '../../../src/core/ports.ts'
import { createApp } from '../../../src/doors/http/app.ts'
import { DatabaseAgentGate, defaultAgentRate } from '../../../src/edge/agent/agent-gate.ts'
import { MirrorService } from '../../../src/edge/mirror-service.ts'
import { unknownBearerError } from '../../../src/trust/admission.ts'
import type { Line, LineState, Listener } from '../../../src/edge/line.ts'
import { type LiveBook, LiveLines, unknownTicketError } from '../../../src/edge/live-lines.ts'
import { createEngine, type Engine } from '../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { verifyingKeyring } from '../../../src/hosts/node/key/key-file.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'

export const edgeOrigin = 'http://127.0.0.1:8787'

/** A line of a device; `closed` is the code it ended with. */
export interface HeardLine {
  readonly heard: string[]
  readonly closed: number | undefined
  say(text: string | undefined): void
}

interface HeldLine extends Line, HeardLine {
  state: LineState
  closed: number | undefined
}

/** Most of what a mirror has: no tasks and no rates, and nothing of it survives. */
function openBook(name: string, ports: Ports) {
  const engine = createEngine({
    db: openNodeDatabase({ path: ':memory:' }),
    ports,
    name,
    scope: { agent: 'edge' },
    durability: 'memory',
    role: 'mirror',
    keys: verifyingKeyring,
  })
  const agents = new DatabaseAgentGate(engine.store.db, ports.clock, defaultAgentRate)
  return {
    engine,
    mirror: new SyncMirror({ store: engine.store, ...ports }),
    agents,
    lines: openLines(engine, ports),
  }
}

function openLines(engine: Engine, ports: Ports) {
  const lines = new Set<HeldLine>()
  const tickets = new Map<string, Listener>()
  const book: LiveBook = {
    store: engine.store,
    meetingRoom: engine.meeting,
    recheck: (standing) => engine.recheck(standing),
  }
  const live = new LiveLines(
    {
      lines: (device) => [...lines].filter(({ state }) => device === undefined || state.device === device),
      withBook: (work) => work(book),
      ...ports,
    },
    engine.store.settings.getNumber('head'),
  )
  const hold = (state: LineState): HeldLine => {
    const line: HeldLine = {
      state,
      heard: [],
      closed: undefined,
      saveState: (next) => void (line.state = next),
      heartbeatMs: () => undefined,
      send: (text) => void line.heard.push(text),
      close(code) {
        line.closed = code
        lines.delete(line)
      },
      say: (text) => live.receive(line, text),
    }
    lines.add(line)
    return line
  }
  return {
    admit: (standing: Listener['standing']) => live.admit(standing, book),
    issueTicket(listener: Listener) {
      const ticket = crypto.randomUUID().replaceAll('-', '')
      tickets.set(ticket, listener)
      return ticket
    },
    open(ticket: string): HeardLine {
      const listener = tickets.get(ticket)
      if (!listener || !tickets.delete(ticket)) throw unknownTicketError()
      live.admit(listener.standing, book)
      const line = hold(live.startLine(listener, 2))
      live.pokeNewLine(line, book)
      return line
    },
    changed: () => live.announceChange(book),
  }
}

export function createNodeEdge(ports: Ports = nodePorts) {
  const app = createApp()
  const books = new Map<string, ReturnType<typeof openBook>>()
  const bookOf = (name: string) => {
    const book = books.get(name) ?? openBook(name, ports)
    books.set(name, book)
    return book
  }
  const mirrors = {
    getByName: (name: string) =>
      new MirrorService(
        (createIfMissing, work) => {
          if (!createIfMissing && !books.has(name)) throw unknownBearerError()
          const { engine, mirror, agents, lines } = bookOf(name)
          const rate = { charge: () => undefined }
          return work({ engine, mirror, agents, rate, lines, noteSynced: lines.changed })
        },
        {
          book: name,
          clock: ports.clock,
          tombstone: () => undefined,
          erase: () => Promise.reject(new Error('Nothing is erased here.')),
          begin: () => Promise.resolve(),
        },
      ),
  }
  return {
    /** A request with the development key or another one; null sends none. */
    fetch(
      path: string,
      { headers, ...init }: RequestInit = {},
      key: string | null = 'development',
    ): Promise<Response> {
      const all = new Headers({ 'content-type': 'application/json' })
      if (key !== null) all.set('authorization', `Bearer ${key}`)
      for (const [name, value] of new Headers(headers)) all.set(name, value)
      const request = new Request(new URL(path, edgeOrigin), { ...init, headers: all })
      return Promise.resolve(app.fetch(request, { MIRROR: mirrors }))
    },
    /** Opens the line of a ticket. */
    line: (book: string, ticket: string) => bookOf(book).lines.open(ticket),
    /** What was written to the database of a book, beside its records. */
    storedIn: (book: string) => bookOf(book).engine.store.settings.getNumber('head'),
    close() {
      for (const { engine } of books.values()) engine.close()
    },
  }
}
