// A file system for SQLite whose files are images in memory. It has no journals and no locks of its own: SQLite keeps what
// it needs for a rollback in memory, and nobody else can open an image.
import type { Sqlite3Static, sqlite3_file, WasmPointer } from '@sqlite.org/sqlite-wasm'
import { pageBytes } from '../../../core/journal.ts'
import type { PageImage } from './page-image.ts'

/** By this name databases are opened on it. */
export const imageVfs = 'daybook-image'

const files = new WeakMap<Sqlite3Static, Map<string, PageImage>>()

/**
 * Makes `image` the file `path`, until the function it answers is called. Opening another path with this file system
 * fails: temporary files would be written to nowhere.
 */
export function mountImage(sqlite3: Sqlite3Static, path: string, image: PageImage): () => void {
  let mounted = files.get(sqlite3)
  if (!mounted) {
    mounted = new Map()
    files.set(sqlite3, mounted)
    install(sqlite3, mounted)
  }
  mounted.set(path, image)
  return () => void (mounted.get(path) === image && mounted.delete(path))
}

function install({ capi, wasm, vfs }: Sqlite3Static, mounted: ReadonlyMap<string, PageImage>): void {
  const opened = new Map<WasmPointer, PageImage>()
  // Taken anew each time: memory that grew has another buffer.
  const bytesAt = (pointer: WasmPointer, length: number) =>
    wasm.heap8u().subarray(pointer, pointer + length) as Uint8Array<ArrayBuffer>
  const imageAt = (name: WasmPointer) => mounted.get(wasm.cstrToJs(name) ?? '')
  /** `work` on an open file; what it throws (memory that can't be had) is an I/O error. */
  const onFile = (file: WasmPointer, fault: number, work: (image: PageImage) => number) => {
    const image = opened.get(file)
    try {
      return image ? work(image) : fault
    } catch {
      return fault
    }
  }
  // One for each method: a function stands in the module's table with one signature only.
  const nothing = () => () => 0

  // The package's types know only some of what these methods may answer.
  const io = Object.assign(new capi.sqlite3_io_methods(), { $iVersion: 1 })
  io.installMethods({
    xClose(file: WasmPointer) {
      opened.delete(file)
      return 0
    },
    xRead: (file: WasmPointer, into: WasmPointer, length: number, at: bigint) =>
      onFile(file, capi.SQLITE_IOERR_READ, (image) =>
        image.read(bytesAt(into, length), Number(at)) < length ? capi.SQLITE_IOERR_SHORT_READ : 0,
      ),
    xWrite: (file: WasmPointer, from: WasmPointer, length: number, at: bigint) =>
      onFile(file, capi.SQLITE_IOERR_WRITE, (image) => {
        image.write(bytesAt(from, length), Number(at))
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

  const { structInfo } = capi.sqlite3_file as unknown as Pick<sqlite3_file, 'structInfo'>
  const system = new capi.sqlite3_vfs()
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
      handle.$pMethods = io.pointer
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
      crypto.getRandomValues(bytesAt(out, length))
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

/** 1970-01-01 as a Julian day, and in its milliseconds (https://sqlite.org/lang_datefunc.html). */
const julianDay0 = 2_440_587.5
const julianMs0 = 210_866_760_000_000n
