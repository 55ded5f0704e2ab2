// The segments of the archive as they lie in the book: a row for each and its bytes in parts, each row with a checksum that
// covers the one before it. Everything here that writes runs inside a transaction.
// Invariant: what is read is what was written, and a segment that is missing is noticed, also the last.
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import type { Settings } from '../schema/settings.ts'
import { createByteReader, createByteWriter } from './byte-stream.ts'
import { checksumOf, segmentVersion } from './posting-segment.ts'

export interface SegmentRow extends SqlRow {
  readonly n: number
  readonly last_seq: number
  readonly documents: number
  readonly size_bytes: number
  readonly checksum: number
  /** See `readSeqs`. */
  readonly gone: Uint8Array
}

/** A segment that is to be written. */
export interface NewSegment {
  readonly n: number
  /** The greatest record that it or an earlier one is complete up to. */
  readonly lastSeq: number
  /** How many documents it has. */
  readonly documents: number
  /** Records whose documents in earlier segments no longer count. */
  readonly gone: readonly number[]
  readonly bytes: Uint8Array
}

/** In the table `book`: the checksum of the last segment. */
const endKey = 'posting_end'
/** Durable Objects take values up to 2 MB. */
const partBytes = 1_000_000

export class SegmentTable {
  readonly #db: SqlDatabase
  readonly #settings: Settings

  constructor(db: SqlDatabase, settings: Settings) {
    this.#db = db
    this.#settings = settings
  }

  rows(): SegmentRow[] {
    return this.#db.all<SegmentRow>('SELECT * FROM posting_segments ORDER BY n')
  }

  /** Whether `rows`, which are all there are, end with the segment that was written last. */
  isWhole(rows: readonly SegmentRow[]): boolean {
    return (rows.at(-1)?.checksum ?? 0) === this.#settings.getNumber(endKey)
  }

  /** The bytes of a segment, which comes after one with the checksum `before`; undefined when they are damaged. */
  read(row: SegmentRow, before: number): Uint8Array | undefined {
    const bytes = new Uint8Array(row.size_bytes)
    let length = 0
    for (const part of this.#db.all<{ bytes: Uint8Array }>(
      'SELECT bytes FROM posting_parts WHERE segment = ? ORDER BY part',
      [row.n],
    )) {
      if (length + part.bytes.length > bytes.length) return undefined
      bytes.set(part.bytes, length)
      length += part.bytes.length
    }
    return length === bytes.length && checkOf(row, bytes, before) === row.checksum ? bytes : undefined
  }

  /** Writes a segment as the last one: in the place of those with its number or a greater one. */
  write({ n, lastSeq, documents, gone, bytes }: NewSegment): void {
    const before = this.#db.get<{ checksum: number }>(
      'SELECT checksum FROM posting_segments WHERE n < ? ORDER BY n DESC LIMIT 1',
      [n],
    )
    // Whatever should not be there goes as well.
    this.#db.run('DELETE FROM posting_segments WHERE n >= ?', [n])
    this.#db.run('DELETE FROM posting_parts WHERE segment >= ?', [n])
    const row = { last_seq: lastSeq, documents, size_bytes: bytes.length, gone: writeSeqs(gone) }
    const checksum = checkOf(row, bytes, before?.checksum ?? 0)
    this.#db.run(
      `INSERT INTO posting_segments (n, last_seq, documents, size_bytes, checksum, gone) VALUES (?, ?, ?, ?, ?, ?)`,
      [n, lastSeq, documents, bytes.length, checksum, row.gone],
    )
    this.#settings.set(endKey, checksum)
    for (let at = 0, part = 0; at < bytes.length; at += partBytes, part++) {
      const piece = bytes.subarray(at, at + partBytes)
      this.#db.run('INSERT INTO posting_parts (segment, part, bytes) VALUES (?, ?, ?)', [n, part, piece])
    }
  }

  /** Records that changed since they were written, or whose later documents are not written yet. */
  stale(): number[] {
    return this.#db.all<{ seq: number }>('SELECT seq FROM posting_stale').map(({ seq }) => seq)
  }

  markStale(seq: number): void {
    this.#db.run('INSERT OR IGNORE INTO posting_stale (seq) VALUES (?)', [seq])
  }

  clearStale(): void {
    this.#db.run('DELETE FROM posting_stale')
  }

  drop(): void {
    this.#db.exec('DELETE FROM posting_segments; DELETE FROM posting_parts; DELETE FROM posting_stale')
    this.#settings.remove(endKey)
  }
}

/** Over all there is of a segment, and the checksum of the one before it: one that is missing is noticed. */
function checkOf(
  {
    last_seq,
    documents,
    size_bytes,
    gone,
  }: Pick<SegmentRow, 'last_seq' | 'documents' | 'size_bytes' | 'gone'>,
  bytes: Uint8Array,
  before: number,
): number {
  const head = createByteWriter()
  for (const number of [before, last_seq, documents, size_bytes]) head.number(number)
  return checksumOf(bytes, checksumOf(gone, checksumOf(head.bytes(), segmentVersion)))
}

/** Numbers of records as bytes: how many, and each as its distance to the one before. */
function writeSeqs(seqs: readonly number[]): Uint8Array {
  const out = createByteWriter()
  let last = 0
  out.number(seqs.length)
  for (const seq of new Float64Array(seqs).sort()) {
    out.number(seq - last)
    last = seq
  }
  return out.bytes()
}

export function readSeqs(bytes: Uint8Array): number[] {
  const read = createByteReader(bytes)
  let last = 0
  return Array.from({ length: read.number() }, () => (last += read.number()))
}
