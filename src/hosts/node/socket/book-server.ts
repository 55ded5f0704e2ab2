// The holder's end of a book's sockets: it takes in other processes, tells them what happens, and lets them go at its end.
// Invariant: it closes the engine before the lines, so that what was committed at the very end is answered.
import { createServer, type Server, type Socket } from 'node:net'
import { isJsonObject } from '../../../core/json/path.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import { DaybookError, toDaybookError } from '../../../core/errors.ts'
import { AgentLine } from './agent-line.ts'
import { FrameLine, type LinePatience } from './frame-line.ts'
import { keysProof, type OwnedBook } from './owned-book.ts'
import { processVersion, readJoin } from './process-wire.ts'
import { lineEpoch, ServedProcess } from './served-process.ts'
import { clearSocket, narrowSocket } from './socket-place.ts'

/** Most connections at a time. */
const connectionLimit = 100
/** Answers of calls that were committed at the very end are waited for this long. */
const lastAnswersMs = 100

/** Begins to listen at once; who comes before there is a book to serve waits. */
export class BookServer {
  readonly #servers: Server[] = []
  readonly #sockets = new Set<Socket>()
  readonly #served = new Set<ServedProcess>()
  readonly #work = new Set<Promise<void>>()
  readonly #patience: Partial<LinePatience>
  readonly #failed: (error: unknown) => void
  #waiting: Socket[] = []
  #owned: OwnedBook | undefined
  #isStopped = false
  #isClosed = false

  /** `failed` hears when a socket can't be listened at. */
  constructor(failed: (error: unknown) => void, patience: Partial<LinePatience> = {}) {
    this.#failed = failed
    this.#patience = patience
  }

  listen(socketPath: string): void {
    const server = createServer((socket) => this.#accept(socket))
    server.maxConnections = connectionLimit
    server.on('error', this.#failed)
    if (this.#isStopped) return
    clearSocket(socketPath)
    server.listen(socketPath)
    // Bound by now, but in a worker of a cluster.
    if (server.listening) narrowSocket(socketPath)
    server.unref()
    this.#servers.push(server)
  }

  serve(owned: OwnedBook): void {
    this.#owned = owned
    owned.engine.on((event) => this.#hear(event))
    for (const socket of this.#waiting.splice(0)) this.#welcome(socket, owned)
  }

  /** Has nobody come in any more. While the file is locked: afterwards the place is the next holder's. */
  stopListening(): void {
    this.#isStopped = true
    for (const server of this.#servers.splice(0)) server.close()
  }

  /** Whether a process of this name is served. */
  has(process: string): boolean {
    return Array.from(this.#served).some(({ joiner }) => joiner.process === process)
  }

  /** Every process that is served hears why it has no book any more. */
  refuseAll(error: DaybookError): void {
    for (const one of this.#served) one.refuse(error)
  }

  /** Resolves when what others have asked is answered, or takes too long. `closeEngine` commits what waits. */
  async close(closeEngine: () => void): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.stopListening()
    try {
      closeEngine()
    } finally {
      for (const one of this.#served) one.abortAll()
      await this.lastAnswers()
      for (const one of this.#served) one.end()
      const open = Array.from(this.#sockets)
      for (const socket of open) socket.end(() => socket.destroy())
    }
  }

  async lastAnswers(): Promise<void> {
    if (this.#work.size === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, lastAnswersMs)
      void Promise.allSettled(this.#work).then(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  #accept(socket: Socket): void {
    // Whoever is served does not keep this process alive.
    socket.unref()
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    if (this.#isClosed) socket.destroy()
    else if (this.#owned) this.#welcome(socket, this.#owned)
    else {
      socket.on('error', () => undefined)
      this.#waiting.push(socket)
    }
  }

  #welcome(socket: Socket, owned: OwnedBook): void {
    let hear: ((message: unknown) => void) | undefined
    let closed: () => void = () => undefined
    const line: FrameLine = new FrameLine(socket, {
      patience: this.#patience,
      waitsForReader: true,
      hear: (message) => {
        if (hear) return hear(message)
        if (isJsonObject(message) && message['type'] === 'join') {
          // What comes before it is admitted waits.
          line.pause(true)
          void this.#join(message, line, owned).then((served) => {
            if (!served) return
            hear = (given) => served.hear(given)
            closed = () => this.#drop(served)
            line.pause(false)
          })
          return
        }
        const agent = new AgentLine(line, { owned, work: this.#work })
        hear = (given) => agent.hear(given)
        hear(message)
      },
      broken: (error) => line.post({ type: 'refuse', error: error.toJSON() }),
      closed: () => closed(),
    })
  }

  async #join(message: unknown, line: FrameLine, owned: OwnedBook): Promise<ServedProcess | undefined> {
    try {
      const joiner = readJoin(message)
      checkVersion(joiner.version)
      if (joiner.file !== owned.fileId())
        throw new DaybookError('open-elsewhere', 'This is the socket of another book.')
      await keysProof(owned, joiner.passphrase)
      if (this.#isClosed) return undefined
      line.widen()
      const served = new ServedProcess(joiner, line, {
        owned,
        work: this.#work,
        isClosed: () => this.#isClosed,
      })
      this.#served.add(served)
      if (joiner.strict) owned.makeStrict()
      served.post({ type: 'welcome', epoch: lineEpoch, durability: owned.durability })
      served.post({ type: 'room', epoch: lineEpoch, whole: true, events: owned.engine.room.snapshot() })
      return served
    } catch (error) {
      line.post({ type: 'refuse', error: toDaybookError(error).toJSON() })
      line.end()
      return undefined
    }
  }

  #drop(served: ServedProcess): void {
    this.#served.delete(served)
    served.gone()
  }

  #hear(event: BookEvent): void {
    if (event.name === 'closed') return
    for (const one of this.#served) {
      if (event.name === 'room')
        one.post({ type: 'room', epoch: lineEpoch, whole: false, events: [event.detail] })
      else one.post({ type: 'event', epoch: lineEpoch, event: asServed(event) })
    }
  }
}

/** What an event says to a process that does not hold the book. */
const asServed = (event: BookEvent): BookEvent =>
  event.name === 'status' ? { ...event, detail: { ...event.detail, owner: false } } : event

function checkVersion(version: readonly [number, number]): void {
  if (version[0] === processVersion[0] && version[1] === processVersion[1]) return
  throw new DaybookError('open-elsewhere', 'The process that has this book runs another Daybook.', {
    details: { version, needed: processVersion },
  })
}
