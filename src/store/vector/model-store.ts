// Stores the embedding model that a book computes from its own texts, and reads these texts.
import type { Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import type { Projection } from '../record/projection.ts'
import type { Settings } from '../schema/settings.ts'
import { embeddedText } from '../word/text.ts'

/** A part of a model, up to a thousand terms: a JSON text, and their vectors, for the store only bytes. */
export interface ModelPart {
  readonly terms: string
  readonly numbers: Uint8Array
}

export interface StoredModel {
  /** 1 for the first model of this book, then one more for each. */
  readonly generation: number
  readonly dimensions: number
  /** `lastDerivedSeq()` when the model was computed: the higher that is now, the more records it lacks. */
  readonly madeAt: number
  readonly parts: readonly ModelPart[]
}

export interface ModelStore {
  /** The number of the last derived record. */
  lastDerivedSeq(): number
  /** The number of the last written record. */
  lastSeq(): number
  /** The numbers of an even sample, at most `limit`, of the records that need a vector. */
  sampleSeqs(limit: number): number[]
  /** The texts of records for an embedder. Skips records that need no vector. */
  readTexts(seqs: readonly number[]): string[]
  /** The stored model; undefined before the first, and after a purge, which erases it. */
  load(): StoredModel | undefined
  /** Replaces the model, in its own transaction. */
  save(model: Omit<StoredModel, 'generation'>): StoredModel
}

interface TextRow extends SqlRow {
  readonly kind: string
  readonly body: string
}

export function createModelStore(
  db: SqlDatabase,
  kinds: Kinds,
  projection: Projection,
  settings: Settings,
): ModelStore {
  return {
    lastDerivedSeq: projection.derivedSeq,
    lastSeq: () => db.get<{ n: number }>('SELECT ifnull(max(seq), 0) AS n FROM records')?.n ?? 0,
    sampleSeqs(limit) {
      const n = db.get<{ n: number }>('SELECT count(*) AS n FROM facets WHERE embed = 1')?.n ?? 0
      const step = Math.max(1, Math.ceil(n / limit))
      const rows = db.all<{ seq: number }>(
        `SELECT seq FROM (SELECT seq, row_number() OVER (ORDER BY seq) AS place FROM facets WHERE embed = 1)
         WHERE place % ? = 0 ORDER BY seq`,
        [step],
      )
      return rows.map(({ seq }) => seq)
    },
    readTexts(seqs) {
      const rows = db.all<TextRow>(
        `SELECT f.kind, r.body FROM facets f JOIN records r ON r.seq = f.seq
         WHERE f.seq IN (SELECT value FROM json_each(?)) AND f.embed = 1 AND r.deleted = 0 ORDER BY f.seq`,
        [JSON.stringify(seqs)],
      )
      return rows.flatMap(({ kind: name, body }) => {
        const kind = kinds.get(name)
        return kind ? [embeddedText(kind, JSON.parse(body) as JsonObject)] : []
      })
    },
    load() {
      const head = settings.get('model')
      if (head === undefined) return undefined
      const parts = db.all<ModelPart & SqlRow>('SELECT terms, numbers FROM model_parts ORDER BY part')
      return { ...(JSON.parse(head) as Omit<StoredModel, 'parts'>), parts }
    },
    save({ parts, ...head }) {
      const generation = settings.getNumber('model_generation') + 1
      db.transaction(() => {
        db.run('DELETE FROM model_parts')
        for (const [part, { terms, numbers }] of parts.entries())
          db.run('INSERT INTO model_parts (part, terms, numbers) VALUES (?, ?, ?)', [part, terms, numbers])
        settings.set('model_generation', generation)
        settings.set('model', JSON.stringify({ ...head, generation }))
      })
      return { ...head, generation, parts }
    },
  }
}
