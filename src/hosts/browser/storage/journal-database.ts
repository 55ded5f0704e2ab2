// A book's database without OPFS: SQLite in memory, and a journal that stores every commit before it is
// acknowledged.
import type { Sqlite3Static, sqlite3_file, WasmPointer } from '@sqlite.org/sqlite-wasm'
import { type Journal, pageBytes } from '../../../core/journal.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Scheduler } from '../../../core/ports.ts'
import { checkTable } from '../../../store/repair/damage.ts'
import { JournalKeeper } from './journal-keeper.ts'
import type { BookStorage } from './opfs-database.ts'
import { PageImage } from './page-image.ts'
import { createWasmDatabase } from './wasm-database.ts'

const pragmas = [
  // Must come first. SQLite's rollback journal is in memory; only the book's journal survives the process,
  // and it has whole commits only.
  'journal_mode = MEMORY',
  'locking_mode = EXCLUSIVE',
  'synchronous = OFF',
  // SQLite writes to the image only at a commit, not inside a transaction.
  'cache_spill = OFF',
  `page_size = ${pageBytes}`,
  'auto_vacuum = INCREMENTAL',
  // 8 MiB: a larger cache would hold pages that are in memory already.
  'cache_size = -8192',
  'foreign_keys = OFF',
  'secure_delete = FAST',
]
/**
 * Longest wait for the journal in `release`: a journal that doesn't answer must not block the next owner. It
 * can't write later: see `Journal`.
 */
const finishMs = 5000

/** SQLITE_CORRUPT (https://sqlite.org/rescode.html): the book is repaired. */
const corruptResult = 11

/** Number of opened images: each has a path of its own. */
let serial = 0

/**
 * Share of the free space that the book may use: IndexedDB keeps overwritten data for a while, and forgetting
 * needs space.
 */
const usableShare = 0.4

export interface JournalOptions {
  readonly scheduler: Pick<Scheduler, 'later'>
  /** Free bytes in the browser. Default: no limit. */
  readonly spaceBytes?: number
}

/** Opens the database of `journal`. */
export function openJournalDatabase(
  sqlite3: Sqlite3Static,
  journal: Journal,
  { scheduler, spaceBytes }: JournalOptions,
): BookStorage {
  const { sizeBytes, extents, changes } = journal.takeStored()
  const image = new PageImage(sizeBytes, extents, changes)
  if (!image.isWhole) {
    journal.close()
    throw new DaybookError('storage-failed', undefined, {
      cause: new Error('stored pages are not readable'),
      details: { result: corruptResult },
    })
  }
  const path = `/book-${++serial}.sqlite3`
  const unmount = mountImage(sqlite3, path, image)
  const limit = spaceBytes === undefined ? {} : { limitBytes: (spaceBytes + image.sizeBytes) * usableShare }
  // `changes` are in the image already; the keeper counts them as changed since the snapshot.
  const keeper = new JournalKeeper({ journal, sizeBytes, image, appended: changes }, { scheduler, ...limit })
  const release = () => {
    unmount()
    journal.close()
  }
  try {
    const handle = new sqlite3.oo1.DB(path, 'c', imageVfs)
    const db = createWasmDatabase(sqlite3, handle, {
      pragmas,
      // `settle` runs after each commit. It throws its own error, so there is no `failure` of a file.
      combiner: { settle: () => keeper.settle(), failure: undefined },
    })
    return {
      db: {
        ...db,
        settled: (effect) => keeper.settled(effect),
        scrub(target) {
          // The journal still has the deleted data: the commits of the scrub are stored as a new snapshot.
          keeper.rewrite()
          db.scrub(target)
        },
      },
      durability: 'indexeddb',
      check: (table) => checkTable(db, table),
      // Each change of the journal waits for the flush already.
      makeStrict: () => undefined,
      watchFault: (hear) => keeper.watchFault(hear),
      async release() {
        const timeout = Promise.withResolvers<void>()
        const cancel = scheduler.later(finishMs, timeout.resolve)
        await Promise.race([keeper.finish(), timeout.promise])
        cancel()
        release()
      },
    }
  } catch (error) {
    release()
    throw error
  }
}

// A file system (VFS) for SQLite, whose files are images in memory. It needs no journal files and no locks:
// SQLite keeps its rollback journal in memory, and only one connection opens an image.

/** Name of the VFS. */
const imageVfs = 'daybook-image'

const files = new WeakMap<Sqlite3Static, Map<string, PageImage>>()

/**
 * Adds `image` to the VFS as the file `path`; returns a function that removes it. SQLite can't open other
 * paths, so it creates no temporary files.
 */
function mountImage(sqlite3: Sqlite3Static, path: string, image: PageImage): () => void {
  let mounted = files.get(sqlite3)
  if (!mounted) {
    mounted = new Map()
    files.set(sqlite3, mounted)
    install(sqlite3, mounted)
  }
  mounted.set(path, image)
  return () => void (mounted.get(path) === image && mounted.delete(path))
}

