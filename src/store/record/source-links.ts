// The rows that link a record to its sources: ids of records, keys of sources that are not records yet, and gone
// keys. A kind declares its keys in `awaitedAs` (core/kind.ts). The table of keys stays empty until a record awaits
// a source.
// Invariant: when a record and its source by key are both here, they are linked, in whatever order they arrived.
// Keys of a sealed record are in memory only: in the file, a key would confirm a guessed text.
import { type Kind, type Kinds, ownAwaitedKeys } from '../../core/kind.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { textKey } from '../../core/text/text-key.ts'
import { awaitedSetting } from '../schema/derived.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'
import type { Bodies } from './bodies.ts'

/** A record and one of its keys. */
interface KeyedRecord {
  readonly key: string
  readonly id: string
}

interface SourceLinksParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly settings: Settings
  readonly bodies: Bodies
  /** Called when one more source of the record in `row` is found. */
  onLinked(row: RecordRow): void
}

type AwaitedIndexParts = Omit<SourceLinksParts, 'onLinked'>

/** Most records with one key that are linked. A key of more records is made of common words. */
const sameLimit = 100

const findSql = `SELECT r.id FROM awaited a JOIN records r ON r.seq = a.seq WHERE a.key = ? AND r.deleted = 0
  ORDER BY a.seq LIMIT ${sameLimit}`
const rowSql = `SELECT ${recordColumns} FROM records r WHERE r.seq = ?`

/** Finds records by their keys. */
class AwaitedIndex {
  readonly #parts: AwaitedIndexParts
  readonly #db: SqlDatabase
  readonly #kinds: readonly Kind[]
  readonly #declared: number
  #isUsed: boolean | undefined
  /** Numbers of decrypted sealed records, by key. A changed record stays listed under its old keys too. */
  readonly #sealed = new Map<string, Set<number>>()
  /** Numbers of the sealed records to read again; undefined: all. */
  #due: Set<number> | undefined

  constructor(parts: AwaitedIndexParts) {
    this.#parts = parts
    this.#db = parts.db
    this.#kinds = [...parts.kinds.values()].filter(({ awaitedAs }) => awaitedAs !== undefined)
    this.#declared = textKey(this.#kinds.flatMap(({ name, version }) => [name, String(version)]))
  }

