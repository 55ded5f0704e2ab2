// Opens a book that processes share: connects the owner's server, its socket, and the note (a file with the path of
// the socket).
// Invariant: the socket exists only while the file is locked: made after locking, removed before unlocking.
import { randomBytes } from 'node:crypto'
import { tabOf } from '../../../book/share/line-message.ts'
import type { AbortSignalLike } from '../../../core/abort.ts'
import type { RoomEvent } from '../../../core/capability/port/room-port.ts'
import type { SqlDatabase } from '../../../core/ports.ts'
import type { Engine } from '../../../engine/engine.ts'
import type { BookPath } from '../port/book-path.ts'
import { nodePorts } from '../port/node-ports.ts'
import { BookServer } from './book-server.ts'
import { processVersion, type JoiningProcess } from './process-wire.ts'
import { type HeldBook, SharedBook } from './shared-book.ts'
import { fileIdOf, forgetSocketNote, isTaken, noteSocket, socketPathFor } from './socket-place.ts'

/**
 * A process that joins, without its name and version. The options of the owner apply; the status of this process
 * names each of `embedder`, `mirror`, `llm` and `room` that differs. Undefined: no such option was given.
 */
export type Joiner = Pick<JoiningProcess, 'scope' | 'strict'> & {
  readonly [Name in 'passphrase' | 'embedder' | 'mirror' | 'llm' | 'room']: string | undefined
}

/** Callbacks for the code that opens the file, for as long as this process owns the book. */
export interface OwnerTurn {
  /** Names this process. */
  readonly process: string
  /** Events that rebuild the meeting room as this process knows it. */
  room(): RoomEvent[]
  /**
   * Called before the files of the book are deleted, and after that or its failure; not if the erasure can't begin.
   */
  erasing(): void
  erased(): void
  /** Called when the file is open: starts to listen, and returns the open book. */
  held(file: { readonly db: Pick<SqlDatabase, 'exec'> }, engine: Engine): HeldBook
}

export interface OpenSharedBook extends BookPath {
  /** `path`: another socket path for P3394 agents. `join: false`: become the owner, or fail. */
  readonly share: { readonly path?: string; readonly join?: boolean }
  readonly joiner: Joiner
  readonly signal: AbortSignalLike | undefined
  /** Whether the book is erased, or its erasure has begun. */
  isErased(): boolean
  /** Opens the file; throws `open-elsewhere` while another process owns it. */
  hold(turn: OwnerTurn): HeldBook
}

export function openSharedBook(options: OpenSharedBook): Promise<SharedBook> {
  const { path, link, share, joiner, signal, isErased, hold } = options
  // 0: no earlier worker of this process numbered calls (see `tabOf`). Its own calls begin with 1.
  const process = tabOf(randomBytes(16).toString('hex'), 0)
  const open = (room: () => RoomEvent[], erased: () => void): HeldBook => {
    const server = new BookServer((error) => warn(path, error))
    return hold({
      process,
      room,
      erasing: () => server.stopListening(),
      erased,
      held(file, engine) {
        const release = offer(path, share.path, server)
        return {
          server,
          release,
          owned: {
            engine,
            durability: 'file',
            path,
            fileId: () => fileIdOf(path),
            // The pragma of the option `durability: 'strict'`.
            makeStrict: () => file.db.exec('PRAGMA synchronous = FULL'),
          },
        }
      },
    })
  }
  return SharedBook.open({
    path,
    link,
    joiner: { type: 'join', version: [...processVersion], process, ...joiner },
    hold: open,
    mayJoin: share.join !== false,
    isErased,
    signal,
  })
}

/** Listens for other processes; returns a function that stops it. */
function offer(path: string, agentPath: string | undefined, server: BookServer): () => void {
  const socketPath = socketPathFor(path)
  if (agentPath !== undefined) void offerTo(agentPath, path, server)
  if (socketPath === undefined) {
    warn(path, new Error('No folder belongs to this user alone.'))
    return () => undefined
  }
  try {
    server.listen(socketPath)
    noteSocket(path, socketPath)
  } catch (error) {
    warn(path, error)
  }
  return () => forgetSocketNote(path)
}

/** Listens at a path that the user chose, unless another program does. */
async function offerTo(agentPath: string, path: string, server: BookServer): Promise<void> {
  if (await isTaken(agentPath)) warn(path, new Error(`${agentPath} is already in use.`))
  else server.listen(agentPath)
}

/** Not fatal: the book works, but only in this process. */
function warn(path: string, error: unknown): void {
  nodePorts.log.warn('This book can not be shared with other processes.', {
    file: path,
    reason: error instanceof Error ? error.message : String(error),
  })
}
