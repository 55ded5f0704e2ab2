// Opens a book in IndexedDB, and repairs it first if it is damaged: copies the readable records into a new database,
// stores the damaged one aside, and replaces it in one transaction.
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { extentBytes, type Journal, pageBytes } from '../../../core/journal.ts'
import { formatTime } from '../../../core/time.ts'
import { openPages } from '../../../store/repair/page-scan.ts'
import { asideName, isInDatabase, saveInDatabase } from './aside-store.ts'
import { type JournalOptions, openJournalDatabase } from './journal-database.ts'
import { loadRepair } from './load-repair.ts'
import { mendedTexts, openRepaired } from './mend-pool.ts'
import { openWhole, type Suspicion } from './open-whole.ts'
import type { BookStorage } from './opfs-database.ts'
import { PageImage } from './page-image.ts'
import { createWasmDatabase, openImage } from './wasm-database.ts'

export interface JournalledBook extends JournalOptions {
  readonly name: string
  openJournal(): Journal | Promise<Journal>
  /** Stores a damaged database aside. Default: in IndexedDB. */
  saveAside?(name: string, bytes: Uint8Array): Promise<unknown>
}

/** Opens the book, and repairs it first if damage is known or found. */
export async function openMendedJournal(
  sqlite3: Sqlite3Static,
  book: JournalledBook,
  suspicion?: Suspicion,
): Promise<BookStorage> {
  const storage = await openWhole(
    {
      open: async () => openJournalDatabase(sqlite3, await book.openJournal(), book),
      close({ db, release }) {
        db.close()
        return release()
      },
      mend: (reason) => mendJournal(sqlite3, book, reason),
    },
    suspicion,
  )
  return { ...storage, mended: () => mendedTexts(storage.db, isInDatabase) }
}

async function mendJournal(
  sqlite3: Sqlite3Static,
  { name, openJournal, saveAside = saveInDatabase }: JournalledBook,
  reason: string,
): Promise<void> {
  const { repairBook } = await loadRepair()
  const journal = await openJournal()
  try {
    const { sizeBytes, extents, changes } = journal.takeStored()
    const image = new PageImage(sizeBytes, extents, changes)
    const bytes = new Uint8Array(image.sizeBytes)
    image.read(bytes, 0)
    const now = formatTime(Date.now())
    const aside = asideName(name, now)
    const pages = openPages(bytes)
    const handle = new sqlite3.oo1.DB(':memory:')
    const pragmas = [`page_size = ${pageBytes}`, 'auto_vacuum = INCREMENTAL']
    const target = createWasmDatabase(sqlite3, handle, { pragmas })
    const damaged = openRepaired((fixed) => openImage(sqlite3, fixed), pages)
    let whole: Uint8Array<ArrayBuffer>
    try {
      repairBook({ damaged, pages, target, now, aside, reason })
      whole = sqlite3.capi.sqlite3_js_db_export(handle)
    } finally {
      damaged?.close()
      target.close()
    }
    await saveAside(aside, bytes)
    const count = Math.ceil(whole.length / extentBytes)
    await journal.snapshot({
      sizeBytes: whole.length,
      extents: Array.from({ length: count }, (_, i) => [
        i,
        whole.slice(i * extentBytes, (i + 1) * extentBytes),
      ]),
    })
  } finally {
    journal.close()
  }
}
