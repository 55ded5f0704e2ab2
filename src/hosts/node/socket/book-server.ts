// The owner's server for other processes: accepts them, sends them events, and ends their connections when it
// closes.
// Invariant: it closes the engine before the connections, so that the last commits are answered.
import { createServer, type Server, type Socket } from 'node:net'
import { isJsonObject } from '../../../core/json/path.ts'
import { DaybookError, toDaybookError } from '../../../core/errors.ts'
import { Followers, type ServedFollower } from '../../../book/share/followers.ts'
import { AgentLine } from './agent-line.ts'
import { FrameLine, type LineTimeouts } from './frame-line.ts'
import { checkPassphrase, type OwnedBook } from './owned-book.ts'
import { processVersion, readFollowerMessage, readJoin } from './process-wire.ts'
import { clearSocket, restrictSocket } from './socket-place.ts'

const connectionLimit = 100
/** Epochs tell messages of successive owners apart. A connection has one owner, so all its messages have this epoch. */
const lineEpoch = 1

/** Listens at once; connections wait until there is a book to serve. */
export class BookServer {
  /** One for the socket of the book; perhaps another one for the path that the user chose. */
  readonly #servers: Server[] = []
  readonly #sockets = new Set<Socket>()
  readonly #timeouts: Partial<LineTimeouts>
  readonly #failed: (error: unknown) => void
  /** Connections that came before the book was open. */
  #waiting: Socket[] = []
  #owned: OwnedBook | undefined
  #followers: Followers | undefined
  #isStopped = false
  #isClosed = false

  /** `failed` is called when the server can't listen on a socket. */
  constructor(failed: (error: unknown) => void, timeouts: Partial<LineTimeouts> = {}) {
    this.#failed = failed
    this.#timeouts = timeouts
  }

  listen(socketPath: string): void {
    const server = createServer((socket) => this.#accept(socket))
    server.maxConnections = connectionLimit
    server.on('error', this.#failed)
    if (this.#isStopped) return
    clearSocket(socketPath)
    server.listen(socketPath)
    // Not bound yet in a worker of a cluster.
    if (server.listening) restrictSocket(socketPath)
    server.unref()
    this.#servers.push(server)
  }

  serve(owned: OwnedBook): void {
    const { engine, durability } = owned
    const followers = new Followers({ engine, epoch: lineEpoch, durability, later })
    this.#owned = owned
    this.#followers = followers
    engine.on((event) => {
      // Not `closed`: only this owner ends, and its followers continue with the next owner.
      if (event.name !== 'closed') followers.post(event)
    })
    for (const socket of this.#waiting.splice(0)) this.#welcome(socket, owned, followers)
  }

  /**
   * Stops accepting connections. Call it while the file is locked: afterwards the path belongs to the next
   * owner.
   */
  stopListening(): void {
    this.#isStopped = true
    for (const server of this.#servers.splice(0)) server.close()
  }

  /** Whether a process of this name is connected. */
  has(process: string): boolean {
    return this.#followers?.find(process) !== undefined
  }

  /** Notifies every connected process that `process`, which closes the book, left the meeting room. */
  leaveRoom(process: string): void {
    for (const one of this.#owned?.engine.room.snapshot() ?? [])
      if (one.type === 'joined' && one.tab === process)
        this.#followers?.post({
          name: 'room',
          detail: { type: 'left', id: one.participant.id, tab: process },
        })
  }

  /** Answers pending requests, then notifies every connected process that its book was erased. Waits until they have left. */
  async refuseAll(error: DaybookError): Promise<void> {
    await this.#followers?.lastAnswers()
    await this.#followers?.refuseAll(error)
  }

  /** Resolves when the requests of others are answered, or after a time limit. `closeEngine` commits pending writes. */
  async close(closeEngine: () => void): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.stopListening()
    try {
      if (this.#followers) await this.#followers.close(closeEngine)
      else closeEngine()
    } finally {
      for (const socket of Array.from(this.#sockets)) socket.end(() => socket.destroy())
    }
  }

  #accept(socket: Socket): void {
    // A connection doesn't keep this process alive.
    socket.unref()
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    if (this.#isClosed) socket.destroy()
    else if (this.#owned && this.#followers) this.#welcome(socket, this.#owned, this.#followers)
    else {
      socket.on('error', () => undefined)
      this.#waiting.push(socket)
    }
  }

  /** Serves a connection. Its first message shows its type: `join` is of a process, any other of a P3394 agent. */
  #welcome(socket: Socket, owned: OwnedBook, followers: Followers): void {
    let hear: ((message: unknown) => void) | undefined
    let closed: () => void = () => undefined
    const line: FrameLine = new FrameLine(socket, {
      timeouts: this.#timeouts,
      waitsForReader: true,
      hear: (message) => {
        if (hear) return hear(message)
        if (isJsonObject(message) && message['type'] === 'join') {
          // Messages wait until the process is admitted.
          line.pause(true)
          void this.#join(message, line, owned, followers).then((follower) => {
            if (!follower) return
            hear = (one) => follower.hear(readFollowerMessage(one))
            // False: the connection broke, so the process may come back for its answers.
            closed = () => follower.end(false)
            line.pause(false)
          })
          return
        }
        const agent = new AgentLine(line, { owned, work: followers.work })
        hear = (one) => agent.hear(one)
        closed = () => agent.end()
        hear(message)
      },
      broken: (error) => line.post({ type: 'refuse', error: error.toJSON() }),
      closed: () => closed(),
    })
  }

  /** Admits a process as a follower; undefined if it is refused or gone, or the server is closed. */
  async #join(
    message: unknown,
    line: FrameLine,
    owned: OwnedBook,
    followers: Followers,
  ): Promise<ServedFollower | undefined> {
    try {
      // `file`: id of the book's file that the process wants. `isBack`: an earlier owner served it. `joiner`: its scope, and
      // the names of its options.
      const { process, version, file, passphrase, isBack, strict, ...joiner } = readJoin(message)
      checkVersion(version)
      if (file !== owned.fileId())
        throw new DaybookError('open-elsewhere', 'This is the socket of another book.')
      await checkPassphrase(owned, passphrase, isBack)
      // The process may have ended while its passphrase was checked.
      if (this.#isClosed || !line.isOpen) return undefined
      line.widen()
      const follower = followers.add(
        { tab: process, ...joiner },
        { post: (answer) => line.post(answer), close: () => line.end() },
      )
      if (strict) owned.makeStrict()
      follower.welcome()
      return follower
    } catch (error) {
      line.post({ type: 'refuse', error: toDaybookError(error).toJSON() })
      line.end()
      return undefined
    }
  }
}

function later(delayMs: number, task: () => void): () => void {
  const timer = setTimeout(task, delayMs)
  return () => clearTimeout(timer)
}

function checkVersion(version: readonly [number, number]): void {
  if (version[0] === processVersion[0] && version[1] === processVersion[1]) return
  throw new DaybookError(
    'open-elsewhere',
    'The process that owns this book runs another version of Daybook.',
    {
      details: { version, needed: processVersion },
    },
  )
}
