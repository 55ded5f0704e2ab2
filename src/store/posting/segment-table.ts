// The segments of the archive (the saved postings) in the database: a row for each, its bytes in parts, and a
// checksum that includes the checksum of the previous segment. All writes run inside a transaction.
// Invariant: a read returns the bytes that were written, or reports damage; a missing segment is detected, also the
// last.
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import type { Settings } from '../schema/settings.ts'
import { ByteReader, ByteWriter } from './byte-stream.ts'
import { checksumOf, segmentVersion } from './posting-segment.ts'

export interface SegmentRow extends SqlRow {
  readonly n: number
  /** See `NewSegment.lastSeq`. */
  readonly last_seq: number
  /** How many documents it stores. */
  readonly documents: number
  readonly size_bytes: number
  /** Of its bytes, and of the checksum of the segment before. */
  readonly checksum: number
  /** `NewSegment.outdatedSeqs`, in the form of `decodeSeqs`. */
  readonly gone: Uint8Array
}

export interface NewSegment {
  readonly n: number
  /** The segment and the earlier ones cover all records up to this number. */
  readonly lastSeq: number
  readonly documents: number
  /** The numbers of records whose documents in earlier segments are out of date. */
  readonly outdatedSeqs: readonly number[]
  /** Written by posting-segment.ts. */
  readonly bytes: Uint8Array
}

/** Setting: the checksum of the last segment. */
const endChecksumKey = 'posting_end'
/** Bytes of a part: a Durable Object stores values up to 2 MB. */
const maxPartBytes = 1_000_000

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

  /** True when `rows`, which must be all rows, end with the segment that was written last. */
  endsWithLastWritten(rows: readonly SegmentRow[]): boolean {
    return (rows.at(-1)?.checksum ?? 0) === this.#settings.getNumber(endChecksumKey)
  }

  /**
   * The bytes of a segment; undefined when they are damaged. `previousChecksum`: the checksum of the previous
   * segment.
   */
  read(row: SegmentRow, previousChecksum: number): Uint8Array | undefined {
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
    return length === bytes.length && segmentChecksum(row, bytes, previousChecksum) === row.checksum
      ? bytes
      : undefined
  }

  /** Writes the last segment, in place of those with its number or a higher one. */
  write({ n, lastSeq, documents, outdatedSeqs, bytes }: NewSegment): void {
    const previous = this.#db.get<{ checksum: number }>(
      'SELECT checksum FROM posting_segments WHERE n < ? ORDER BY n DESC LIMIT 1',
      [n],
    )
    this.#db.run('DELETE FROM posting_segments WHERE n >= ?', [n])
    this.#db.run('DELETE FROM posting_parts WHERE segment >= ?', [n])
    const row = { last_seq: lastSeq, documents, size_bytes: bytes.length, gone: encodeSeqs(outdatedSeqs) }
    const checksum = segmentChecksum(row, bytes, previous?.checksum ?? 0)
    this.#db.run(
      `INSERT INTO posting_segments (n, last_seq, documents, size_bytes, checksum, gone) VALUES (?, ?, ?, ?, ?, ?)`,
      [n, lastSeq, documents, bytes.length, checksum, row.gone],
    )
    this.#settings.set(endChecksumKey, checksum)
    for (let at = 0, part = 0; at < bytes.length; at += maxPartBytes, part++) {
      const piece = bytes.subarray(at, at + maxPartBytes)
      this.#db.run('INSERT INTO posting_parts (segment, part, bytes) VALUES (?, ?, ?)', [n, part, piece])
    }
  }

  /**
   * The numbers of covered records that changed since their segment was written, or whose new document is unsaved.
   */
  staleSeqs(): number[] {
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
    this.#settings.remove(endChecksumKey)
  }
}

/**
 * The checksum of a segment and of the previous checksum, `previousChecksum`, so that a missing segment is detected.
 */
function segmentChecksum(
  {
    last_seq,
    documents,
    size_bytes,
    gone,
  }: Pick<SegmentRow, 'last_seq' | 'documents' | 'size_bytes' | 'gone'>,
  bytes: Uint8Array,
  previousChecksum: number,
): number {
  const head = new ByteWriter()
  for (const number of [previousChecksum, last_seq, documents, size_bytes]) head.number(number)
  return checksumOf(bytes, checksumOf(gone, checksumOf(head.bytes(), segmentVersion)))
}

/** Record numbers as bytes: their count, then the gap from each to the next, ascending. */
function encodeSeqs(seqs: readonly number[]): Uint8Array {
  const out = new ByteWriter()
  let last = 0
  out.number(seqs.length)
  for (const seq of new Float64Array(seqs).sort()) {
    out.number(seq - last)
    last = seq
  }
  return out.bytes()
}

/** The record numbers that `encodeSeqs` wrote, ascending. */
export function decodeSeqs(bytes: Uint8Array): number[] {
  const reader = new ByteReader(bytes)
  let last = 0
  return Array.from({ length: reader.number() }, () => (last += reader.number()))
}
