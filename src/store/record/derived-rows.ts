// Writes the derived rows of one record: hot columns (facets), citations (links), scope names, words (the text
// index).
// Invariant: they match the record exactly. A forgotten or sealed record has none: sealed/opened-records.ts derives
// sealed records in memory only. An outdated record has no words, because it may quote a forgotten one.
import { type Zone, beginningOf, endingOf } from '../../core/zone.ts'
import { type Marks, markId, marksIn } from '../../core/mark.ts'
import {
  citedIds,
  type FacetName,
  facetNames,
  isEmbeddable,
  type Kind,
  type Kinds,
  unknownKind,
  ownNames,
  isRecallable,
} from '../../core/kind.ts'
import { type JsonObject, readPath } from '../../core/json/path.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import { isSealedText } from '../../core/sealed.ts'
import { parseTime } from '../../core/time.ts'
import { facetTypes } from '../schema/column.ts'
import { textKey } from '../../core/text/text-key.ts'
import { precedenceOf, SuccessionWriter } from '../schema/succession.ts'
import { textsOfRecord } from '../word/text.ts'

/** The columns of a `RecordRow` from which its rows are derived. */
export interface DerivationInput extends SqlRow {
  readonly seq: number
  readonly id: string
  readonly kind: string
  readonly session: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly deleted: number
  readonly body: string
}

export const derivationColumns = 'seq, id, kind, session, created_at, updated_at, deleted, body'

/** Hot columns whose value comes only from the body; `happened_at` falls back to the time of creation. */
const facetColumns = facetNames.filter((name) => name !== 'happened_at')

/** In the order of the values in `#writeFacets`. */
const writtenColumns = ['kind', 'recallable', 'created_at', 'updated_at', 'session', 'happened_at'].concat(
  facetColumns,
  ['text_key', 'begins_at', 'expires_at', 'embed', 'outdated', 'marks'],
)
/**
 * Replaces a row and clears its succession. Not `INSERT OR REPLACE`: SQLite journals every page that such a
 * statement changes, in case it fails.
 */
const facetsInsert = `INSERT INTO facets (seq, ${writtenColumns.join(', ')})
  VALUES (?, ${writtenColumns.map(() => '?').join(', ')})
  ON CONFLICT (seq) DO UPDATE SET superseded_at = NULL, replaced_from = NULL, displaced_at = NULL,
    ${writtenColumns.map((name) => `${name} = excluded.${name}`).join(', ')}`

const textInsert = (count: number) => {
  const names = Array.from({ length: count }, (_, i) => `t${i}`)
  return `INSERT INTO text_index (rowid, ${names.join(', ')}) VALUES (?, ${names.map(() => '?').join(', ')})`
}

interface DerivedRowsDeps {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  /** The time zone of dates without a time. */
  readonly zone: Zone
  /** Runs for each record whose existing derived rows change. */
  onChange(seq: number): void
}

export class DerivedRows {
  readonly #db: SqlDatabase
  readonly #kinds: Kinds
  readonly #zone: Zone
  /** The names of the kinds of marks. */
  readonly #markKinds: readonly string[]
  /** Whether the book has marks; undefined: not read yet. */
  #hasMarks: boolean | undefined
  readonly #succession: SuccessionWriter
  readonly #onChange: (seq: number) => void

  constructor({ db, kinds, zone, onChange }: DerivedRowsDeps) {
    this.#db = db
    this.#kinds = kinds
    this.#zone = zone
    this.#markKinds = [...kinds.values()].filter(({ marks }) => marks !== undefined).map(({ name }) => name)
    this.#onChange = onChange
    this.#succession = new SuccessionWriter(db, onChange)
  }

