// Uploads in progress: their records wait in the table `staged` until the whole upload has arrived.
// Invariant: a staged text is not a record of the book, and the next engine drops it. When an upload that is dropped
// may quote a forgotten or sealed record, a scrub clears it from the files.
import type { StagedRecord, Staging } from '../../core/capability/transfer.ts'
import { DaybookError } from '../../core/errors.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { isSealing, lockedError, sealedOf } from '../../core/sealed.ts'
import type { Settings } from '../schema/settings.ts'
import type { Bodies } from './bodies.ts'
import { scrubDue } from './cover-text.ts'
import { eraseRows, stagedOfUpload } from './erase-rows.ts'

export interface StagingStore extends Staging {
  /** At most `limit` ids above `after`, of live records of `kinds` that the upload does not include, in order. */
  idsNotStaged(upload: string, kinds: readonly string[], after: string, limit: number): string[]
}

type StagedRow = StagedRecord & SqlRow & { readonly n: number }

/** A page ends after this many UTF-16 units, so that large records don't fill the memory. */
const maxPageChars = 500_000
const pageRows = 25

/**
 * Finds a staged text in clear that contains the id of a forgotten or sealed record: its own id or that of a source.
 */
const quotingSql = `SELECT 1 FROM staged s
  WHERE s.upload = ? AND EXISTS (SELECT 1 FROM records WHERE deleted = 1 OR kid IS NOT NULL)
  AND EXISTS (SELECT 1 FROM json_tree(iif(substr(s.text, 1, 1) = '{', s.text, 'null')) j JOIN records r ON r.id = j.value
    WHERE j.type = 'text' AND (r.deleted = 1 OR r.kid IS NOT NULL)) LIMIT 1`

/**
 * A staged record has its whole JSON in `text`; empty: this book purged the record before. `isSealed`: the upload
 * contained it sealed. `path`: its place in the file, for errors.
 */
export function createStaging(db: SqlDatabase, settings: Settings, bodies: Bodies): StagingStore {
  return {
    add(upload, records) {
      for (const { id, kind, text, sensitivity, isSealed, path: place } of records) {
        if (db.get('SELECT n FROM staged WHERE upload = ? AND id = ?', [upload, id])) {
          const path = place === undefined ? 'id' : `${place}.id`
          throw new DaybookError('invalid-file', `\`${path}\`: The file has the id \`${id}\` twice.`, {
            details: { path, id },
          })
        }
        // A record that will be sealed is sealed here already.
        const stored = isSealing(sensitivity) && !isSealed ? bodies.seal({ kind, id }, text) : text
        db.run('INSERT INTO staged (upload, id, kind, text) VALUES (?, ?, ?, ?)', [upload, id, kind, stored])
      }
    },
    read(upload, after) {
      const rows: StagedRow[] = []
      for (let readChars = 0; readChars < maxPageChars;) {
        const page = db.all<StagedRow>(
          'SELECT n, id, kind, text FROM staged WHERE upload = ? AND n > ? ORDER BY n LIMIT ?',
          [upload, rows.at(-1)?.n ?? after, pageRows],
        )
        rows.push(...page)
        for (const { text } of page) readChars += text.length
        if (page.length < pageRows) break
      }
      return rows.map(({ n, id, kind, text }) => {
        const plain = bodies.open({ kind, id }, text)
        if (plain === undefined) throw lockedError(bodies.sealer, { kind, id }, sealedOf(text))
        return { n, record: { id, kind, text: plain } }
      })
    },
    drop: (upload) => dropUpload(db, settings, upload),
    idsNotStaged(upload, kinds, after, limit) {
      const rows = db.all<{ id: string }>(
        `SELECT r.id FROM records r WHERE r.id > ? AND r.deleted = 0
         AND r.kind IN (SELECT value FROM json_each(?))
         AND NOT EXISTS (SELECT 1 FROM staged s WHERE s.upload = ? AND s.id = r.id) ORDER BY r.id LIMIT ?`,
        [after, JSON.stringify(kinds), upload, limit],
      )
      return rows.map(({ id }) => id)
    },
  }
}

/** Drops the incomplete uploads of an earlier engine. Call it inside a transaction. */
export function clearStaging(db: SqlDatabase, settings: Settings): void {
  const uploads = db.all<{ upload: string }>('SELECT DISTINCT upload FROM staged')
  for (const { upload } of uploads) dropUpload(db, settings, upload)
}

function dropUpload(db: SqlDatabase, settings: Settings, upload: string): void {
  if (!db.get(quotingSql, [upload])) return db.run('DELETE FROM staged WHERE upload = ?', [upload])
  eraseRows(db, stagedOfUpload, [upload])
  settings.set(scrubDue, 1)
}
