// SQLite writes its log in many small pieces, and each costs a call into the browser. This puts neighbours together.
// Invariant: the file sees the same bytes in the same order as without it, and all of them when `settle` returns.
// Only the newest run of adjacent writes is ever held back, and anything that could tell the difference settles it first.
// And a commit that the file has no space for is refused while SQLite can still undo it.

import { poolHeaderBytes, type SyncHandle, type TailedHandle, withTail } from './kept-tail.ts'

export interface WriteCombiner {
  /** A handle over `file` whose adjacent writes reach it together. */
  wrap(file: SyncHandle): SyncHandle
  /** Hands over what is held back. Throws when the file did not take all of it; it is then kept and tried again. */
  settle(): void
  /** Why the file did not take what is held back. */
  readonly failure: unknown
  /** Takes space for `bytes` in the file that the pool calls `path`, behind its end, which stays where it is. */
  reserve(path: string, bytes: number): boolean
  /** Bytes of the file that the pool calls `path`, without what the pool writes before them; 0 where there is none. */
  sizeOf(path: string): number
  /** Bytes that the file at `path` has beyond those that SQLite needs; all of them if it is a log. */
  spare(path: string): number
  /** Writes over what may be left behind the end of the file at `path`. */
  wipe(path: string): void
  /** From now on the end of the file at `path` is that of all its bytes. */
  showAll(path: string): void
  /** From now on a commit to the database at `path` is made only if `admit` says so of the pages that it has then. */
  guard(path: string, admit: (pages: number) => boolean): void
  /** The end of that. */
  unguard(): void
}

/** Most bytes held back; longer runs are written in pieces of this size. */
const heldBytes = 1 << 20
/** Of a frame of the log (https://sqlite.org/fileformat.html#wal_frame_header): then comes the page. */
const frameHeaderBytes = 24
const leastPageBytes = 512

export function createWriteCombiner(): WriteCombiner {
  const held = new Uint8Array(heldBytes)
  let owner: TailedHandle | undefined
  let at = 0
  let length = 0
  let failure: unknown
  /** The last write was the header of a frame that commits; after it the database has so many pages. */
  let committing = 0
  const handles = new Set<TailedHandle>()
  let guarded: { readonly log: string; readonly admit: (pages: number) => boolean } | undefined

  const handleOf = (path: string) => [...handles].find((handle) => handle.path() === path)
  const isRefused = (handle: TailedHandle, pages: number) =>
    guarded !== undefined && handle.path() === guarded.log && !guarded.admit(pages)

  const forget = () => {
    owner = undefined
    length = 0
    committing = 0
  }

  const settle = () => {
    if (owner === undefined) {
      failure = undefined
      return
    }
    try {
      const written = owner.write(held.subarray(0, length), { at })
      // The standard lets a browser write less than it was given only where there is no more space.
      if (written !== length)
        throw new DOMException(`The file took ${written} of ${length} bytes.`, 'QuotaExceededError')
    } catch (error) {
      failure = error
      throw error
    }
    forget()
    failure = undefined
  }

  /**
   * The same inside a call of SQLite's, which hears of the failure. What the file had to grow for is of no commit that
   * SQLite believes in: it undoes that, or copies it to the database again, and keeping it would only block what makes space.
   */
  const settleWithin = () => {
    try {
      settle()
    } catch (error) {
      if (owner && at + length > owner.getSize()) forget()
      throw error
    }
  }

  /** Reads what the file will say once it has taken what is held back. */
  const readThrough = (handle: TailedHandle, into: Uint8Array<ArrayBuffer>, position: number): number => {
    const end = Math.min(position + into.length, at + length)
    into.fill(0, handle.read(into, { at: position }))
    const from = Math.max(position, at)
    if (from < end) into.set(held.subarray(from - at, end - at), from - position)
    return Math.max(end - position, Math.min(into.length, handle.getSize() - position))
  }

  const wrap = (file: SyncHandle): SyncHandle => {
    const handle = withTail(file)
    handles.add(handle)
    const settleOwn = () => {
      if (owner === handle) settleWithin()
    }
    return {
      write(buffer, { at: position = 0 } = {}) {
        const bytes = toBytes(buffer)
        const follows = owner === handle && position === at + length
        const commits = follows && bytes.length >= leastPageBytes ? committing : 0
        if (commits > 0 && isRefused(handle, commits)) {
          forget()
          throw (failure = new DOMException('There is no room for the pages.', 'QuotaExceededError'))
        }
        const adjacent = follows && length + bytes.length <= heldBytes
        if (!adjacent) settleWithin()
        if (bytes.length > heldBytes) return handle.write(bytes, { at: position })
        if (!adjacent) {
          owner = handle
          at = position
        }
        held.set(bytes, length)
        length += bytes.length
        committing = pagesAfter(bytes)
        if (commits > 0) settleWithin()
        return bytes.length
      },
      read(buffer, { at: position = 0 } = {}) {
        // Even before the held run the file may be shorter than it is meant to be.
        if (owner !== handle || position >= at + length) return handle.read(buffer, { at: position })
        try {
          settle()
        } catch {
          return readThrough(handle, toBytes(buffer), position)
        }
        return handle.read(buffer, { at: position })
      },
      truncate(size) {
        settleWithin()
        handle.truncate(size)
      },
      getSize() {
        settleOwn()
        return handle.getSize()
      },
      flush() {
        settleWithin()
        handle.flush()
      },
      close() {
        try {
          settleOwn()
        } catch {
          // Whoever wrote it was told that it failed. The other handles of this worker must be closed all the same.
          forget()
        }
        handles.delete(handle)
        handle.close()
      },
    }
  }

  return {
    wrap,
    settle,
    get failure() {
      return failure
    },
    reserve: (path, bytes) => handleOf(path)?.extend(bytes) ?? false,
    sizeOf: (path) => Math.max(0, (handleOf(path)?.getSize() ?? 0) - poolHeaderBytes),
    spare: (path) => handleOf(path)?.spare() ?? 0,
    wipe: (path) => handleOf(path)?.wipe(),
    showAll: (path) => handleOf(path)?.showAll(),
    guard(path, admit) {
      guarded = { log: `${path}-wal`, admit }
    },
    unguard() {
      guarded = undefined
    },
  }
}

/** How many pages the database has after a commit: the header of its last frame says so, the others say 0. */
const pagesAfter = (bytes: Uint8Array) =>
  bytes.length === frameHeaderBytes ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(4) : 0

/** The pool also writes its checksums, as 32-bit words: what counts is their bytes. */
function toBytes(buffer: AllowSharedBufferSource): Uint8Array<ArrayBuffer> {
  if (!ArrayBuffer.isView(buffer)) return new Uint8Array(buffer as ArrayBuffer)
  return new Uint8Array(buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.byteLength)
}

interface HandlePrototype {
  createSyncAccessHandle?: (this: object, ...args: unknown[]) => Promise<SyncHandle>
}

/** Makes every handle that this worker opens from now on go through `combiner`: the pool opens its own. */
export function combineHandles(combiner: WriteCombiner): void {
  const prototype = globalThis.FileSystemFileHandle?.prototype as HandlePrototype | undefined
  const create = prototype?.createSyncAccessHandle
  if (!prototype || !create) return
  prototype.createSyncAccessHandle = async function (...args) {
    return combiner.wrap(await create.apply(this, args))
  }
}
