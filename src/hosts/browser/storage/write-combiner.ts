// Combines adjacent writes: SQLite writes its log in many small pieces, and each piece costs a call of the
// browser.
// Invariants: the file gets the same bytes in the same order as without the combiner, and has all bytes when
// `settle` returns. Only the newest run of adjacent writes is buffered, and every operation that could show a
// difference writes the buffer first. A commit without space in the file is refused while SQLite can still
// undo it.
import { poolHeaderBytes, ReservedHandle, type SyncHandle } from './reserved-handle.ts'

/** Most buffered bytes; a write that doesn't fit writes the buffer first. */
const bufferBytes = 1 << 20
/** Bytes of the header before each page in the log (https://sqlite.org/fileformat.html#wal_frame_header). */
const frameHeaderBytes = 24
/** SQLite's smallest page: a shorter write is no page of a frame. */
const leastPageBytes = 512

export class WriteCombiner {
  readonly #buffer = new Uint8Array(bufferBytes)
  readonly #handles = new Set<ReservedHandle>()
  /** The handle whose writes are buffered, the offset of the buffer in its file, and the buffer's length. */
  #owner: ReservedHandle | undefined
  #at = 0
  #length = 0
  #failure: unknown
  /**
   * If the last write was the header of a frame that commits: pages of the database after the commit.
   * Otherwise 0.
   */
  #committing = 0
  /** The log whose commits `admit` must allow: see `guard`. */
  #guarded: { readonly log: string; readonly admit: (pages: number) => boolean } | undefined

  /** Why the file refused the last write of the buffer; undefined after success. */
  get failure(): unknown {
    return this.#failure
  }

