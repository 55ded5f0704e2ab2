// The bytes of a database in memory, in extents, with a list of the pages that changed.
// Invariant: every page whose bytes or length differ from what was last taken is on the list.
import { extentBytes, pageBytes, type PageChange } from '../../../core/journal.ts'

export interface PageImage {
  readonly sizeBytes: number
  /** Something changed since it was last taken. */
  readonly isChanged: boolean
  /** Fills `into` from `at` on and answers how many bytes there were; the rest becomes zeros. */
  read(into: Uint8Array, at: number): number
  write(bytes: Uint8Array, at: number): void
  truncate(sizeBytes: number): void
  /** The changes since they were last taken. They count as taken from now on. */
  take(): PageChange
  /** What was taken was not kept: it counts as changed again. */
  giveBack(numbers: readonly number[]): void
  /** An extent as it is, the last one as long as the database. Not a copy. */
  extent(index: number): Uint8Array<ArrayBuffer>
}

/** An image of what was kept: `extents` in their order, then `changes` in theirs. */
export function createPageImage(
  sizeBytes = 0,
  kept: readonly Uint8Array[] = [],
  changes: readonly PageChange[] = [],
): PageImage {
  const extents: Uint8Array<ArrayBuffer>[] = []
  const changed = new Set<number>()
  let size = 0
  let isResized = false

  const grow = (bytes: number) => {
    while (extents.length * extentBytes < bytes) extents.push(new Uint8Array(extentBytes))
    size = bytes
    isResized = true
  }

  /** Calls `visit` with each piece of an extent that bytes from `at` on fall into. */
  const eachPiece = (at: number, length: number, visit: (piece: Uint8Array, done: number) => void) => {
    for (let done = 0; done < length;) {
      const within = (at + done) % extentBytes
      const part = Math.min(length - done, extentBytes - within)
      const extent = extents[Math.floor((at + done) / extentBytes)]
      if (!extent) throw new RangeError(`The image has no byte ${at + done}.`)
      visit(extent.subarray(within, within + part), done)
      done += part
    }
  }

  const put = (bytes: Uint8Array, at: number) => {
    if (at + bytes.length > size) grow(at + bytes.length)
    eachPiece(at, bytes.length, (piece, done) => piece.set(bytes.subarray(done, done + piece.length)))
  }

  const cut = (bytes: number) => {
    if (bytes > size) return grow(bytes)
    // What was cut off must not come back with zeros expected in its place, nor stand in a snapshot.
    extents.length = Math.ceil(bytes / extentBytes)
    extents.at(-1)?.fill(0, bytes - (extents.length - 1) * extentBytes)
    size = bytes
    isResized = true
  }

  grow(sizeBytes)
  kept.forEach((extent, index) =>
    put(extent.subarray(0, sizeBytes - index * extentBytes), index * extentBytes),
  )
  for (const change of changes) {
    cut(change.sizeBytes)
    change.numbers.forEach((number, i) => {
      const bytes = change.bytes.subarray(i * pageBytes, (i + 1) * pageBytes)
      put(bytes.subarray(0, change.sizeBytes - number * pageBytes), number * pageBytes)
    })
  }
  isResized = false

  return {
    get sizeBytes() {
      return size
    },
    get isChanged() {
      return isResized || changed.size > 0
    },
    read(into, at) {
      const length = Math.max(0, Math.min(into.length, size - at))
      eachPiece(at, length, (piece, done) => into.set(piece, done))
      into.fill(0, length)
      return length
    },
    write(bytes, at) {
      put(bytes, at)
      const last = Math.floor((at + bytes.length - 1) / pageBytes)
      for (let number = Math.floor(at / pageBytes); number <= last; number++) changed.add(number)
    },
    truncate(bytes) {
      // When it grows again before it is taken, they are zeros and not what was there.
      for (let number = Math.floor(bytes / pageBytes); number * pageBytes < size; number++)
        changed.add(number)
      cut(bytes)
    },
    take() {
      const numbers = [...changed].filter((number) => number * pageBytes < size).sort((a, b) => a - b)
      const bytes = new Uint8Array(numbers.length * pageBytes)
      numbers.forEach((number, i) => {
        const at = number * pageBytes
        const length = Math.min(pageBytes, size - at)
        eachPiece(at, length, (piece, done) => bytes.set(piece, i * pageBytes + done))
      })
      changed.clear()
      isResized = false
      return { sizeBytes: size, numbers, bytes }
    },
    giveBack(numbers) {
      for (const number of numbers) changed.add(number)
      isResized = true
    },
    extent: (index) =>
      (extents[index] ?? new Uint8Array()).subarray(0, Math.max(0, size - index * extentBytes)),
  }
}