function install(sqlite3: Sqlite3Static, mounted: ReadonlyMap<string, PageImage>): void {
  const { capi, wasm, vfs } = sqlite3
  const opened = new Map<WasmPointer, PageImage>()
  const methods = fileMethods(sqlite3, opened)
  const imageAt = (name: WasmPointer) => mounted.get(wasm.cstrToJs(name) ?? '')
  const { structInfo } = capi.sqlite3_file as unknown as Pick<sqlite3_file, 'structInfo'>
  const system = new capi.sqlite3_vfs()
  // 2: has `xCurrentTimeInt64`.
  system.$iVersion = 2
  system.$szOsFile = structInfo.sizeof
  system.$mxPathname = 256
  system.installMethods({
    // oxlint-disable-next-line max-params -- the signature is SQLite's
    xOpen(_vfs: WasmPointer, name: WasmPointer, file: WasmPointer, flags: number, outFlags: WasmPointer) {
      const image = imageAt(name)
      if (!image) return capi.SQLITE_CANTOPEN
      opened.set(file, image)
      const handle = new capi.sqlite3_file(file)
      handle.$pMethods = methods
      // Frees the wrapper only.
      handle.dispose()
      wasm.poke32(outFlags, flags)
      return 0
    },
    xDelete: nothing(),
    xAccess(_vfs: WasmPointer, name: WasmPointer, _flags: number, out: WasmPointer) {
      wasm.poke32(out, imageAt(name) ? 1 : 0)
      return 0
    },
    xFullPathname: (_vfs: WasmPointer, name: WasmPointer, length: number, out: WasmPointer) =>
      wasm.cstrncpy(out, name, length) < length ? 0 : capi.SQLITE_CANTOPEN,
    xRandomness(_vfs: WasmPointer, length: number, out: WasmPointer) {
      crypto.getRandomValues(bytesAt(sqlite3, out, length))
      return length
    },
    xSleep: nothing(),
    xCurrentTime(_vfs: WasmPointer, out: WasmPointer) {
      wasm.poke64f(out, julianDay0 + Date.now() / 86_400_000)
      return 0
    },
    xCurrentTimeInt64(_vfs: WasmPointer, out: WasmPointer) {
      wasm.poke64(out, julianMs0 + BigInt(Date.now()))
      return 0
    },
    xGetLastError: nothing(),
  })
  vfs.installVfs({ vfs: { struct: system, name: imageVfs, methods: {} } })
}

/** Pointer to SQLite's table of the methods of an open file. */
function fileMethods(sqlite3: Sqlite3Static, opened: Map<WasmPointer, PageImage>): WasmPointer {
  const { capi, wasm } = sqlite3
  /** Runs `work` on an open file. An exception, such as out of memory, becomes the I/O error `fault`. */
  const onFile = (file: WasmPointer, fault: number, work: (image: PageImage) => number) => {
    const image = opened.get(file)
    try {
      return image ? work(image) : fault
    } catch {
      return fault
    }
  }
  // The types of the package lack some of the methods. Version 1 has no shared memory.
  const io = Object.assign(new capi.sqlite3_io_methods(), { $iVersion: 1 })
  io.installMethods({
    xClose(file: WasmPointer) {
      opened.delete(file)
      return 0
    },
    xRead: (file: WasmPointer, into: WasmPointer, length: number, at: bigint) =>
      onFile(file, capi.SQLITE_IOERR_READ, (image) =>
        image.read(bytesAt(sqlite3, into, length), Number(at)) < length ? capi.SQLITE_IOERR_SHORT_READ : 0,
      ),
    xWrite: (file: WasmPointer, from: WasmPointer, length: number, at: bigint) =>
      onFile(file, capi.SQLITE_IOERR_WRITE, (image) => {
        image.write(bytesAt(sqlite3, from, length), Number(at))
        return 0
      }),
    xTruncate: (file: WasmPointer, size: bigint) =>
      onFile(file, capi.SQLITE_IOERR_TRUNCATE, (image) => {
        image.truncate(Number(size))
        return 0
      }),
    xSync: nothing(),
    xFileSize: (file: WasmPointer, out: WasmPointer) =>
      onFile(file, capi.SQLITE_IOERR_FSTAT, (image) => {
        wasm.poke64(out, BigInt(image.sizeBytes))
        return 0
      }),
    xLock: nothing(),
    xUnlock: nothing(),
    xCheckReservedLock(_file: WasmPointer, out: WasmPointer) {
      wasm.poke32(out, 0)
      return 0
    },
    xFileControl: () => capi.SQLITE_NOTFOUND,
    xSectorSize: () => pageBytes,
    xDeviceCharacteristics: nothing(),
  })
  return io.pointer
}

/** Makes a new function for each method, because a function has only one signature in the WASM table. */
const nothing = () => () => 0

/** Bytes of the WASM memory. Don't keep the result: growing memory replaces the buffer. */
const bytesAt = ({ wasm }: Sqlite3Static, pointer: WasmPointer, length: number) =>
  wasm.heap8u().subarray(pointer, pointer + length) as Uint8Array<ArrayBuffer>

/**
 * 1970-01-01 as a Julian day, and as milliseconds of the Julian period
 * (https://sqlite.org/lang_datefunc.html).
 */
const julianDay0 = 2_440_587.5
const julianMs0 = 210_866_760_000_000n
