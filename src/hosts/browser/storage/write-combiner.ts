// Combines adjacent writes: SQLite writes its log in many small pieces, and each costs a call into the browser.
// Invariants: the file gets the same bytes in the same order as without it, and all of them when `settle` returns. Only the
// newest run of adjacent writes is buffered, and every operation that could show a difference settles it first. A commit that
// the file has no space for is refused while SQLite can still undo it.
import { poolHeaderBytes, ReservedHandle, type SyncHandle } from './reserved-handle.ts'

/** Most buffered bytes; longer runs are written in pieces of this size. */
const bufferBytes = 1 << 20
/** Header of a frame in the log (https://sqlite.org/fileformat.html#wal_frame_header), before its page. */
const frameHeaderBytes = 24
const leastPageBytes = 512

export class WriteCombiner {
  readonly #buffer = new Uint8Array(bufferBytes)
  readonly #handles = new Set<ReservedHandle>()
  /** The handle whose writes are buffered, with their place and length. */
  #owner: ReservedHandle | undefined
  #at = 0
  #length = 0
  #failure: unknown
  /** The last write was the header of a frame that commits: the database then has so many pages. */
  #committing = 0
  #guarded: { readonly log: string; readonly admit: (pages: number) => boolean } | undefined

  /** Why the file did not accept the buffered writes. */
  get failure(): unknown {
    return this.#failure
  }

  /** A handle over `file` whose adjacent writes are combined. */
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

  /** Writes the buffer to the file. Throws if the file did not accept all of it; the buffer stays for another try. */
  settle(): void {
    if (this.#owner === undefined) {
      this.#failure = undefined
      return
    }
    try {
      const length = this.#length
      const written = this.#owner.write(this.#buffer.subarray(0, length), { at: this.#at })
      // The standard allows a short write only if there is no more space.
      if (written !== length)
        throw new DOMException(`The file took ${written} of ${length} bytes.`, 'QuotaExceededError')
    } catch (error) {
      this.#failure = error
      throw error
    }
    this.#forget()
    this.#failure = undefined
  }

  /** Allocates `bytes` for the file at `path` of the pool, behind its end. */
  reserve(path: string, bytes: number): boolean {
    return this.#handleOf(path)?.extend(bytes) ?? false
  }

  /** Bytes of the file at `path` without the pool's header; 0 for a missing file. */
  sizeOf(path: string): number {
    return Math.max(0, (this.#handleOf(path)?.getSize() ?? 0) - poolHeaderBytes)
  }

  /** Bytes of the file at `path` that SQLite doesn't need; all of them for a log. */
  spare(path: string): number {
    return this.#handleOf(path)?.spare() ?? 0
  }

  /** Overwrites old data behind the end of the file at `path`. */
  wipe(path: string): void {
    this.#handleOf(path)?.wipe()
  }

  /** Exposes all bytes of the file at `path`. */
  showAll(path: string): void {
    this.#handleOf(path)?.showAll()
  }

  /** Commits to the database at `path` need the consent of `admit`, which gets the pages after the commit. */
  guard(path: string, admit: (pages: number) => boolean): void {
    this.#guarded = { log: `${path}-wal`, admit }
  }

  unguard(): void {
    this.#guarded = undefined
  }

  #handleOf(path: string): ReservedHandle | undefined {
    return [...this.#handles].find((handle) => handle.path() === path)
  }

  #isRefused(handle: ReservedHandle, pages: number): boolean {
    return this.#guarded !== undefined && handle.path() === this.#guarded.log && !this.#guarded.admit(pages)
  }

  #forget(): void {
    this.#owner = undefined
    this.#length = 0
    this.#committing = 0
  }

  /**
   * Settles inside a call of SQLite, which gets the error. If the file had to grow, drop the buffer: SQLite doesn't count on
   * that commit, and undoes it or copies it to the database again; keeping it would block changes that free space.
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
    // Even before the buffered run the file may be shorter than it will be.
    if (this.#owner !== handle || position >= this.#at + this.#length)
      return handle.read(buffer, { at: position })
    try {
      this.settle()
    } catch {
      return this.#readThrough(handle, toBytes(buffer), position)
    }
    return handle.read(buffer, { at: position })
  }

  /** Reads as if the buffer were written. */
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
      // The writer got the error already. The worker's other handles must be closed all the same.
      this.#forget()
    }
    this.#handles.delete(handle)
    handle.close()
  }
}

/** Pages of the database after a commit, from the header of its last frame; 0 in other frames. */
const pagesAfter = (bytes: Uint8Array) =>
  bytes.length === frameHeaderBytes ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(4) : 0

/** The pool also writes checksums, as 32-bit words: use their bytes. */
function toBytes(buffer: AllowSharedBufferSource): Uint8Array<ArrayBuffer> {
  if (!ArrayBuffer.isView(buffer)) return new Uint8Array(buffer as ArrayBuffer)
  return new Uint8Array(buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.byteLength)
}

interface HandlePrototype {
  createSyncAccessHandle?: (this: object, ...args: unknown[]) => Promise<SyncHandle>
}

/**
 * Makes every handle that this worker opens from now on go through `combiner`, because the pool opens its
 * own.
 */
export function combineHandles(combiner: Pick<WriteCombiner, 'wrap'>): void {
  const prototype = globalThis.FileSystemFileHandle?.prototype as HandlePrototype | undefined
  const create = prototype?.createSyncAccessHandle
  if (!prototype || !create) return
  prototype.createSyncAccessHandle = async function (...args) {
    return combiner.wrap(await create.apply(this, args))
  }
}
