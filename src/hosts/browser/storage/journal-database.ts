// A book's database where there is no OPFS: SQLite in memory, every commit kept in a journal before it is acknowledged.
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { type Journal, pageBytes } from '../../../core/journal.ts'
import type { Scheduler } from '../../../core/ports.ts'
import { imageVfs, mountImage } from './image-vfs.ts'
import { JournalKeeper } from './journal-keeper.ts'
import type { BookStorage } from './opfs-database.ts'
import { createPageImage } from './page-image.ts'
import { createWasmDatabase } from './wasm-database.ts'

const pragmas = [
  // First of all, for there are no other files: what a rollback needs is kept in memory. What survives this process is in
  // the journal, and there only whole commits.
  'journal_mode = MEMORY',
  'locking_mode = EXCLUSIVE',
  'synchronous = OFF',
  // The image changes with a commit only, not while a transaction is open.
  'cache_spill = OFF',
  `page_size = ${pageBytes}`,
  'auto_vacuum = INCREMENTAL',
  // The pages are in memory already.
  'cache_size = -8192',
  'foreign_keys = OFF',
  'secure_delete = FAST',
]
/** A journal that does not answer must not keep the next owner waiting. It could write nothing any more: see `Journal`. */
const finishMs = 5000

let serial = 0

/** Of all the space: IndexedDB keeps what was overwritten for a while, and forgetting must stay possible. */
const usableShare = 0.4

/** Opens the database that `journal` keeps. `spaceBytes` is what the browser still has beside it. */
export function openJournalDatabase(
  sqlite3: Sqlite3Static,
  journal: Journal,
  { scheduler, spaceBytes }: { readonly scheduler: Pick<Scheduler, 'later'>; readonly spaceBytes?: number },
): BookStorage {
  const { sizeBytes, extents, changes } = journal.takeKept()
  const image = createPageImage(sizeBytes, extents, changes)
  const path = `/book-${++serial}.sqlite3`
  const unmount = mountImage(sqlite3, path, image)
  const limit = spaceBytes === undefined ? {} : { limitBytes: (spaceBytes + image.sizeBytes) * usableShare }
  const keeper = new JournalKeeper({ journal, image, appended: changes }, { scheduler, ...limit })
  const letGo = () => {
    unmount()
    journal.close()
  }
  try {
    const handle = new sqlite3.oo1.DB(path, 'c', imageVfs)
    const db = createWasmDatabase(sqlite3, handle, {
      pragmas,
      combiner: { settle: () => keeper.settle(), failure: undefined },
    })
    return {
      db: {
        ...db,
        settled: (what) => keeper.settled(what),
        scrub(what) {
          keeper.rewrite()
          db.scrub(what)
        },
      },
      durability: 'indexeddb',
      // Every change of the journal is flushed.
      makeStrict: () => undefined,
      watchFault: (hear) => keeper.watchFault(hear),
      async release() {
        const late = Promise.withResolvers<void>()
        const cancel = scheduler.later(finishMs, late.resolve)
        await Promise.race([keeper.finish(), late.promise])
        cancel()
        letGo()
      },
    }
  } catch (error) {
    letGo()
    throw error
  }
}
