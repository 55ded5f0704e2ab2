// A file handle with spare bytes behind the end of the database. A book uses them when the disk is full: a
// file can't grow then, but its own bytes can be overwritten. The pool is SQLite's VFS of access handles on OPFS
// (`installOpfsSAHPoolVfs`): it maps paths to files of its own.
// Invariants: SQLite never sees the spare bytes in the database, and ignores them in the log. Cut-off bytes
// are overwritten, so that no deleted data remains. The start of a log is made invalid before the rest of the
// log is overwritten.

/** A synchronous access handle of OPFS (https://fs.spec.whatwg.org/#api-filesystemsyncaccesshandle). */
export interface SyncHandle {
  read(buffer: AllowSharedBufferSource, options?: { at?: number }): number
  write(buffer: AllowSharedBufferSource, options?: { at?: number }): number
  truncate(size: number): void
  getSize(): number
  flush(): void
  close(): void
}

/** Path of the book's database in its pool. */
export const bookFile = '/book.sqlite3'
export const pageBytes = 4096
/**
 * Bytes of the header that the pool writes before each file: the file's name, padded with zeros, and more.
 */
export const poolHeaderBytes = 4096
/** Bytes of the name in that header: the file's path in the pool. */
const nameBytes = 512
/** Least and most bytes of a log that suffices to empty a full book in steps. */
const leastLog = 2 ** 18
const mostLog = 2 ** 21
/** Bytes of one write of random bytes. */
const pieceBytes = 2 ** 20
/** Most bytes of one call of `crypto.getRandomValues`. */
const randomBytes = 65_536

/** Least and most pages of the reserve for a full book, which is half of the book's pages. */
const leastPages = 64
const mostPages = 16_384
/**
 * Least and most pages that are allocated in advance, so that few commits allocate: half of the book's pages.
 */
const leastAhead = 64
const mostAhead = 1024

const clamp = (least: number, most: number, value: number) => Math.min(most, Math.max(least, value))

/**
 * Pages to reserve for a database of `pages`; `aheadPages`: pages to allocate in advance; `logBytes`: bytes
 * of its log.
 */
export const reservePages = (pages: number): number => clamp(leastPages, mostPages, pages >> 1)
export const aheadPages = (pages: number): number => clamp(leastAhead, mostAhead, pages >> 1)
export const logBytes = (pages: number): number => clamp(leastLog, mostLog, pages * (pageBytes + 1024))

/** The largest size of the file of a database that ends at `end`. */
function endWithSpare(end: number): number {
  const pages = Math.ceil(end / pageBytes)
  return end + (reservePages(pages) + aheadPages(pages)) * pageBytes
}

let piece: Uint8Array<ArrayBuffer> | undefined

/**
 * Random bytes, which no file system compresses. The first byte is 0, which makes a log invalid
 * (https://sqlite.org/fileformat.html#the_wal).
 */
function noise(): Uint8Array<ArrayBuffer> {
  if (piece) return piece
  piece = new Uint8Array(pieceBytes)
  for (let at = 0; at < pieceBytes; at += randomBytes)
    crypto.getRandomValues(piece.subarray(at, at + randomBytes))
  piece[0] = 0
  return piece
}

/**
 * Writes random bytes from `from` to `until`. Returns the end of the written bytes, which is lower on a full
 * disk.
 */
function fill(file: SyncHandle, from: number, until: number): number {
  let at = from
  try {
    while (at < until) {
      const written = file.write(noise().subarray(0, Math.min(pieceBytes, until - at)), { at })
      if (written <= 0) break
      at += written
    }
  } catch {
    // The disk or the quota is full.
  }
  return at
}

/**
 * The end of the database by its header, or the end of the file if the header is invalid
 * (fileformat.html#in_header_database_size).
 */
function endOf(file: SyncHandle): number {
  const size = file.getSize()
  const head = new DataView(new ArrayBuffer(100))
  if (file.read(head, { at: poolHeaderBytes }) < head.byteLength) return size
  // Offset 28: number of pages. It is valid if the change counter (24) is that of its last update (92).
  const end = poolHeaderBytes + head.getUint32(28) * pageBytes
  const isValid = head.getUint32(24) === head.getUint32(92) && end > poolHeaderBytes && end <= size
  return isValid ? end : size
}

/** A handle that manages spare bytes if its file is the database of a book or its log. */
export class ReservedHandle implements SyncHandle {
  readonly #file: SyncHandle
  #path: string | undefined
  /** The end of the database; undefined until the first use. */
  #end: number | undefined
  /** Bytes before this offset may come from an earlier owner tab, and contain deleted data until `wipe`. */
  #oldEnd = 0