  /** Returns a handle of `file` that combines adjacent writes. */
  wrap(file: SyncHandle): SyncHandle {
    const handle = new ReservedHandle(file)
    this.#handles.add(handle)
    return {
      read: (buffer, { at = 0 } = {}) => this.#read(handle, buffer, at),
      write: (buffer, { at = 0 } = {}) => this.#write(handle, toBytes(buffer), at),
      truncate: (size) => {
        this.#settleWithin()
        handle.truncate(size)
      },
      getSize: () => {
        if (this.#owner === handle) this.#settleWithin()
        return handle.getSize()
      },
      flush: () => {
        this.#settleWithin()
        handle.flush()
      },
      close: () => this.#close(handle),
    }
  }

  /**
   * Writes the buffer to the file. Throws if the file didn't accept all bytes; the buffer stays for the next
   * `settle`.
   */
  settle(): void {
    if (this.#owner === undefined) {
      this.#failure = undefined
      return
    }
    try {
      const length = this.#length
      const written = this.#owner.write(this.#buffer.subarray(0, length), { at: this.#at })
      // By the standard, a short write means that there is no more space.
      if (written !== length)
        throw new DOMException(`The file took ${written} of ${length} bytes.`, 'QuotaExceededError')
    } catch (error) {
      this.#failure = error
      throw error
    }
    this.#forget()
    this.#failure = undefined
  }

  /**
   * Allocates space so that the file at `path` has `bytes`, with the pool's header. False if there is no
   * space, or no such file.
   */
  reserve(path: string, bytes: number): boolean {
    return this.#handleOf(path)?.extend(bytes) ?? false
  }

  /** Bytes of the file at `path` without the pool's header; 0 for a missing file. */
  sizeOf(path: string): number {
    return Math.max(0, (this.#handleOf(path)?.getSize() ?? 0) - poolHeaderBytes)
  }

  /** Spare bytes of the file at `path`; for a log all bytes behind the pool's header. */
  spare(path: string): number {
    return this.#handleOf(path)?.spare() ?? 0
  }

  /** Overwrites the old data behind the end of the database at `path`. */
  wipe(path: string): void {
    this.#handleOf(path)?.wipe()
  }

  /** Makes all bytes of the file at `path` readable. */
  showAll(path: string): void {
    this.#handleOf(path)?.showAll()
  }

  /**
   * Calls `admit` before each commit to the log of the database at `path`, with the pages of the database
   * after the commit. False refuses the commit as on a full disk.
   */
  guard(path: string, admit: (pages: number) => boolean): void {
    this.#guarded = { log: `${path}-wal`, admit }
  }

  /** Ends `guard`. */
  unguard(): void {
    this.#guarded = undefined
  }

  #handleOf(path: string): ReservedHandle | undefined {
    return [...this.#handles].find((handle) => handle.path() === path)
  }

  #isRefused(handle: ReservedHandle, pages: number): boolean {
    return this.#guarded !== undefined && handle.path() === this.#guarded.log && !this.#guarded.admit(pages)
  }

  /** Drops the buffer. */
  #forget(): void {
    this.#owner = undefined
    this.#length = 0
    this.#committing = 0
  }

  /**
   * Like `settle`, inside a call of SQLite, which gets the error. If the file had to grow, it drops the
   * buffer: SQLite undoes that commit or copies it to the database again, and the buffer would block changes
   * that free space.
   */
  #settleWithin(): void {
    try {
      this.settle()
    } catch (error) {
      if (this.#owner && this.#at + this.#length > this.#owner.getSize()) this.#forget()
      throw error
    }
  }

  #write(handle: ReservedHandle, bytes: Uint8Array<ArrayBuffer>, position: number): number {
    const follows = this.#owner === handle && position === this.#at + this.#length
    // The page of a frame that commits: the pages of the database after the commit; otherwise 0.
    const commits = follows && bytes.length >= leastPageBytes ? this.#committing : 0
    if (commits > 0 && this.#isRefused(handle, commits)) {
      this.#forget()
      throw (this.#failure = new DOMException('There is no room for the pages.', 'QuotaExceededError'))
    }
    const adjacent = follows && this.#length + bytes.length <= bufferBytes
    if (!adjacent) this.#settleWithin()
    if (bytes.length > bufferBytes) return handle.write(bytes, { at: position })
    if (!adjacent) {
      this.#owner = handle
      this.#at = position
    }
    this.#buffer.set(bytes, this.#length)
    this.#length += bytes.length
    this.#committing = pagesAfter(bytes)
    if (commits > 0) this.#settleWithin()
    return bytes.length
  }

  #read(handle: ReservedHandle, buffer: AllowSharedBufferSource, position: number): number {
    // A read before the buffered bytes may reach into them, so it writes the buffer first.
    if (this.#owner !== handle || position >= this.#at + this.#length)
      return handle.read(buffer, { at: position })
    try {
      this.settle()
    } catch {
      return this.#readThrough(handle, toBytes(buffer), position)
    }
    return handle.read(buffer, { at: position })
  }

  /** Reads the file, with the buffer in place of the bytes that could not be written. */
  #readThrough(handle: ReservedHandle, into: Uint8Array<ArrayBuffer>, position: number): number {
    const end = Math.min(position + into.length, this.#at + this.#length)
    into.fill(0, handle.read(into, { at: position }))
    const from = Math.max(position, this.#at)
    if (from < end) into.set(this.#buffer.subarray(from - this.#at, end - this.#at), from - position)
    return Math.max(end - position, Math.min(into.length, handle.getSize() - position))
  }

  #close(handle: ReservedHandle): void {
    try {
      if (this.#owner === handle) this.#settleWithin()
    } catch {
      // The writer has the error already, and the other handles of the worker must still be closed.
      this.#forget()
    }
    this.#handles.delete(handle)
    handle.close()
  }
}

/**
 * Pages of the database after the commit (offset 4), if `bytes` is the header of a commit frame; otherwise 0.
 */
const pagesAfter = (bytes: Uint8Array) =>
  bytes.length === frameHeaderBytes ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(4) : 0

/** The bytes of a buffer of any type: the pool also writes 32-bit words, its checksums. */
function toBytes(buffer: AllowSharedBufferSource): Uint8Array<ArrayBuffer> {
  if (!ArrayBuffer.isView(buffer)) return new Uint8Array(buffer as ArrayBuffer)
  return new Uint8Array(buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.byteLength)
}

interface HandlePrototype {
  createSyncAccessHandle?: (this: object, ...args: unknown[]) => Promise<SyncHandle>
}

/**
 * Wraps every access handle that this worker opens from now on in `combiner`, because the pool opens its
 * handles itself.
 */
export function combineHandles(combiner: Pick<WriteCombiner, 'wrap'>): void {
  const prototype = globalThis.FileSystemFileHandle?.prototype as HandlePrototype | undefined
  const create = prototype?.createSyncAccessHandle
  if (!prototype || !create) return
  prototype.createSyncAccessHandle = async function (...args) {
    return combiner.wrap(await create.apply(this, args))
  }
}
