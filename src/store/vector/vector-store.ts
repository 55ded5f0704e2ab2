// The vectors of a book: kept in the database, each in the one space the book is in, and in memory to be searched.
// Invariants: a vector counts only while it was made from the text its record has now, in the current space; memory holds
// nothing that is not committed; what a crash leaves undone is found again by walking from the start.
import type { Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { SqlDatabase, SqlRow, Wasm } from '../../core/ports.ts'
import type { Projection } from '../record/projection.ts'
import { quantise } from './quantise.ts'
import type { Settings } from '../schema/settings.ts'
import { embeddedText } from '../word/text.ts'
import { type CodeKernel, createCodeKernel } from './code-kernel.ts'
import { createVectorKernel, type VectorKernel } from './vector-kernel.ts'
import {
  createVectorMatrix,
  type Spread,
  type VectorHit,
  type VectorMatrix,
  type VectorSearch,
} from './vector-matrix.ts'
import { createVectorSpaces, dimensionsOf } from './vector-space.ts'

/** A record whose text has no vector in the current space. */
export interface PendingText {
  readonly seq: number
  readonly text: string
  readonly textKey: number
}

export interface EmbeddedText extends Omit<PendingText, 'text'> {
  /** Of unit length, or all zero. */
  readonly vector: Float32Array
}

export interface VectorState {
  /** Records that are to have a vector, as far as they are derived. */
  readonly total: number
  /** Those that have one in memory or, where memory did not suffice, in the database alone. */
  readonly embedded: number
  readonly overflow: number
  readonly refused: number
  readonly bytes: number
  readonly kernel: VectorKernel['kind'] | undefined
}

export interface VectorStore {
  /** The space of the book: the last one that was entered, also before this opening. */
  fingerprint(): string | undefined
  /** Makes this the space. Texts stay; the vectors of another space are dropped behind, a few at each step. */
  enter(fingerprint: string): void
  /** Takes up to `limit` records in, once nothing is left to derive; true when more wait. For idle time. */
  step(limit: number): boolean
  /** Records to embed next; those that turn out to need nothing are settled on the way. */
  pending(limit: number): PendingText[]
  /** Keeps the vectors whose texts are still those of their records. They must be of the current space. */
  keep(embedded: readonly EmbeddedText[]): void
  /** These texts can't be embedded; they are not offered again until they change or the book is opened anew. */
  refuse(seqs: readonly number[]): void
  /** Records that are known to have none, or are not looked at yet. */
  missing(): number
  /** The most similar records in memory; undefined before a space was entered. */
  search(question: Float32Array, search: VectorSearch): VectorHit[] | undefined
  /** How similar this question usually is to the records in memory. */
  spread(question: Float32Array): Spread
  state(): VectorState
}

/** As much memory as vectors may take: 1,170,000 of 384 dimensions. */
const memoryLimitBytes = 512_000_000

interface Row extends SqlRow {
  readonly seq: number
  readonly embed: number
  readonly text_key: number
  readonly had: number | null
  readonly scale: number | null
  readonly numbers: Uint8Array | null
}
const select = `SELECT f.seq, f.embed, f.text_key, v.text_key AS had, v.scale, v.numbers
  FROM facets f LEFT JOIN vectors v ON v.seq = f.seq AND v.space = ?`

export interface VectorStoreParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly projection: Projection
  readonly settings: Settings
  readonly wasm?: Wasm | undefined
  /** How much memory the vectors may take, in bytes. */
  readonly limitBytes?: number | undefined
}