  /** True when a record of this book has ever awaited a source. */
  isUsed(): boolean {
    return (this.#isUsed ??= this.#isFilled())
  }

  /** Fills the table of keys. Call it inside a transaction, before the first record that awaits a source. */
  begin(): void {
    // Read the database: a rollback may have undone what memory says.
    if (this.#isFilled()) return
    this.#db.run('DELETE FROM awaited')
    // Read one record at a time: bodies may be large.
    for (const { seq } of this.#seqs('r.kid IS NULL')) {
      const row = this.#db.get<RecordRow>(rowSql, [seq])
      if (row) this.#add(row.seq, this.keysOf(row))
    }
    this.#parts.settings.set(awaitedSetting, this.#declared)
    this.#isUsed = true
  }

  /** The keys of the record in `row`; empty when it is forgotten or has no key here. */
  keysOf(row: RecordRow): string[] {
    const kind = this.#parts.kinds.get(row.kind)
    const body = kind?.awaitedAs && row.deleted === 0 ? this.#parts.bodies.read(row, row.body) : undefined
    return kind && body ? ownAwaitedKeys(kind, body, row.agent) : []
  }

  /**
   * Stores the keys of the written record in `row` and returns them. Call it inside the transaction that writes it.
   */
  written(row: RecordRow): readonly string[] {
    if (!this.#parts.kinds.get(row.kind)?.awaitedAs || !this.isUsed()) return []
    const { seq, kid } = row
    const keys = this.keysOf(row)
    const before = this.#db.all<{ key: string }>('SELECT key FROM awaited WHERE seq = ?', [seq])
    const after = new Set(kid === null ? keys : [])
    if (before.length !== after.size || before.some(({ key }) => !after.has(key))) {
      this.removed(seq)
      this.#add(seq, after)
    }
    if (kid !== null) this.#due?.add(seq)
    return keys
  }

  removed(seq: number): void {
    this.#db.run('DELETE FROM awaited WHERE seq = ?', [seq])
  }

  /** The live records here with any of `keys`: at most `sameLimit` in clear for each, and as many sealed ones. */
  find(keys: readonly string[]): KeyedRecord[] {
    if (keys.length === 0 || !this.isUsed()) return []
    this.#open()
    return keys.flatMap((key) => {
      const clear = this.#db.all<{ id: string }>(findSql, [key])
      return [...clear.map(({ id }) => ({ key, id })), ...this.#findSealed(key)]
    })
  }

  /** True when more records in clear have `key` than `sameLimit`. */
  isCommon(key: string): boolean {
    const last = 'SELECT 1 FROM awaited WHERE key = ? LIMIT 1 OFFSET ?'
    return this.#db.get(last, [key, sameLimit]) !== undefined
  }

  /** Call it when encryption keys were added or removed: the next question reads all sealed records again. */
  renew(): void {
    this.#sealed.clear()
    this.#due = undefined
  }

  /** Call it when the sealed record at `seq` may be readable now. */
  changed(seq: number): void {
    this.#due?.add(seq)
  }

  /** The keys of all sealed records that can be read. */
  sealedKeys(): string[] {
    if (!this.isUsed()) return []
    this.#open()
    return [...this.#sealed.keys()]
  }

  #isFilled(): boolean {
    return this.#parts.settings.getNumber(awaitedSetting) === this.#declared
  }

  #seqs(condition: string): { seq: number }[] {
    return this.#db.all<{ seq: number }>(
      `SELECT r.seq FROM records r WHERE r.kind IN (SELECT value FROM json_each(?)) AND r.deleted = 0 AND ${condition}`,
      [JSON.stringify(this.#kinds.map(({ name }) => name))],
    )
  }

  #add(seq: number, keys: Iterable<string>): void {
    for (const key of keys) this.#db.run('INSERT OR IGNORE INTO awaited (key, seq) VALUES (?, ?)', [key, seq])
  }

  #open(): void {
    if (this.#parts.bodies.sealer.current() === undefined) return
    const seqs = this.#due ?? this.#seqs('r.kid IS NOT NULL').map(({ seq }) => seq)
    this.#due = new Set()
    for (const seq of seqs) {
      const row = this.#db.get<RecordRow>(rowSql, [seq])
      for (const key of row ? this.keysOf(row) : []) {
        const seqs = this.#sealed.get(key)
        if (seqs) seqs.add(seq)
        else this.#sealed.set(key, new Set([seq]))
      }
    }
  }

  #findSealed(key: string): KeyedRecord[] {
    return [...(this.#sealed.get(key) ?? [])].slice(0, sameLimit).flatMap((seq) => {
      const row = this.#db.get<RecordRow>(rowSql, [seq])
      return row && row.kid !== null && this.keysOf(row).includes(key) ? [{ key, id: row.id }] : []
    })
  }
}

const awaitingSql = `SELECT s.source AS key, ${recordColumns} FROM json_each(?) j JOIN sources s ON s.source = j.value
  JOIN records r ON r.seq = s.seq WHERE r.deleted = 0 ORDER BY s.seq`
/** Prefix of a gone key among the sources of a record: the source with this key was forgotten. */
export const goneMark = '!-'
/** Prefix of a source row with a key, a space and the id of the record that the key found. */
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

  /** The live records that name the content of `row` by a key, each with this key. */
  awaiting(row: RecordRow): [string, RecordRow][] {
    return this.#withKeys(this.awaited.keysOf(row))
  }

  /**
   * Links the present records that name the content of `row` by a key. A link stays when the content changes later.
   */
  findMade(row: RecordRow): void {
    const keys = this.awaited.written(row).filter((key) => !this.awaited.isCommon(key))
    for (const [key, made] of this.#withKeys(keys)) {
      const sources = foundSources({ key, id: row.id })
      if (this.#db.get('SELECT 1 FROM sources WHERE source = ? AND seq = ?', [sources[1], made.seq])) continue
      this.add(made, sources)
      this.#parts.onLinked(made)
    }
  }

  /** The records here that `keys` of the record `id` name, with linked ones that are sealed or forgotten now. */
  find(id: string, keys: readonly string[]): KeyedRecord[] {
    if (keys.length === 0 || !this.awaited.isUsed()) return []
    const linked = this.found(id).filter(({ key }) => keys.includes(key))
    return [...linked, ...this.awaited.find(keys)]
  }

  /** The records that keys of the record `id` have found. */
  found(id: string): KeyedRecord[] {
    return this.#marked(id, foundMark).map((text) => {
      const end = text.indexOf(' ')
      return { key: text.slice(0, end), id: text.slice(end + 1) }
    })
  }

  /** The keys of the record `id` whose source was forgotten. */
  goneKeys(id: string): string[] {
    return this.#marked(id, goneMark)
  }

  /** The source rows of the record `id` that begin with `mark`, without this prefix. */
  #marked(id: string, mark: string): string[] {
    return this.#db
      .all<{ source: string }>(
        `SELECT s.source FROM records r JOIN sources s ON s.seq = r.seq WHERE r.id = ? AND s.source GLOB '${mark}*'`,
        [id],
      )
      .map(({ source }) => source.slice(mark.length))
  }

  #withKeys(keys: readonly string[]): [string, RecordRow][] {
    if (keys.length === 0) return []
    return this.#db
      .all<RecordRow & { key: string }>(awaitingSql, [JSON.stringify(keys)])
      .map(({ key, ...row }): [string, RecordRow] => [key, row])
  }
}

/** The two source rows that link a record to one that a key found. */
export function foundSources({ key, id }: KeyedRecord): [string, string] {
  return [id, `${foundMark}${key} ${id}`]
}
