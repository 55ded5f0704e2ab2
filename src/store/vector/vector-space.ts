// The vector space of a book, named by its fingerprint: `provider|model|dimensions|normalised`.
// Invariant: a book has at most one current space. Vectors of other spaces are never read, and dropped.
import type { SqlDatabase } from '../../core/ports.ts'
import type { Settings } from '../schema/settings.ts'

/** The embedder of a space: only vectors of one space can be compared. */
export interface EmbedderSpace {
  readonly provider: string
  readonly model: string
  readonly dimensions: number
}

/** The fingerprint of a space. All stored vectors have unit length, so the last part is always `true`. */
export function fingerprintOf({ provider, model, dimensions }: EmbedderSpace): string {
  return `${fingerprintPrefix({ provider, model })}${dimensions}|true`
}

/** The prefix of an embedder's fingerprints, before its dimensions are known. */
export function fingerprintPrefix({ provider, model }: Omit<EmbedderSpace, 'dimensions'>): string {
  return `${provider}|${model.replaceAll('|', '/')}|`
}

/** The dimensions in a fingerprint; 0 for an empty text. */
export function dimensionsOf(fingerprint: string): number {
  return Number(fingerprint.split('|').at(-2) ?? 0)
}

export interface VectorSpaces {
  /** The fingerprint of the current space; undefined before the first `setCurrent`. */
  current(): string | undefined
  /** The id of the current space; 0 for none. */
  id(): number
  /** Makes `fingerprint` the current space, in its own transaction. */
  setCurrent(fingerprint: string): void
  /** Deletes up to `limit` vectors of other spaces; false when there was nothing to do. */
  dropOtherSpaces(limit: number): boolean
}

export function createVectorSpaces(db: SqlDatabase, settings: Settings): VectorSpaces {
  const id = () => settings.getNumber('vector_space')
  const current = () =>
    db.get<{ fingerprint: string }>('SELECT fingerprint FROM vector_spaces WHERE id = ?', [id()])?.fingerprint
  return {
    current,
    id,
    setCurrent(fingerprint) {
      if (current() === fingerprint) return
      db.transaction(() => {
        // `dropOtherSpaces` removes the vectors of the space before.
        if (current() !== undefined) settings.set('vector_dropping', 1)
        db.run('INSERT OR IGNORE INTO vector_spaces (fingerprint) VALUES (?)', [fingerprint])
        const row = db.get<{ id: number }>('SELECT id FROM vector_spaces WHERE fingerprint = ?', [
          fingerprint,
        ])
        settings.set('vector_space', row?.id ?? 0)
      })
    },
    dropOtherSpaces(limit) {
      if (settings.get('vector_dropping') === undefined) return false
      db.transaction(() => {
        const found = db.all<{ seq: number }>('SELECT seq FROM vectors WHERE space <> ? LIMIT ?', [
          id(),
          limit,
        ])
        db.run('DELETE FROM vectors WHERE seq IN (SELECT value FROM json_each(?))', [
          JSON.stringify(found.map(({ seq }) => seq)),
        ])
        if (found.length < limit) settings.remove('vector_dropping')
      })
      return true
    },
  }
}
