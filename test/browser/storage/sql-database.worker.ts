// Runs the law of `SqlDatabase` where OPFS gives synchronous handles: in a worker.
import { openBookStorage } from '../../../src/hosts/browser/storage/book-storage.ts'
import { sqlDatabaseCases } from '../../contract/port/sql-database-case.ts'

self.onmessage = async ({ data }: MessageEvent<{ index: number; name: string }>) => {
  try {
    const storage = await openBookStorage({ name: data.name, onUnavailable: 'reject' })
    try {
      storage.db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, v)')
      self.postMessage({
        durability: storage.durability,
        answer: sqlDatabaseCases[data.index]?.run(storage.db),
      })
    } finally {
      storage.db.close()
      storage.release()
    }
  } catch (error) {
    self.postMessage({ failure: String(error) })
  }
}
