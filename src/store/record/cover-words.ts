// Covers the words of what is gone in texts beside the record that was made of it: its earlier versions and lost edits. Versions on
// which a change waits, and edits that lost, stay without them.
// Invariant: what can't be read here without those words is removed.
import type { Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { isSealedText, type SealedOwner } from '../../core/sealed.ts'
import type { RecordRow } from '../schema/record-row.ts'
import type { Bodies } from './bodies.ts'
import { coverConflicts } from './cover-clear-text.ts'
import { eraseAnswers, eraseRows, type TextRows, writeOver } from './erase-rows.ts'

type Owner = Pick<RecordRow, 'seq' | 'id' | 'kind'>

export interface WordCover {
  /** `body` without the words of what is gone; the same object where it has none. */
  without(owner: SealedOwner, body: JsonObject): JsonObject
  /** What may stay of `text`, which the record said once and says no more in `after`; undefined where nothing may. */
  left(owner: Owner, text: string, after: JsonObject): string | undefined
  /** The sealed records that may have such words. */
  sealed(): { id: string; kind: string }[]
  /** Leaves no such words beside the record, which says `after` now. Inside a transaction. */
  cover(owner: Owner, after: JsonObject): void
}

export interface WordCoverParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly bodies: Bodies
}

const version: TextRows = { table: 'history', columns: ['body'], where: 'seq = ? AND version = ?' }

export function createWordCover({ db, kinds, bodies }: WordCoverParts): WordCover {
  const isGone = (id: string) =>
    db.get('SELECT 1 FROM records WHERE id = ? AND deleted = 1', [id]) !== undefined
  const words: WordCover = {
    without: ({ kind }, body) => kinds.get(kind)?.withoutGone?.(body, isGone) ?? body,
    left(owner, text, after) {
      const kind = kinds.get(owner.kind)
      const body = kind?.withoutGone && bodies.read(owner, text)
      const left = body && words.without(owner, body)
      if (!left || kind?.takesBack?.(left, after)) return undefined
      if (left === body) return text
      const said = JSON.stringify(left)
      return isSealedText(text) ? bodies.seal(owner, said) : said
    },
    sealed() {
      const names = [...kinds.values()].flatMap(({ name, withoutGone }) => (withoutGone ? [name] : []))
      return db.all(
        `SELECT id, kind FROM records WHERE kid IS NOT NULL AND deleted = 0
         AND kind IN (SELECT value FROM json_each(?)) ORDER BY seq`,
        [JSON.stringify(names)],
      )
    },
    cover(owner, after) {
      const { seq, id } = owner
      const versions = db.all<{ version: number; body: string }>(
        "SELECT version, body FROM history WHERE seq = ? AND op = 'put'",
        [seq],
      )
      for (const { version: n, body } of versions) {
        const left = words.left(owner, body, after)
        if (left === body) continue
        if (left === undefined) {
          eraseRows(db, version, [seq, n])
          continue
        }
        writeOver(db, version, [seq, n])
        db.run('UPDATE history SET body = ? WHERE seq = ? AND version = ?', [left, seq, n])
      }
      coverConflicts(db, owner, (text) => words.left(owner, text, after) ?? null)
      eraseAnswers(db, id)
    },
  }
  return words
}
