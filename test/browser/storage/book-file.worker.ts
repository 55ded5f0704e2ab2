// Does things to the files of a closed book that no call could: where OPFS gives synchronous handles, in a worker.
import sqlite3InitModule from '@sqlite.org/sqlite-wasm'
import { openPool } from '../../../src/hosts/browser/storage/opfs-pool.ts'

export type BookFileRequest = { readonly name: string } & (
  | { readonly type: 'alter'; readonly statements: readonly string[] }
  | { readonly type: 'read' }
  | { readonly type: 'write'; readonly bytes: Uint8Array<ArrayBuffer> }
)

const file = '/book.sqlite3'

self.onmessage = async ({ data, ports: [reply] }: MessageEvent<BookFileRequest>) => {
  try {
    const pool = await openPool(await sqlite3InitModule(), data.name)
    try {
      if (data.type === 'alter') {
        const db = new pool.OpfsSAHPoolDb(file)
        db.exec('PRAGMA locking_mode = EXCLUSIVE')
        for (const statement of data.statements) db.exec(statement)
        db.close()
      }
      if (data.type === 'write') await pool.importDb(file, data.bytes)
      reply?.postMessage({ bytes: data.type === 'read' ? await pool.exportFile(file) : undefined })
    } finally {
      pool.pauseVfs()
    }
  } catch (error) {
    reply?.postMessage({ failure: String(error) })
  }
}
