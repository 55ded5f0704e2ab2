// Seals, rewrites or removes texts of a record outside its row that must not stay: earlier versions, lost edits,
// stored answers, vector.
// Invariant: this runs in the transaction that seals the record or takes a word of it back. A copy that can't seal
// or rewrite a text removes it. A scrub, marked as due, then clears the texts from the files.
import type { JsonObject } from '../../core/json/path.ts'
import type { Kinds } from '../../core/kind.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { isSealedText, type SealedOwner } from '../../core/sealed.ts'
import type { RecordRow } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'
import type { Bodies } from './bodies.ts'
import {
  clearVersions,
  conflictBodies,
  eraseAnswers,
  eraseClearConflicts,
  eraseClearVersions,
  eraseRows,
  modelParts,
  type TextRows,
  vectorOfRecord,
  overwriteText,
} from './erase-rows.ts'

/** The setting that exists while the files may contain deleted texts: a scrub is due. */
export const scrubDue = 'scrub_due'

type RecordRef = Pick<RecordRow, 'seq' | 'id' | 'kind'>

export interface ClearTextSealer {
  /** Leaves no text in clear of the record in `row`. Call it inside the transaction that seals the record. */
  sealOrErase(row: RecordRef): void
  /** `sealOrErase` for a new record, when it is sealed and the conflict log has entries with its id. */
  sealOrEraseNew(row: Pick<RecordRow, 'seq' | 'id' | 'kind' | 'kid'>): void
}

/**
 * A copy with the key seals the texts; any other removes them. `isMirror`: without the key it removes whole entries of
 * the conflict log.
 */
export function createClearTextSealer(
  db: SqlDatabase,
  isMirror: boolean,
  settings: Settings,
  bodies: Bodies,
): ClearTextSealer {
  const sealer: ClearTextSealer = {
    sealOrEraseNew(row) {
      if (row.kid === null) return
      const lost = db.get('SELECT 1 FROM conflicts WHERE record = ? LIMIT 1', [row.id])
      if (lost !== undefined) sealer.sealOrErase(row)
    },
    sealOrErase(row) {
      const { seq, id } = row
      const hasKey = bodies.sealer.current() !== undefined
      if (hasKey)
        for (const { version, body } of clearVersions(db, seq))
          writeVersion(db, { seq, version }, bodies.seal(row, body))
      else eraseClearVersions(db, seq)
      if (!hasKey && isMirror) eraseClearConflicts(db, id)
      // A device without the key still shows that an edit was lost.
      else rewriteConflicts(db, id, (text) => (hasKey || isSealedText(text) ? bodies.seal(row, text) : null))
      eraseRows(db, vectorOfRecord, [seq])
      // The embedding model of the book was learned from its texts.
      eraseRows(db, modelParts)
      settings.remove('model')
      eraseAnswers(db, id)
      settings.set(scrubDue, 1)
    },
  }
  return sealer
}

/**
 * Removes the words of forgotten records from versions, lost edits and answers of the records that were made from
 * them. The kinds of these say how: `withoutGone` returns a body without such words, `takesBack` is true if a new body
 * takes words of the earlier one back.
 */
export interface ForgottenWordsEraser {
  /** `body` without the words of forgotten records; the same object when it has none. */
  withoutForgottenWords(owner: SealedOwner, body: JsonObject): JsonObject
  /**
   * The part of `text`, an earlier body, that may stay when the record has the body `after`; undefined when none
   * may.
   */
  textThatMayStay(owner: RecordRef, text: string, after: JsonObject): string | undefined
  /** The live sealed records whose kinds may quote forgotten records. */
  sealedRecords(): { id: string; kind: string }[]
  /**
   * Removes such words from all texts outside the record, whose body is now `after`. Call it inside a transaction.
   */
  eraseOutsideRecord(owner: RecordRef, after: JsonObject): void
}

interface ForgottenWordsEraserDeps {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly bodies: Bodies
}

export function createForgottenWordsEraser({
  db,
  kinds,
  bodies,
}: ForgottenWordsEraserDeps): ForgottenWordsEraser {
  const isForgotten = (id: string) =>
    db.get('SELECT 1 FROM records WHERE id = ? AND deleted = 1', [id]) !== undefined
  const eraser: ForgottenWordsEraser = {
    withoutForgottenWords: ({ kind }, body) => kinds.get(kind)?.withoutGone?.(body, isForgotten) ?? body,
    textThatMayStay(owner, text, after) {
      const kind = kinds.get(owner.kind)
      const body = kind?.withoutGone && bodies.read(owner, text)
      const rest = body && eraser.withoutForgottenWords(owner, body)
      if (!rest || kind?.takesBack?.(rest, after)) return undefined
      if (rest === body) return text
      const restText = JSON.stringify(rest)
      return isSealedText(text) ? bodies.seal(owner, restText) : restText
    },
    sealedRecords() {
      const names = [...kinds.values()].flatMap(({ name, withoutGone }) => (withoutGone ? [name] : []))
      return db.all(
        `SELECT id, kind FROM records WHERE kid IS NOT NULL AND deleted = 0
         AND kind IN (SELECT value FROM json_each(?)) ORDER BY seq`,
        [JSON.stringify(names)],
      )
    },
    eraseOutsideRecord(owner, after) {
      const { seq, id } = owner
      const versions = db.all<{ version: number; body: string }>(
        "SELECT version, body FROM history WHERE seq = ? AND op = 'put'",
        [seq],
      )
      for (const { version, body } of versions) {
        const rest = eraser.textThatMayStay(owner, body, after)
        if (rest === undefined) eraseRows(db, versionRow, [seq, version])
        else if (rest !== body) writeVersion(db, { seq, version }, rest)
      }
      rewriteConflicts(db, id, (text) => eraser.textThatMayStay(owner, text, after) ?? null)
      eraseAnswers(db, id)
    },
  }
  return eraser
}

const versionRow: TextRows = { table: 'history', columns: ['body'], where: 'seq = ? AND version = ?' }

function writeVersion(
  db: SqlDatabase,
  { seq, version }: { readonly seq: number; readonly version: number },
  body: string,
): void {
  overwriteText(db, versionRow, [seq, version])
  db.run('UPDATE history SET body = ? WHERE seq = ? AND version = ?', [body, seq, version])
}

interface SidesRow extends SqlRow {
  readonly id: number
  readonly loser_body: string | null
  readonly winner_body: string | null
  readonly base_body: string | null
}

/**
 * Replaces each body in the conflict log about the record `id`, in clear or sealed, by the result of `rewrite`; null
 * removes the body.
 */
export function rewriteConflicts(
  db: SqlDatabase,
  id: string,
  rewrite: (text: string) => string | null,
): void {
  const entries = db.all<SidesRow>(
    'SELECT id, loser_body, winner_body, base_body FROM conflicts WHERE record = ?',
    [id],
  )
  // A text that begins with `"` is the id of a record.
  const rewriteBody = (text: string | null) => (text === null || text.startsWith('"') ? text : rewrite(text))
  overwriteText(db, conflictBodies, [id])
  for (const entry of entries) {
    db.run('UPDATE conflicts SET loser_body = ?, winner_body = ?, base_body = ? WHERE id = ?', [
      rewriteBody(entry.loser_body),
      rewriteBody(entry.winner_body),
      rewriteBody(entry.base_body),
      entry.id,
    ])
  }
}
