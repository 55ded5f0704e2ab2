// Opens a book that processes share: puts the holder's server, its place and its note together.
// Invariant: the socket is there only while the file is locked: it is made after the lock is had, and goes before it is let go.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { AbortSignalLike } from '../../../core/abort.ts'
import type { RoomEvent } from '../../../core/capability/port/room-port.ts'
import type { SqlDatabase } from '../../../core/ports.ts'
import type { Engine } from '../../../engine/engine.ts'
import { nodePorts } from '../port/node-ports.ts'
import { BookServer } from './book-server.ts'
import { processVersion, type JoiningProcess } from './process-wire.ts'
import { type HeldBook, SharedBook } from './shared-book.ts'
import { fileIdOf, forgetSocketNote, isTaken, noteSocket, socketPathFor } from './socket-place.ts'

/** What a process says of itself, beside its name and its version. */
export type Joiner = Pick<JoiningProcess, 'scope' | 'strict'> & {
  readonly [Name in 'passphrase' | 'embedder' | 'mirror' | 'llm' | 'room']: string | undefined
}

/** A turn of this process to hold the book, for whoever opens its file. */
export interface HoldingTurn {
  /** Names this process. */
  readonly process: string
  /** What led to the meeting room as this process knows it. */
  room(): RoomEvent[]
  /** The files of the book are about to go, and have gone. */
  erasing(): void
  erased(): void
  /** What has come of the turn. */
  held(file: { readonly db: Pick<SqlDatabase, 'exec'> }, engine: Engine): HeldBook
}

export interface OpenSharedBook {
  readonly path: string
  readonly share: { readonly path?: string; readonly join?: boolean }
  readonly joiner: Joiner
  readonly signal: AbortSignalLike | undefined
  /** Opens the file; throws `open-elsewhere` while another process has it. */
  hold(turn: HoldingTurn): HeldBook
}

export function openSharedBook({ path, share, joiner, signal, hold }: OpenSharedBook): Promise<SharedBook> {
  const process = `${randomBytes(16).toString('hex')}.0`
  const open = (room: () => RoomEvent[], erased: () => void): HeldBook => {
    const server = new BookServer((error) => warn(path, error))
    return hold({
      process,
      room,
      erasing: () => server.stopListening(),
      erased,
      held(file, engine) {
        const letGo = offer(path, share.path, server)
        return {
          server,
          letGo,
          owned: {
            engine,
            durability: 'file',
            fileId: () => fileIdOf(path),
            makeStrict: () => file.db.exec('PRAGMA synchronous = FULL'),
          },
        }
      },
    })
  }
  return SharedBook.open({
    path,
    joiner: { type: 'join', version: [...processVersion], process, ...joiner },
    hold: open,
    mayJoin: share.join !== false,
    isGone: () => !existsSync(path),
    signal,
  })
}

/** Listens for other processes; answers what ends that. */
function offer(path: string, agentPath: string | undefined, server: BookServer): () => void {
  const socketPath = socketPathFor(path)
  if (agentPath !== undefined) void offerTo(agentPath, path, server)
  if (socketPath === undefined) {
    warn(path, new Error("There is no folder for it that is this user's alone."))
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

/** At a path that somebody chose, where another program may listen already. */
async function offerTo(agentPath: string, path: string, server: BookServer): Promise<void> {
  if (await isTaken(agentPath)) warn(path, new Error(`Something else is at ${agentPath}.`))
  else server.listen(agentPath)
}

/** The book is there all the same, for this process alone. */
function warn(path: string, error: unknown): void {
  nodePorts.log.warn('This book can not be shared with other processes.', {
    file: path,
    reason: error instanceof Error ? error.message : String(error),
  })
}
