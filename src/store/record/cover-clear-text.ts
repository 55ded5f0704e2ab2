// Covers what is left in clear of a record that has become sensitive: its earlier versions, lost edits, stored answers,
// vector. Invariant: this happens in the transaction that seals the record. A device that has the key seals those texts; a
// copy that has none, such as the mirror, removes them. The next scrub, noted as due, takes them out of the files.
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import type { Bodies } from './bodies.ts'
import {
  clearVersions,
  conflictsOf,
  eraseAnswers,
  eraseClearConflicts,
  eraseClearVersions,
  eraseRows,
  modelParts,
  vectorOf,
  writeOver,
} from './erase-rows.ts'
import type { RecordRow } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'

/** The setting that says that something was deleted which the files must not keep. */
export const scrubDue = 'scrub_due'

export interface ClearTextCover {
  /** Leaves nothing in clear of the record in `row`, which is sealed now. Inside a transaction. */
  cover(row: Pick<RecordRow, 'seq' | 'id' | 'kind'>): void
  /** The same for a new record, if it is sealed and lost edits of a forgotten one of its id are still there. */
  coverNew(row: Pick<RecordRow, 'seq' | 'id' | 'kind' | 'kid'>): void
}

export interface SidesRow extends SqlRow {
  readonly id: number
  readonly lost_body: string | null
  readonly kept_body: string | null
  readonly base_body: string | null
}

/** `isMirror`: what is removed here is kept, sealed, on the devices. */
export function createClearTextCover(
  db: SqlDatabase,
  isMirror: boolean,
  settings: Settings,
  bodies: Bodies,
): ClearTextCover {
  const cover: ClearTextCover = {
    coverNew(row) {
      const hasLost = () => db.get('SELECT 1 FROM conflicts WHERE record = ? LIMIT 1', [row.id]) !== undefined
      if (row.kid !== null && hasLost()) cover.cover(row)
    },
    cover(row) {
      const { seq, id } = row
      const hasKey = bodies.sealer.current() !== undefined
      if (hasKey) sealHistory(db, bodies, row)
      else eraseClearVersions(db, seq)
      if (!hasKey && isMirror) eraseClearConflicts(db, id)
      // A device without the key still says that an edit was lost.
      else coverConflicts(db, row, (text) => (hasKey ? bodies.seal(row, text) : null))
      eraseRows(db, vectorOf, [seq])
      eraseRows(db, modelParts)
      settings.remove('model')
      eraseAnswers(db, id)
      settings.set(scrubDue, 1)
    },
  }
  return cover
}

function sealHistory(db: SqlDatabase, bodies: Bodies, row: Pick<RecordRow, 'seq' | 'id' | 'kind'>): void {
  for (const { version, body } of clearVersions(db, row.seq)) {
    const sealed = bodies.seal(row, body)
    writeOver(db, { table: 'history', columns: ['body'], where: 'seq = ? AND version = ?' }, [
      row.seq,
      version,
    ])
    db.run('UPDATE history SET body = ? WHERE seq = ? AND version = ?', [sealed, row.seq, version])
  }
}

/** Has the entries of the conflict log about the record say what `seal` makes of their texts; null for none. */
export function coverConflicts(
  db: SqlDatabase,
  row: Pick<RecordRow, 'id'>,
  seal: (text: string) => string | null,
): void {
  const entries = db.all<SidesRow>(
    'SELECT id, lost_body, kept_body, base_body FROM conflicts WHERE record = ?',
    [row.id],
  )
  // The id of another record is no body.
  const sealed = (text: string | null) => (text?.startsWith('{') ? seal(text) : text)
  writeOver(db, conflictsOf, [row.id])
  for (const { id, lost_body, kept_body, base_body } of entries) {
    db.run('UPDATE conflicts SET lost_body = ?, kept_body = ?, base_body = ? WHERE id = ?', [
      sealed(lost_body),
      sealed(kept_body),
      sealed(base_body),
      id,
    ])
  }
}
