// Bytes behind the end of a book's files, which the book writes over when the disk is full: a file that grows needs the
// disk and the browser to agree, one that has its bytes already needs neither.
// Invariants: SQLite never sees them in the database, and reads nothing into them in the log; what was cut off is written
// over, so that nothing that was deleted stands in them; a log is invalid before anything else of it is written over.

/** What OPFS gives a worker (https://fs.spec.whatwg.org/#api-filesystemsyncaccesshandle). */
export interface SyncHandle {
  read(buffer: AllowSharedBufferSource, options?: { at?: number }): number
  write(buffer: AllowSharedBufferSource, options?: { at?: number }): number
  truncate(size: number): void
  getSize(): number
  flush(): void
  close(): void
}

export interface TailedHandle extends SyncHandle {
  /** As which file of the pool it is used. */
  path(): string
  /** Sees to it that the file has `bytes` on the disk, and answers whether it has; if not, nothing of the disk was taken. */
  extend(bytes: number): boolean
  /** Bytes that it has beyond those that SQLite needs. */
  spare(): number
  /** Writes over what an earlier owner may have left behind the end. */
  wipe(): void
  /** From now on the end is that of the file, for who looks for what the database lost. */
  showAll(): void
}

export const bookFile = '/book.sqlite3'
export const pageBytes = 4096
/** What the pool writes before the bytes of a file: its name, filled up with zeros, and more. */
export const poolHeaderBytes = 4096
const nameBytes = 512
/** A log of these is enough for the steps in which a full book is emptied: for as many pages as the book has, within them. */
const leastLog = 2 ** 18
const mostLog = 2 ** 21
const pieceBytes = 2 ** 20
const randomBytes = 65_536

/** Kept back for what a full book must still be able to do: half as much as it has, within these. */
const leastPages = 64
const mostPages = 16_384
/** Taken beyond that, so that it is not taken at each commit: half as much as it has once more, within these. */
const leastAhead = 64
const mostAhead = 1024

const within = (least: number, most: number, value: number) => Math.min(most, Math.max(least, value))

export const keptPages = (pages: number): number => within(leastPages, mostPages, pages >> 1)
export const aheadPages = (pages: number): number => within(leastAhead, mostAhead, pages >> 1)
export const logBytes = (pages: number): number => within(leastLog, mostLog, pages * (pageBytes + 1024))

function endWithTail(end: number): number {
  const pages = Math.ceil(end / pageBytes)
  return end + (keptPages(pages) + aheadPages(pages)) * pageBytes
}

let piece: Uint8Array<ArrayBuffer> | undefined

/** Bytes that no file system makes smaller; the first is that of no log (https://sqlite.org/fileformat.html#the_wal). */
function noise(): Uint8Array<ArrayBuffer> {
  if (piece) return piece
  piece = new Uint8Array(pieceBytes)
  for (let at = 0; at < pieceBytes; at += randomBytes)
    crypto.getRandomValues(piece.subarray(at, at + randomBytes))
  piece[0] = 0
  return piece
}

/** Writes noise from `from` until `until`; answers how far it came. */
function fill(file: SyncHandle, from: number, until: number): number {
  let at = from
  try {
    while (at < until) {
      const written = file.write(noise().subarray(0, Math.min(pieceBytes, until - at)), { at })
      if (written <= 0) break
      at += written
    }
  } catch {
    // A full disk or a full quota: as far as it came.
  }
  return at
}

/** The end of a database by its own header, or of the file where that says nothing (fileformat.html#in_header_database_size). */
function endOf(file: SyncHandle): number {
  const size = file.getSize()
  const head = new DataView(new ArrayBuffer(100))
  if (file.read(head, { at: poolHeaderBytes }) < head.byteLength) return size
  const end = poolHeaderBytes + head.getUint32(28) * pageBytes
  const isValid = head.getUint32(24) === head.getUint32(92) && end > poolHeaderBytes && end <= size
  return isValid ? end : size
}

/** `file` with a tail, while it is the database of a book or its log. */
export function withTail(file: SyncHandle): TailedHandle {
  let known: string | undefined
  /** Of the database; undefined until it is needed. */
  let end: number | undefined
  /** So far an earlier owner may have left something. */
  let soiled = 0

  const path = (): string => {
    if (known !== undefined) return known
    const start = new Uint8Array(nameBytes)
    file.read(start, { at: 0 })
    known = new TextDecoder().decode(start.subarray(0, Math.max(0, start.indexOf(0))))
    return known
  }
  const endNow = (): number => {
    if (path() !== bookFile) return file.getSize()
    if (end === undefined) {
      end = endOf(file)
      soiled = file.getSize()
    }
    return end
  }
  /** Where the disk takes not even that, the file is cut off there: false. */
  const writeOver = (from: number, until: number) => {
    if (fill(file, from, until) >= until) return true
    file.truncate(from)
    return false
  }

  const cutDatabase = (size: number) => {
    const was = endNow()
    const most = endWithTail(size)
    if (size < was) writeOver(size, Math.min(was, most))
    end = size
    const sizeNow = file.getSize()
    if (sizeNow > most || sizeNow < size) file.truncate(Math.max(size, Math.min(most, sizeNow)))
  }
  /** What a crash leaves of a log that is valid would be taken for all of it. */
  const emptyLog = () => {
    const most = Math.min(file.getSize(), poolHeaderBytes + mostLog)
    if (!writeOver(poolHeaderBytes, Math.min(most, poolHeaderBytes + pageBytes))) return
    file.flush()
    if (writeOver(poolHeaderBytes, most) && file.getSize() > most) file.truncate(most)
  }

  return {
    path,
    read(buffer, options) {
      if (path() !== bookFile) return file.read(buffer, options)
      const left = Math.max(0, endNow() - (options?.at ?? 0))
      if (left >= buffer.byteLength) return file.read(buffer, options)
      const view = ArrayBuffer.isView(buffer) ? buffer : new Uint8Array(buffer as ArrayBuffer)
      return file.read(new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset, left), options)
    },
    write(buffer, options) {
      const at = options?.at ?? 0
      if (at < nameBytes) {
        known = end = undefined
        return file.write(buffer, options)
      }
      const was = endNow()
      const written = file.write(buffer, options)
      if (end !== undefined) end = Math.max(was, at + written)
      return written
    },
    truncate(size) {
      if (path() === bookFile) cutDatabase(size)
      else if (path() === `${bookFile}-wal` && size === poolHeaderBytes && file.getSize() > size) emptyLog()
      else file.truncate(size)
    },
    getSize: endNow,
    flush: () => file.flush(),
    close: () => file.close(),
    extend(bytes) {
      endNow()
      const size = file.getSize()
      if (size >= bytes) return true
      try {
        // All of it or nothing: Chromium keeps what it has granted until the handle is closed.
        file.truncate(bytes)
      } catch {
        return false
      }
      if (fill(file, size, bytes) >= bytes) return true
      file.truncate(size)
      return false
    },
    spare: () => file.getSize() - (path() === bookFile ? endNow() : poolHeaderBytes),
    wipe() {
      const from = endNow()
      const until = Math.min(soiled, file.getSize())
      if (path() === bookFile && from < until) writeOver(from, until)
      soiled = from
    },
    showAll: () => void (end = file.getSize()),
  }
}