export function createVectorStore(parts: VectorStoreParts): VectorStore {
  const { db, kinds, projection, settings, wasm, limitBytes = memoryLimitBytes } = parts
  const spaces = createVectorSpaces(db, settings)
  let kernel: VectorKernel | undefined
  let codes: CodeKernel | undefined
  let matrix: VectorMatrix | undefined
  /** Records up to here are taken in, but for those in `changed`. */
  let cursor = 0
  const changed = new Set<number>()
  const missing = new Set<number>()
  const refused = new Set<number>()
  const overflow = new Set<number>()

  projection.watch((seq) => {
    if (matrix && seq <= cursor) changed.add(seq)
  })

  const restart = () => {
    kernel ??= createVectorKernel(wasm)
    const fingerprint = spaces.current() ?? ''
    codes ??= createCodeKernel(wasm)
    matrix = createVectorMatrix(kernel, dimensionsOf(fingerprint), { limitBytes, codes })
    cursor = 0
    for (const set of [changed, missing, refused, overflow]) set.clear()
  }

  const forget = (seq: number) => {
    matrix?.remove(seq)
    for (const set of [missing, refused, overflow]) set.delete(seq)
  }

  const hold = (seq: number, numbers: Int8Array, scale: number) => {
    missing.delete(seq)
    if (!matrix?.set(seq, { numbers, scale })) overflow.add(seq)
  }

  const take = ({ seq, embed, text_key, had, scale, numbers }: Row) => {
    forget(seq)
    if (embed === 0) return
    if (had === text_key && numbers && scale !== null)
      hold(seq, new Int8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), scale)
    else missing.add(seq)
  }

  const takeChanged = (limit: number) => {
    const seqs = firstOf(changed, limit)
    const list = JSON.stringify(seqs)
    const rows = db.all<Row>(`${select} WHERE f.seq IN (SELECT value FROM json_each(?))`, [spaces.id(), list])
    // Of what may no longer have a vector, nothing stays.
    db.run(
      `DELETE FROM vectors WHERE seq IN (SELECT value FROM json_each(?))
         AND NOT EXISTS (SELECT 1 FROM facets f WHERE f.seq = vectors.seq AND f.embed = 1)`,
      [list],
    )
    seqs.forEach(forget)
    rows.forEach(take)
    for (const seq of seqs) changed.delete(seq)
  }

  const takeNew = (upTo: number, limit: number) => {
    const rows = db.all<Row>(`${select} WHERE f.seq > ? AND f.seq <= ? ORDER BY f.seq LIMIT ?`, [
      spaces.id(),
      cursor,
      upTo,
      limit,
    ])
    rows.forEach(take)
    cursor = rows.length < limit ? upTo : (rows.at(-1)?.seq ?? upTo)
  }

  const keep = (embedded: readonly EmbeddedText[]) => {
    const kept = db.transaction(() => {
      const keys = readKeys(
        db,
        embedded.map(({ seq }) => seq),
      )
      return embedded
        .filter(({ seq, textKey }) => keys.get(seq) === textKey)
        .map(({ seq, textKey, vector }) => {
          const { numbers, scale } = quantise(vector)
          db.run(
            'INSERT OR REPLACE INTO vectors (seq, space, text_key, scale, numbers) VALUES (?, ?, ?, ?, ?)',
            [seq, spaces.id(), textKey, scale, new Uint8Array(numbers.buffer)],
          )
          return { seq, numbers, scale }
        })
    })
    for (const { seq, numbers, scale } of kept) hold(seq, numbers, scale)
  }

  /** Reads texts of `seqs`. What has none gets a vector of zeros, what is gone is missing no more. */
  const readPending = (seqs: readonly number[]): PendingText[] => {
    const rows = readTexts(db, seqs)
    const found = new Set(rows.map(({ seq }) => seq))
    for (const seq of seqs) if (!found.has(seq)) missing.delete(seq)
    const texts = rows.map(({ seq, kind: name, body, textKey }) => {
      const kind = kinds.get(name)
      return { seq, textKey, text: kind ? embeddedText(kind, JSON.parse(body) as JsonObject) : '' }
    })
    const vector = new Float32Array(dimensionsOf(spaces.current() ?? ''))
    const empty = texts.filter(({ text }) => text === '')
    if (empty.length > 0) keep(empty.map(({ seq, textKey }) => ({ seq, textKey, vector })))
    return texts.filter(({ text }) => text !== '')
  }

  return {
    fingerprint: spaces.current,
    enter(fingerprint) {
      if (matrix && spaces.current() === fingerprint) return
      spaces.enter(fingerprint)
      restart()
    },
    step(limit) {
      if (!matrix || projection.isBehind()) return false
      if (spaces.drop(limit)) return true
      const upTo = projection.derivedSeq()
      if (upTo < cursor) restart()
      if (changed.size > 0) takeChanged(limit)
      else if (cursor < upTo) takeNew(upTo, limit)
      return changed.size > 0 || cursor < upTo
    },
    pending(limit) {
      while (missing.size > 0) {
        const texts = readPending(firstOf(missing, limit))
        if (texts.length > 0) return texts
      }
      return []
    },
    keep,
    refuse(seqs) {
      for (const seq of seqs) if (missing.delete(seq)) refused.add(seq)
    },
    missing: () => missing.size + changed.size + Math.max(0, projection.derivedSeq() - cursor),
    search: (question, search) => matrix?.search(question, search),
    spread: (question) => matrix?.spread(question) ?? { count: 0, mean: 0, deviation: 0 },
    state() {
      const total = db.get<{ n: number }>('SELECT count(*) AS n FROM facets WHERE embed = 1')?.n ?? 0
      return {
        total,
        embedded: (matrix?.size() ?? 0) + overflow.size,
        overflow: overflow.size,
        refused: refused.size,
        bytes: matrix?.sizeBytes() ?? 0,
        kernel: kernel?.kind,
      }
    },
  }
}

function firstOf(set: ReadonlySet<number>, count: number): number[] {
  const first: number[] = []
  for (const one of set) {
    if (first.length === count) break
    first.push(one)
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

/** Keys of the texts as they are now, of the records that may have a vector. */
function readKeys(db: SqlDatabase, seqs: readonly number[]): Map<number, number> {
  const rows = db.all<{ seq: number; textKey: number }>(
    `SELECT f.seq, f.text_key AS textKey FROM facets f JOIN records r ON r.seq = f.seq
     WHERE f.seq IN (SELECT value FROM json_each(?)) AND f.embed = 1 AND r.deleted = 0`,
    [JSON.stringify(seqs)],
  )
  return new Map(rows.map(({ seq, textKey }) => [seq, textKey]))
}
