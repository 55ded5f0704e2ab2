// The rows that say what was made from what: ids of records, keys of what is no record yet, and what became of a key.
// Invariant: from the moment on in which a record and what knows it by a key are both here, the one stands among the sources of the
// other, whichever came first and however it came.
import type { SqlDatabase } from '../../core/ports.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'
import { AwaitedIndex, type AwaitedIndexParts, type Found } from './awaited-index.ts'

export interface SourceLinksParts extends AwaitedIndexParts {
  /** One more source of the record in `row` was found. */
  onLinked(row: RecordRow): void
}

const awaitingSql = `SELECT s.source AS key, ${recordColumns} FROM json_each(?) j JOIN sources s ON s.source = j.value
  JOIN records r ON r.seq = s.seq WHERE r.deleted = 0 ORDER BY s.seq`
/** Stands before a key among the sources of a record when what it is of was forgotten. */
export const goneMark = '!-'
/** Stands before a key, and the id of the record that was found by it. */
const foundMark = '!='

export class SourceLinks {
  readonly awaited: AwaitedIndex
  readonly #parts: SourceLinksParts
  readonly #db: SqlDatabase

  constructor(parts: SourceLinksParts) {
    this.#parts = parts
    this.#db = parts.db
    this.awaited = new AwaitedIndex(parts)
  }

  add({ seq, kind }: RecordRow, sources: readonly string[]): void {
    for (const source of sources)
      this.#db.run('INSERT OR IGNORE INTO sources (source, seq, kind) VALUES (?, ?, ?)', [source, seq, kind])
  }

  /** Whether anything was ever made from what was no record yet: most books have none of that. */
  awaitsSome(): boolean {
    return this.awaited.isKept()
  }

  /** The live records that were made from what is in `row`, before it was one, and the key by which each knows it. */
  awaiting(row: RecordRow): [string, RecordRow][] {
    return this.#knowing(this.awaited.keysOf(row))
  }

  /** Links what was made from what is in `row`, before that was here. What is linked once stays so, whatever it says later. */
  findMade(row: RecordRow): void {
    const keys = this.awaited.written(row).filter((key) => !this.awaited.isCommon(key))
    for (const [key, made] of this.#knowing(keys)) {
      const sources = foundSources({ key, id: row.id })
      if (this.#db.get('SELECT 1 FROM sources WHERE source = ? AND seq = ?', [sources[1], made.seq])) continue
      this.add(made, sources)
      this.#parts.onLinked(made)
    }
  }

  /** The records here that the record `id` knows by `keys`. One that it knew so stays, also where it is sealed or gone now. */
  find(id: string, keys: readonly string[]): Found[] {
    if (keys.length === 0 || !this.awaitsSome()) return []
    const known = this.found(id).filter(({ key }) => keys.includes(key))
    return [...known, ...this.awaited.find(keys)]
  }

  /** The records that the record `id` knows by a key. */
  found(id: string): Found[] {
    return this.#marked(id, foundMark).map((said) => {
      const end = said.indexOf(' ')
      return { key: said.slice(0, end), id: said.slice(end + 1) }
    })
  }

  /** Those keys of the record `id` of which is known what was forgotten since. */
  goneKeys(id: string): string[] {
    return this.#marked(id, goneMark)
  }

  /** What stands behind `mark` among the sources of the record `id`. */
  #marked(id: string, mark: string): string[] {
    return this.#db
      .all<{ source: string }>(
        `SELECT s.source FROM records r JOIN sources s ON s.seq = r.seq WHERE r.id = ? AND s.source GLOB '${mark}*'`,
        [id],
      )
      .map(({ source }) => source.slice(mark.length))
  }

  #knowing(keys: readonly string[]): [string, RecordRow][] {
    if (keys.length === 0) return []
    return this.#db
      .all<RecordRow & { key: string }>(awaitingSql, [JSON.stringify(keys)])
      .map(({ key, ...row }): [string, RecordRow] => [key, row])
  }
}

/** What stands among the sources for a record that was found by a key. */
export function foundSources({ key, id }: Found): [string, string] {
  return [id, `${foundMark}${key} ${id}`]
}
