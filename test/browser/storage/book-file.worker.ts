// Does things to the files of a closed book that no call could: where OPFS gives synchronous handles, in a worker.
import sqlite3InitModule from '@sqlite.org/sqlite-wasm'
import { openPool } from '../../../src/hosts/browser/storage/opfs-pool.ts'

export type BookFileRequest = { readonly name: string } & (
  | { readonly type: 'alter'; readonly statements: readonly string[] }
  | { readonly type: 'read' }
  | { readonly type: 'write'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** Changes one byte of the file where it lies: the pool would set some of them again. */
  | { readonly type: 'flip'; readonly at: number }
)

const file = '/book.sqlite3'

/** The pool begins each file with its name, and SQLite's bytes come behind this. */
const headerBytes = 4096

interface Handle {
  read(into: Uint8Array, options: { at: number }): number
  write(from: Uint8Array, options: { at: number }): number
  flush(): void
  close(): void
}
type WorkerFile = FileSystemFileHandle & { createSyncAccessHandle(): Promise<Handle> }

async function flip(name: string, at: number): Promise<void> {
  const root = await navigator.storage.getDirectory()
  const folder = await root.getDirectoryHandle('daybook')
  const opaque = await (await folder.getDirectoryHandle(name)).getDirectoryHandle('.opaque')
  let flipped = 0
  for await (const one of (opaque as unknown as { values(): AsyncIterable<WorkerFile> }).values()) {
    const handle = await one.createSyncAccessHandle()
    const start = new Uint8Array(file.length + 1)
    handle.read(start, { at: 0 })
    if (new TextDecoder().decode(start) === `${file}\0`) {
      const byte = new Uint8Array(1)
      handle.read(byte, { at: headerBytes + at })
      handle.write(
        byte.map((value) => value ^ 0xff),
        { at: headerBytes + at },
      )
      handle.flush()
      flipped += 1
    }
    handle.close()
  }
  if (flipped !== 1) throw new Error(`${flipped} files of the pool are the book.`)
}

self.onmessage = async ({ data, ports: [reply] }: MessageEvent<BookFileRequest>) => {
  try {
    if (data.type === 'flip') {
      await flip(data.name, data.at)
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
