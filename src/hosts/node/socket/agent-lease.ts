// Gives each live process of a book an agent name of its own. A file for each name, in the private folder of the
// sockets, is locked while a process has the name.
// Invariant: the system ends the lock with the process, however it ends, so a name is free as soon as its process is
// gone. The files stay: deleting one could give two processes locks on two files of one name.
import { DatabaseSync } from '../port/sqlite.ts'
import { leasePathFor } from './socket-place.ts'

export interface AgentLease {
  readonly name: string
  /** Frees the name. */
  end(): void
}

/** More connections than this share the last name. */
const maxConnections = 100
/** Result code of SQLite for a file that another connection has locked: SQLITE_BUSY. */
const sqliteBusy = 5

/** The first free name of `wanted`, `wanted-2`, `wanted-3` … among the processes of the book at `path`. */
export function leaseAgent(path: string, wanted: string): AgentLease {
  for (let number = 1; number < maxConnections; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`
    const end = tryLock(leasePathFor(path, name))
    if (end) return { name, end }
  }
  return { name: `${wanted}-${maxConnections}`, end: () => undefined }
}

/** Returns the function that ends the lock; undefined if another process has it. */
function tryLock(file: string | undefined): (() => void) | undefined {
  // No folder belongs to this user alone: then books are not shared either.
  if (file === undefined) return () => undefined
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return () => lock.close()
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined
    throw error
  }
}