  /** Writes the derived rows of a record. Pass `isNew` only when it has none. Call it inside a transaction. */
  write(row: DerivationInput, isNew: boolean): void {
    const kind = this.#kinds.get(row.kind) ?? unknownKind(row.kind)
    const isIndexed = row.deleted === 0 && !isSealedText(row.body)
    const indexedKind = isIndexed ? kind : undefined
    const markedBefore = kind.marks === undefined || isNew ? undefined : this.#markedRecordId(row.seq)
    if (!isNew) this.#remove(row, indexedKind !== undefined)
    if (indexedKind) this.#derive(row, indexedKind, isNew)
    if (kind.marks === undefined) return
    this.#hasMarks = true
    const markedNow = indexedKind && textAt(JSON.parse(row.body) as JsonObject, kind.marks)
    for (const id of new Set([markedBefore, markedNow])) if (id !== undefined) this.#updateMarksOf(id)
  }

  /** The id of the record that the mark at `seq` marked when its rows were last written: a mark's hot column `name`. */
  #markedRecordId(seq: number): string | undefined {
    return (
      this.#db.get<{ name: string | null }>('SELECT name FROM facets WHERE seq = ?', [seq])?.name ?? undefined
    )
  }

  /**
   * Removes the links of a record, and all its other rows, unless `isReplaced`: the caller then writes them
   * again.
   */
  #remove({ seq, id }: DerivationInput, isReplaced: boolean): void {
    const cited = this.#db.all<{ target: string }>(
      'SELECT target FROM links WHERE seq = ? AND supersedes > 0',
      [seq],
    )
    this.#db.run('DELETE FROM links WHERE seq = ?', [seq])
    for (const { target } of cited) this.#succession.updateTarget(target)
    if (isReplaced) return
    this.#db.run('DELETE FROM facets WHERE seq = ?', [seq])
    this.#db.run('DELETE FROM scope_names WHERE seq = ?', [seq])
    this.#db.run('DELETE FROM text_index WHERE rowid = ?', [seq])
    this.#onChange(seq)
    // Its own state depends on its links too.
    this.#succession.updateTarget(id)
  }

  #derive(row: DerivationInput, kind: Kind, isNew: boolean): void {
    const { seq } = row
    const body = JSON.parse(row.body) as JsonObject
    const happenedAt = textAt(body, kind.facets.happened_at) ?? row.created_at
    const isOutdated = this.#isOutdated(kind, seq)
    const texts = textsOfRecord(kind, isOutdated ? {} : body, happenedAt, this.#zone)
    const key = textKey(texts)
    const textKeyBefore = isNew ? undefined : this.#textKeyOf(seq)
    this.#writeFacets(row, kind, body, { happenedAt, key, isOutdated })
    this.#writeLinks(row, kind, body)
    if (kind.scopeNames) this.#writeNames(seq, ownNames(kind, body), isNew)
    if (!isNew) this.#onChange(seq)
    if (textKeyBefore === key) return
    if (textKeyBefore !== undefined) this.#db.run('DELETE FROM text_index WHERE rowid = ?', [seq])
    if (texts.length > 0) this.#db.run(textInsert(texts.length), [seq, ...texts])
  }

  #isOutdated({ madeFrom }: Kind, seq: number): boolean {
    return madeFrom !== undefined && this.#db.get('SELECT 1 FROM outdated WHERE seq = ?', [seq]) !== undefined
  }

  #textKeyOf(seq: number): number | undefined {
    return this.#db.get<{ text_key: number }>('SELECT text_key FROM facets WHERE seq = ?', [seq])?.text_key
  }

  #writeFacets(
    row: DerivationInput,
    kind: Kind,
    body: JsonObject,
    {
      happenedAt,
      key,
      isOutdated,
    }: { readonly happenedAt: string; readonly key: number; readonly isOutdated: boolean },
  ): void {
    const begins = timeAt(body, kind.begins)
    const expires = timeAt(body, kind.expires)
    const marks = this.#marksOf(row.id)
    this.#db.run(facetsInsert, [
      row.seq,
      row.kind,
      isOutdated || !isRecallable(kind, body) ? 0 : 1,
      row.created_at,
      row.updated_at,
      row.session,
      happenedAt,
      ...facetColumns.map((name) => facetValue(body, name, kind.facets[name], marks)),
      key,
      begins === undefined ? null : beginningOf(begins, this.#zone),
      expires === undefined ? null : endingOf(expires, this.#zone),
      !isOutdated && isEmbeddable(kind, body) ? 1 : 0,
      isOutdated ? 1 : 0,
      marks ? JSON.stringify(marks) : null,
    ])
  }

  #writeNames(seq: number, names: readonly string[], isNew: boolean): void {
    if (!isNew) this.#db.run('DELETE FROM scope_names WHERE seq = ?', [seq])
    for (const name of names) this.#db.run('INSERT INTO scope_names (seq, name) VALUES (?, ?)', [seq, name])
  }

  /** Clears the cache. Call it before each page: a transaction may have been undone. */
  clearCache(): void {
    this.#hasMarks = undefined
  }

  /** The marks of the record `id`; undefined without any. Caches whether the book has marks at all. */
  #marksOf(id: string): Marks | undefined {
    this.#hasMarks ??= this.#markKinds.some(
      (name) => this.#db.get('SELECT 1 FROM facets WHERE kind = ? LIMIT 1', [name]) !== undefined,
    )
    if (!this.#hasMarks) return undefined
    const row = this.#db.get<Pick<DerivationInput, 'kind' | 'body'>>(
      'SELECT kind, body FROM records WHERE id = ? AND deleted = 0 AND kid IS NULL',
      [markId(id)],
    )
    return row && this.#markKinds.includes(row.kind) ? marksIn(JSON.parse(row.body) as JsonObject) : undefined
  }

  /**
   * Writes the present marks to the hot columns of the record `id`. A record without rows gets them with its first
   * rows.
   */
  #updateMarksOf(id: string): void {
    const row = this.#db.get<DerivationInput>(
      `SELECT ${derivationColumns} FROM records WHERE id = ? AND deleted = 0`,
      [id],
    )
    const kind = row && this.#kinds.get(row.kind)
    if (!kind || isSealedText(row.body)) return
    const body = JSON.parse(row.body) as JsonObject
    const marks = this.#marksOf(id)
    this.#db.run('UPDATE facets SET marks = ?, importance = ?, pinned = ? WHERE seq = ?', [
      marks ? JSON.stringify(marks) : null,
      facetValue(body, 'importance', kind.facets.importance, marks),
      facetValue(body, 'pinned', kind.facets.pinned, marks),
      row.seq,
    ])
    this.#onChange(row.seq)
  }

  #writeLinks({ seq, id }: DerivationInput, kind: Kind, body: JsonObject): void {
    const { cites = [] } = kind
    for (const cite of cites) {
      // 0: the citation supersedes nothing. Else: which of several records that supersede the same one counts.
      const precedence = precedenceOf(kind, cite)
      for (const target of citedIds(body, cite.path)) {
        this.#db.run('INSERT OR IGNORE INTO links (target, seq, path, supersedes) VALUES (?, ?, ?, ?)', [
          target,
          seq,
          cite.path,
          precedence,
        ])
        if (precedence > 0) this.#succession.updateTarget(target)
      }
    }
    if (cites.some(({ supersedes }) => supersedes)) this.#succession.updateTarget(id)
  }
}

function textAt(body: JsonObject, path: string | undefined): string | undefined {
  const value = path === undefined ? undefined : readPath(body, path)
  return typeof value === 'string' ? value : undefined
}

/** The time at `path`, as it is written; undefined for any other value. */
function timeAt(body: JsonObject, path: string | undefined): string | undefined {
  const text = textAt(body, path)
  return text === undefined || parseTime(text) === undefined ? undefined : text
}

/** The value of a hot column: booleans as 0 or 1, null for a value of another type, which stays in the JSON only. */
function facetValue(
  body: JsonObject,
  name: FacetName,
  path: string | undefined,
  marks: Marks | undefined,
): SqlValue {
  const marked = name === 'importance' || name === 'pinned' ? marks?.[name] : undefined
  const value = marked ?? (path === undefined ? undefined : readPath(body, path))
  switch (facetTypes[name]) {
    case 'boolean':
      return typeof value === 'boolean' ? Number(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'text':
      // SQLite would replace a lone surrogate, and the column would differ from the record.
      return typeof value === 'string' && value.isWellFormed() ? value : null
  }
}
