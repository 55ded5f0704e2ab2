// The vectors of a book: stored in the database, and in memory for search. A vector is valid only for the current
// text of its record and the current vector space.
// Invariant: memory has committed vectors only. After a crash, a read from the first record finds the missing
// vectors again.
import type { Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { SqlDatabase, SqlRow, Wasm } from '../../core/ports.ts'
import type { Projection } from '../record/projection.ts'
import { type QuantisedVector, quantise } from './quantise.ts'
import type { Settings } from '../schema/settings.ts'
import { embeddedText } from '../word/text.ts'
import { type CodeKernel, createCodeKernel, createVectorKernel, type VectorKernel } from './vector-kernel.ts'
import {
  type SimilarityDistribution,
  type VectorHit,
  VectorMatrix,
  type VectorSearch,
} from './vector-matrix.ts'
import { createVectorSpaces, dimensionsOf, type VectorSpaces } from './vector-space.ts'

/** A record whose text has no vector in the current space. */
export interface PendingText {
  readonly seq: number
  readonly text: string
  /** A hash of the indexed text: when it differs, the text has changed. */
  readonly textKey: number
}

/** A text with its vector. */
export interface EmbeddedText extends Omit<PendingText, 'text'> {
  /** Of unit length, or all zeros. */
  readonly vector: Float32Array
}

export interface VectorState {
  /** How many derived records need a vector. */
  readonly total: number
  /** How many have one, in memory or (`overflow`) in the database only. */
  readonly embedded: number
  /** How many have a vector in the database only, because memory is full: a search misses them. */
  readonly overflow: number
  /** How many of the embedded ones have a vector of zeros: no text, or one of which the embedder knows too little. */
  readonly blank: number
  /** How many have a text that can't be embedded. */
  readonly refused: number
  /** Memory of the vectors. */
  readonly bytes: number
  /** Undefined before `setSpace`. */
  readonly kernel: VectorKernel['kind'] | undefined
}

/** Enough for 1,170,000 vectors of 384 dimensions. */
const defaultMaxBytes = 512_000_000

interface VectorRow extends SqlRow {
  readonly seq: number
  /** 1 when the record needs a vector, otherwise 0. */
  readonly embed: number
  /** The key of the present text. */
  readonly text_key: number
  /** The key of the text of the vector; null without a vector in the current space. */
  readonly vector_key: number | null
  readonly scale: number | null
  readonly numbers: Uint8Array | null
}
const select = `SELECT f.seq, f.embed, f.text_key, v.text_key AS vector_key, v.scale, v.numbers
  FROM facets f LEFT JOIN vectors v ON v.seq = f.seq AND v.space = ?`

export interface VectorStoreDeps {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly projection: Projection
  readonly settings: Settings
  readonly wasm?: Wasm | undefined
  /** Most memory for the vectors, in bytes. Default 512 MB. */
  readonly maxBytes?: number | undefined
}

export class VectorStore {
  readonly #db: SqlDatabase
  readonly #kinds: Kinds
  readonly #projection: Projection
  readonly #wasm: Wasm | undefined
  readonly #maxBytes: number
  readonly #spaces: VectorSpaces
  #kernel: VectorKernel | undefined
  #codeKernel: CodeKernel | undefined
  #matrix: VectorMatrix | undefined
  /** Records up to this number are read, except those in `#changed`. */
  #cursor = 0
  readonly #changed = new Set<number>()
  /** Changed records whose vector in memory may be that of an earlier text. */
  readonly #unchecked = new Set<number>()
  /** Records without a vector of their text. */
  readonly #missing = new Set<number>()
  /** `#writesNow()` at the last `pendingTexts`. */
  #writesAtTexts = ''
  /** See `VectorState.refused`, `VectorState.overflow` and `VectorState.blank`. */
  readonly #refused = new Set<number>()
  readonly #overflow = new Set<number>()
  readonly #blank = new Set<number>()

  constructor({ db, kinds, projection, settings, wasm, maxBytes = defaultMaxBytes }: VectorStoreDeps) {
    this.#db = db
    this.#kinds = kinds
    this.#projection = projection
    this.#wasm = wasm
    this.#maxBytes = maxBytes
    this.#spaces = createVectorSpaces(db, settings)
    projection.watch((seq) => {
      if (this.#matrix && seq <= this.#cursor) {
        this.#changed.add(seq)
        this.#unchecked.add(seq)
      }
    })
  }

  /** The fingerprint of the current space: the last one that `setSpace` set, also in an earlier engine. */
  fingerprint(): string | undefined {
    return this.#spaces.current()
  }

  /** Makes `fingerprint` the current space and starts over. `readNext` drops the vectors of other spaces. */
  setSpace(fingerprint: string): void {
    if (this.#matrix && this.#spaces.current() === fingerprint) return
    this.#spaces.setCurrent(fingerprint)
    this.#restart()
  }

  /** Reads up to `limit` derived records, or drops old vectors; true when more work waits. Call it in idle time. */
  readNext(limit: number): boolean {
    if (!this.#matrix || this.#projection.isBehind()) return false
    if (this.#spaces.dropOtherSpaces(limit)) return true
    const upTo = this.#projection.derivedSeq()
    // Fewer records are derived than were read: the derived rows were undone or made again.
    if (upTo < this.#cursor) this.#restart()
    if (this.#changed.size > 0) this.#readChanged(limit)
    else if (this.#cursor < upTo) this.#readNew(upTo, limit)
    return this.#changed.size > 0 || this.#cursor < upTo
  }

  /** At most `limit` texts to embed next. Stores a zero vector for each record without text that it finds. */
  pendingTexts(limit: number): PendingText[] {
    this.#writesAtTexts = this.#writesNow()
    while (this.#missing.size > 0) {
      const texts = this.#readPendingTexts(firstOf(this.#missing, limit))
      if (texts.length > 0) return texts
    }
    return []
  }

  /** Stores vectors of the current space. Skips a record whose text has changed since `pendingTexts`. */
  storeVectors(embedded: readonly EmbeddedText[]): void {
    const db = this.#db
    const stored = db.transaction(() => {
      const isUnchanged = this.#writesAtTexts === this.#writesNow()
      const seqs = embedded.map(({ seq }) => seq)
      const keys = isUnchanged ? undefined : readKeys(db, seqs)
      return embedded
        .filter(({ seq, textKey }) => !keys || keys.get(seq) === textKey)
        .map(({ seq, textKey, vector }) => {
          const { numbers, scale } = quantise(vector)
          db.run(
            'INSERT OR REPLACE INTO vectors (seq, space, text_key, scale, numbers) VALUES (?, ?, ?, ?, ?)',
            [seq, this.#spaces.id(), textKey, scale, new Uint8Array(numbers.buffer)],
          )
          return { seq, numbers, scale }
        })
    })
    for (const { seq, numbers, scale } of stored) this.#set(seq, { numbers, scale })
  }

  /** Marks texts that can't be embedded. They stay refused until they change, `retryRefused`, or the next opening. */
  markRefused(seqs: readonly number[]): void {
    for (const seq of seqs) if (this.#missing.delete(seq)) this.#refused.add(seq)
  }

  /** Makes all refused texts pending again. */
  retryRefused(): void {
    for (const seq of this.#refused) this.#missing.add(seq)
    this.#refused.clear()
  }

  /** About how many records have no vector or are not read yet. */
  missingCount(): number {
    const unread = Math.max(0, this.#projection.derivedSeq() - this.#cursor)
    return this.#missing.size + this.#changed.size + unread
  }

  /** True for a record with a vector in memory, other than zeros. */
  has(seq: number): boolean {
    return this.#matrix?.has(seq) === true
  }

  /** True for a record without a vector that may get one: it has none of its text yet, or is not read yet. */
  isComing(seq: number): boolean {
    if (this.has(seq)) return false
    return this.#missing.has(seq) || this.#changed.has(seq) || seq > this.#cursor
  }

  /** How many vectors in the database are not read into memory yet. */
  unreadCount(): number {
    const sql = 'SELECT count(*) AS n FROM vectors WHERE space = ? AND seq > ?'
    return this.#db.get<{ n: number }>(sql, [this.#spaces.id(), this.#cursor])?.n ?? 0
  }

  /** Why record `seq` has no vector to search; undefined if it has one. */
  lackOf(seq: number): 'coming' | 'blank' | 'refused' | 'overflow' | undefined {
    if (this.#blank.has(seq)) return 'blank'
    if (this.#refused.has(seq)) return 'refused'
    if (this.#overflow.has(seq)) return 'overflow'
    return this.#matrix?.has(seq) ? undefined : 'coming'
  }

  /** The most similar records in memory; undefined before `setSpace`. */
  search(question: Float32Array, search: VectorSearch): VectorHit[] | undefined {
    this.#dropStale()
    return this.#matrix?.search(question, search)
  }

  /** The distribution of the similarities of the records in memory to `question`. */
  similarityDistribution(question: Float32Array): SimilarityDistribution {
    return this.#matrix?.similarityDistribution(question) ?? { count: 0, mean: 0, deviation: 0 }
  }

  state(): VectorState {
    const embedded = (this.#matrix?.size() ?? 0) + this.#overflow.size + this.#blank.size
    // Counts only what is not read yet: all rows of a large book take as long as a batch of vectors.
    const isExact = this.#changed.size === 0 && this.#cursor <= this.#projection.derivedSeq()
    const unread = this.#db.get<{ n: number }>(
      'SELECT count(*) AS n FROM facets WHERE embed = 1 AND seq > ?',
      [isExact ? this.#cursor : 0],
    )
    return {
      total: (unread?.n ?? 0) + (isExact ? embedded + this.#missing.size + this.#refused.size : 0),
      embedded,
      overflow: this.#overflow.size,
      blank: this.#blank.size,
      refused: this.#refused.size,
      bytes: this.#matrix?.sizeBytes() ?? 0,
      kernel: this.#kernel?.kind,
    }
  }

  /** Changes with each write, and when derived rows may have changed. */
  #writesNow(): string {
    return `${this.#projection.writeCount()} ${this.#projection.generation()} ${this.#changed.size}`
  }

  #restart(): void {
    this.#kernel ??= createVectorKernel(this.#wasm)
    this.#codeKernel ??= createCodeKernel(this.#wasm)
    this.#matrix = new VectorMatrix(this.#kernel, dimensionsOf(this.#spaces.current() ?? ''), {
      maxBytes: this.#maxBytes,
      codeKernel: this.#codeKernel,
    })
    this.#cursor = 0
    for (const set of [
      this.#changed,
      this.#unchecked,
      this.#missing,
      this.#refused,
      this.#overflow,
      this.#blank,
    ])
      set.clear()
  }

  /** Removes the vectors of earlier texts from memory. It writes nothing, because a search may not. */
  #dropStale(): void {
    if (this.#unchecked.size === 0) return
    const rows = this.#db.all<{ seq: number }>(
      `SELECT f.seq FROM facets f JOIN vectors v ON v.seq = f.seq AND v.space = ? AND v.text_key = f.text_key
       WHERE f.embed = 1 AND f.seq IN (SELECT value FROM json_each(?))`,
      [this.#spaces.id(), JSON.stringify([...this.#unchecked])],
    )
    for (const { seq } of rows) this.#unchecked.delete(seq)
    for (const seq of this.#unchecked) this.#matrix?.remove(seq)
    this.#unchecked.clear()
  }

  #forget(seq: number): void {
    this.#matrix?.remove(seq)
    for (const set of [this.#missing, this.#refused, this.#overflow, this.#blank]) set.delete(seq)
  }

  #set(seq: number, vector: QuantisedVector): void {
    this.#missing.delete(seq)
    // A vector of zeros is similar to nothing, and would distort the distribution of similarities.
    if (vector.scale === 0) this.#blank.add(seq)
    else if (!this.#matrix?.set(seq, vector)) this.#overflow.add(seq)
  }

  #readRow({ seq, embed, text_key, vector_key, scale, numbers }: VectorRow): void {
    this.#forget(seq)
    if (embed === 0) return
    const isWhole = numbers?.byteLength === this.#matrix?.dimensions
    if (vector_key !== text_key || !numbers || !isWhole || scale === null) this.#missing.add(seq)
    else
      this.#set(seq, {
        numbers: new Int8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength),
        scale,
      })
  }

  #readChanged(limit: number): void {
    const seqs = firstOf(this.#changed, limit)
    const list = JSON.stringify(seqs)
    const rows = this.#db.all<VectorRow>(`${select} WHERE f.seq IN (SELECT value FROM json_each(?))`, [
      this.#spaces.id(),
      list,
    ])
    // Delete the vectors of records that no longer need one.
    this.#db.run(
      `DELETE FROM vectors WHERE seq IN (SELECT value FROM json_each(?))
         AND NOT EXISTS (SELECT 1 FROM facets f WHERE f.seq = vectors.seq AND f.embed = 1)`,
      [list],
    )
    for (const seq of seqs) this.#forget(seq)
    for (const row of rows) this.#readRow(row)
    for (const seq of seqs) this.#changed.delete(seq)
  }

  #readNew(upTo: number, limit: number): void {
    const rows = this.#db.all<VectorRow>(`${select} WHERE f.seq > ? AND f.seq <= ? ORDER BY f.seq LIMIT ?`, [
      this.#spaces.id(),
      this.#cursor,
      upTo,
      limit,
    ])
    for (const row of rows) this.#readRow(row)
    this.#cursor = rows.length < limit ? upTo : (rows.at(-1)?.seq ?? upTo)
  }

  /**
   * Reads the texts of `seqs`. Stores a zero vector for a record without text. A deleted record is no longer
   * missing.
   */
  #readPendingTexts(seqs: readonly number[]): PendingText[] {
    const rows = readTexts(this.#db, seqs)
    const found = new Set(rows.map(({ seq }) => seq))
    for (const seq of seqs) if (!found.has(seq)) this.#missing.delete(seq)
    const texts = rows.map(({ seq, kind: name, body, textKey }) => {
      const kind = this.#kinds.get(name)
      return { seq, textKey, text: kind ? embeddedText(kind, JSON.parse(body) as JsonObject) : '' }
    })
    const vector = new Float32Array(dimensionsOf(this.#spaces.current() ?? ''))
    const empty = texts.filter(({ text }) => text === '')
    if (empty.length > 0) this.storeVectors(empty.map(({ seq, textKey }) => ({ seq, textKey, vector })))
    return texts.filter(({ text }) => text !== '')
  }
}

function firstOf(set: ReadonlySet<number>, count: number): number[] {
  const first: number[] = []
  for (const value of set) {
    if (first.length === count) break
    first.push(value)
  }
  return first
}

interface TextRow extends SqlRow {
  readonly seq: number
  readonly kind: string
  readonly body: string
  readonly textKey: number
}

function readTexts(db: SqlDatabase, seqs: readonly number[]): TextRow[] {
  return db.all<TextRow>(
    `SELECT f.seq, f.kind, f.text_key AS textKey, r.body FROM facets f JOIN records r ON r.seq = f.seq
     WHERE f.seq IN (SELECT value FROM json_each(?)) AND f.embed = 1 AND r.deleted = 0`,
    [JSON.stringify(seqs)],
  )
}

/** The keys of the current texts of those records in `seqs` that need a vector. */
function readKeys(db: SqlDatabase, seqs: readonly number[]): Map<number, number> {
  const rows = db.all<{ seq: number; textKey: number }>(
    `SELECT f.seq, f.text_key AS textKey FROM facets f JOIN records r ON r.seq = f.seq
     WHERE f.seq IN (SELECT value FROM json_each(?)) AND f.embed = 1 AND r.deleted = 0`,
    [JSON.stringify(seqs)],
  )
  return new Map(rows.map(({ seq, textKey }) => [seq, textKey]))
}
