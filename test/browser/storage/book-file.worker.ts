// Does things to the files of a closed book that no call could: where OPFS gives synchronous handles, in a worker.
import sqlite3InitModule from '@sqlite.org/sqlite-wasm'
import { openPool } from '../../../src/hosts/browser/storage/opfs-pool.ts'

export type BookFileRequest = { readonly name: string } & (
  | { readonly type: 'alter'; readonly statements: readonly string[] }
  | { readonly type: 'read' }
  | { readonly type: 'write'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: 'cut'; readonly size: number }
  /** Changes one byte of the file where it lies: the pool would set some of them again. */
  | { readonly type: 'flip'; readonly at: number }
)

const file = '/book.sqlite3'
/** The pool begins each file with its name, and SQLite's bytes come behind this. */
const headerBytes = 4096

interface Handle {
  read(into: Uint8Array, options: { at: number }): number
  write(from: Uint8Array, options: { at: number }): number
  truncate(size: number): void
  flush(): void
  close(): void
}
type WorkerFile = FileSystemFileHandle & { createSyncAccessHandle(): Promise<Handle> }

/** Changes the file that the pool calls `file`, whose first bytes are its name. */
async function change(name: string, work: (handle: Handle) => void): Promise<void> {
  let folder = await navigator.storage.getDirectory()
  for (const part of ['daybook', name, '.opaque']) folder = await folder.getDirectoryHandle(part)
  let found = 0
  for await (const one of folder.values()) {
    const handle = await (one as WorkerFile).createSyncAccessHandle()
    const start = new Uint8Array(512)
    handle.read(start, { at: 0 })
    if (new TextDecoder().decode(start).startsWith(`${file}\0`)) {
      work(handle)
      handle.flush()
      found += 1
    }
    handle.close()
  }
  if (found !== 1) throw new Error(`There are ${found} files of this book.`)
}

function flip(handle: Handle, at: number): void {
  const byte = new Uint8Array(1)
  handle.read(byte, { at })
  handle.write(
    byte.map((value) => value ^ 0xff),
    { at },
  )
}

self.onmessage = async ({ data, ports: [reply] }: MessageEvent<BookFileRequest>) => {
  try {
    if (data.type === 'cut' || data.type === 'flip') {
      await change(data.name, (handle) =>
        data.type === 'cut' ? handle.truncate(data.size) : flip(handle, headerBytes + data.at),
      )
      return reply?.postMessage({})
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
