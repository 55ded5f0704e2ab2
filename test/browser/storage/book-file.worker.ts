// Does things to the files of a closed book that no call could: where OPFS gives synchronous handles, in a worker.
import sqlite3InitModule from '@sqlite.org/sqlite-wasm'
import { openPool } from '../../../src/hosts/browser/storage/opfs-pool.ts'

export type BookFileRequest = { readonly name: string } & (
  | { readonly type: 'alter'; readonly statements: readonly string[] }
  | { readonly type: 'read' }
  | { readonly type: 'write'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: 'cut'; readonly size: number }
)

const file = '/book.sqlite3'

interface Handle {
  read(into: Uint8Array, options: { at: number }): number
  truncate(size: number): void
  flush(): void
  close(): void
}
type WorkerFile = FileSystemFileHandle & { createSyncAccessHandle(): Promise<Handle> }

/** Cuts the file that the pool calls `file`, whose first bytes are its name. */
async function cut(name: string, size: number): Promise<void> {
  let folder = await navigator.storage.getDirectory()
  for (const part of ['daybook', name, '.opaque']) folder = await folder.getDirectoryHandle(part)
  let found = 0
  for await (const one of folder.values()) {
    const handle = await (one as WorkerFile).createSyncAccessHandle()
    const start = new Uint8Array(512)
    handle.read(start, { at: 0 })
    if (new TextDecoder().decode(start).startsWith(`${file}\0`)) {
      handle.truncate(size)
      handle.flush()
      found += 1
    }
    handle.close()
  }
  if (found !== 1) throw new Error(`There are ${found} files of this book.`)
}

self.onmessage = async ({ data, ports: [reply] }: MessageEvent<BookFileRequest>) => {
  try {
    if (data.type === 'cut') {
      await cut(data.name, data.size)
      reply?.postMessage({})
      return
    }
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
