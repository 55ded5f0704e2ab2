// Keeps the bytes of a database in memory, in extents, with a list of the changed pages.
// Pages have numbers from 0 here, and from 1 in SQLite. An extent is a run of 64 pages.
// Invariant: every page whose bytes or length changed since the last `take` is on the list.
import { extentBytes, pageBytes, type PageChange, type PlacedExtent } from '../../../core/journal.ts'

export class PageImage {
  readonly #extents: Uint8Array<ArrayBuffer>[] = []
  readonly #changed = new Set<number>()
  #size = 0
  #isResized = false
  /** False: a stored extent or change can't be read, and the image is without it. */
  readonly isWhole: boolean

  /** Restores an image: applies `extents`, then `changes` in their order. */
  constructor(sizeBytes = 0, extents: readonly PlacedExtent[] = [], changes: readonly PageChange[] = []) {
    const placed = extents.filter(([, extent]) => extent instanceof Uint8Array)
    const readable = changes.filter(isReadable)
    this.isWhole = placed.length === extents.length && readable.length === changes.length
    this.#grow(sizeBytes)
    for (const [index, extent] of placed)
      this.#put(extent.subarray(0, sizeBytes - index * extentBytes), index * extentBytes)
    for (const change of readable) {
      this.#cut(change.sizeBytes)
      change.numbers.forEach((number, i) => {
        const bytes = change.bytes.subarray(i * pageBytes, (i + 1) * pageBytes)
        this.#put(bytes.subarray(0, change.sizeBytes - number * pageBytes), number * pageBytes)
      })
    }
    this.#isResized = false
  }

  get sizeBytes(): number {
    return this.#size
  }

  /** Whether a byte or the size changed since the last `take`. */
  get isChanged(): boolean {
    return this.#isResized || this.#changed.size > 0
  }

  /**
   * Fills `into` with the bytes from `at` on, and with zeros behind the end. Returns the number of bytes
   * before the end.
   */
  read(into: Uint8Array, at: number): number {
    const length = Math.max(0, Math.min(into.length, this.#size - at))
    this.#eachPiece(at, length, (piece, done) => into.set(piece, done))
    into.fill(0, length)
    return length
  }

  write(bytes: Uint8Array, at: number): void {
    this.#put(bytes, at)
    const last = Math.floor((at + bytes.length - 1) / pageBytes)
    for (let number = Math.floor(at / pageBytes); number <= last; number++) this.#changed.add(number)
  }

  truncate(sizeBytes: number): void {
    // List the cut pages: if the image grows again before `take`, they are zeros.
    for (let number = Math.floor(sizeBytes / pageBytes); number * pageBytes < this.#size; number++)
      this.#changed.add(number)
    this.#cut(sizeBytes)
  }

  /** Returns the changes since the last `take`, and clears the list. */
  take(): PageChange {
    const numbers = [...this.#changed]
      .filter((number) => number * pageBytes < this.#size)
      .sort((a, b) => a - b)
    const bytes = new Uint8Array(numbers.length * pageBytes)
    numbers.forEach((number, i) => {
      const at = number * pageBytes
      const length = Math.min(pageBytes, this.#size - at)
      this.#eachPiece(at, length, (piece, done) => bytes.set(piece, i * pageBytes + done))
    })
    this.#changed.clear()
    this.#isResized = false
    return { sizeBytes: this.#size, numbers, bytes }
  }

  /** Lists these pages as changed again. Call it if storing them failed. */
  giveBack(numbers: readonly number[]): void {
    for (const number of numbers) this.#changed.add(number)
    this.#isResized = true
  }

  /** The bytes of an extent, not copied; the last extent ends with the database. */
  extent(index: number): Uint8Array<ArrayBuffer> {
    const bytes = this.#extents[index] ?? new Uint8Array()
    return bytes.subarray(0, Math.max(0, this.#size - index * extentBytes))
  }

  #grow(bytes: number): void {
    while (this.#extents.length * extentBytes < bytes) this.#extents.push(new Uint8Array(extentBytes))
    this.#size = bytes
    this.#isResized = true
  }

  /**
   * Splits the range of `length` bytes at `at` by extents, and calls `visit` with each piece and the number
   * of bytes before it.
   */
  #eachPiece(at: number, length: number, visit: (piece: Uint8Array, done: number) => void): void {
    for (let done = 0; done < length;) {
      const within = (at + done) % extentBytes
      const part = Math.min(length - done, extentBytes - within)
      const extent = this.#extents[Math.floor((at + done) / extentBytes)]
      if (!extent) throw new RangeError(`The image has no byte ${at + done}.`)
      visit(extent.subarray(within, within + part), done)
      done += part
    }
  }

  #put(bytes: Uint8Array, at: number): void {
    if (at + bytes.length > this.#size) this.#grow(at + bytes.length)
    this.#eachPiece(at, bytes.length, (piece, done) => piece.set(bytes.subarray(done, done + piece.length)))
  }

  #cut(bytes: number): void {
    if (bytes > this.#size) return this.#grow(bytes)
    // Clear the rest of the last extent: deleted bytes must not reappear when the image grows.
    this.#extents.length = Math.ceil(bytes / extentBytes)
    this.#extents.at(-1)?.fill(0, bytes - (this.#extents.length - 1) * extentBytes)
    this.#size = bytes
    this.#isResized = true
  }
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

/** Whether a stored change has its pages: IndexedDB may have any value in its place. */
function isReadable(change: PageChange): boolean {
  const { sizeBytes, numbers, bytes } = (change ?? {}) as Partial<PageChange>
  if (!isCount(sizeBytes) || !Array.isArray(numbers) || !(bytes instanceof Uint8Array)) return false
  return bytes.length === numbers.length * pageBytes && numbers.every(isCount)
}