  constructor(file: SyncHandle) {
    this.#file = file
  }

  /** The path of the file in the pool, read from the pool's header. */
  path(): string {
    if (this.#path !== undefined) return this.#path
    const start = new Uint8Array(nameBytes)
    this.#file.read(start, { at: 0 })
    this.#path = new TextDecoder().decode(start.subarray(0, Math.max(0, start.indexOf(0))))
    return this.#path
  }

  read(buffer: AllowSharedBufferSource, options?: { at?: number }): number {
    if (this.path() !== bookFile) return this.#file.read(buffer, options)
    const length = Math.max(0, this.getSize() - (options?.at ?? 0))
    if (length >= buffer.byteLength) return this.#file.read(buffer, options)
    const view = ArrayBuffer.isView(buffer) ? buffer : new Uint8Array(buffer as ArrayBuffer)
    return this.#file.read(new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset, length), options)
  }

  write(buffer: AllowSharedBufferSource, options?: { at?: number }): number {
    const at = options?.at ?? 0
    // The pool gives the file another path.
    if (at < nameBytes) {
      this.#path = this.#end = undefined
      return this.#file.write(buffer, options)
    }
    // Only the database has an end of its own. Each commit writes to the log, so its size is not read.
    if (this.path() !== bookFile) return this.#file.write(buffer, options)
    const before = this.getSize()
    const written = this.#file.write(buffer, options)
    if (this.#end !== undefined) this.#end = Math.max(before, at + written)
    return written
  }

  truncate(size: number): void {
    const isLog = this.path() === `${bookFile}-wal`
    if (this.path() === bookFile) this.#cutDatabase(size)
    else if (isLog && size === poolHeaderBytes && this.#file.getSize() > size) this.#emptyLog()
    else this.#file.truncate(size)
  }

  getSize(): number {
    if (this.path() !== bookFile) return this.#file.getSize()
    if (this.#end === undefined) {
      this.#end = endOf(this.#file)
      this.#oldEnd = this.#file.getSize()
    }
    return this.#end
  }

  flush(): void {
    this.#file.flush()
  }

  close(): void {
    this.#file.close()
  }

  /**
   * Allocates space so that the file has `bytes`. False if there is no space; then the file has its old size.
   */
  extend(bytes: number): boolean {
    this.getSize()
    const size = this.#file.getSize()
    if (size >= bytes) return true
    try {
      // Allocate all at once: Chromium keeps granted space until the handle is closed.
      this.#file.truncate(bytes)
    } catch {
      return false
    }
    if (fill(this.#file, size, bytes) >= bytes) return true
    this.#file.truncate(size)
    return false
  }

  /** Number of spare bytes; for a log, all bytes behind the pool's header. */
  spare(): number {
    return this.#file.getSize() - (this.path() === bookFile ? this.getSize() : poolHeaderBytes)
  }

  /** Overwrites the bytes behind the end of the database that may come from an earlier owner. */
  wipe(): void {
    const from = this.getSize()
    const until = Math.min(this.#oldEnd, this.#file.getSize())
    if (this.path() === bookFile && from < until) this.#overwrite(from, until)
    this.#oldEnd = from
  }

  /** Makes all bytes of the file readable, for a search for lost records. */
  showAll(): void {
    this.#end = this.#file.getSize()
  }

  /**
   * Overwrites bytes of the file with random bytes. False if a write fails; then the file is cut at `from`.
   */
  #overwrite(from: number, until: number): boolean {
    if (fill(this.#file, from, until) >= until) return true
    this.#file.truncate(from)
    return false
  }

  #cutDatabase(size: number): void {
    const before = this.getSize()
    const most = endWithSpare(size)
    if (size < before) this.#overwrite(size, Math.min(before, most))
    this.#end = size
    const sizeNow = this.#file.getSize()
    if (sizeNow > most || sizeNow < size) this.#file.truncate(Math.max(size, Math.min(most, sizeNow)))
  }

  /**
   * Makes the first page of the log invalid, flushes, then overwrites the rest: after a crash SQLite could
   * otherwise read old frames as the log.
   */
  #emptyLog(): void {
    const most = Math.min(this.#file.getSize(), poolHeaderBytes + mostLog)
    if (!this.#overwrite(poolHeaderBytes, Math.min(most, poolHeaderBytes + pageBytes))) return
    this.#file.flush()
    if (this.#overwrite(poolHeaderBytes, most) && this.#file.getSize() > most) this.#file.truncate(most)
  }
}
