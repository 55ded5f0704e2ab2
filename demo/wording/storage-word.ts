// The storage media of a book, for its owner.
import type { Status } from '../../src/index.ts'

export interface MediumWords {
  readonly short: string
  readonly name: string
  readonly text: string
  /** True if the data outlives the tab. */
  readonly isSafe: boolean
}

export const durabilityWords: Readonly<Record<Status['durability'], MediumWords>> = {
  opfs: {
    short: 'OPFS',
    name: 'kept in the browser’s own file system (OPFS)',
    text: 'A SQLite database on this device. It survives reloads, crashes and restarts, works offline, and is gone only when this site’s data is cleared.',
    isSafe: true,
  },
  indexeddb: {
    short: 'IndexedDB',
    name: 'kept in IndexedDB',
    text: 'This browser gives no file system to pages, so each change is journaled in IndexedDB. It survives reloads, crashes and restarts.',
    isSafe: true,
  },
  memory: {
    short: 'memory only',
    name: 'in memory only',
    text: 'You chose to continue without durable storage. Everything in this book is lost when this tab closes or reloads. Sync it, or export what you need.',
    isSafe: false,
  },
  file: { short: 'file', name: 'kept in a file', text: 'A SQLite database in a file.', isSafe: true },
  'durable-object': {
    short: 'edge',
    name: 'kept at the edge',
    text: 'A SQLite database at the edge.',
    isSafe: true,
  },
  postgres: { short: 'PostgreSQL', name: 'kept in PostgreSQL', text: 'A PostgreSQL database.', isSafe: true },
}
