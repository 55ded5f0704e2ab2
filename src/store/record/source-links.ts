// The rows that link a record to its sources: ids of records, keys of sources that are not records yet, and keys of
// forgotten sources. A source that is no record yet is, for example, a message of a history that was not stored. A
// kind declares the keys of its records in `awaitedAs`. The table of keys stays empty until a record awaits a source.
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

interface SourceLinksDeps {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly settings: Settings
  readonly bodies: Bodies
  /** Called when one more source of the record in `row` is found. */
  onLinked(row: RecordRow): void
}

type AwaitedIndexDeps = Omit<SourceLinksDeps, 'onLinked'>

/** Most records with one key that are linked. A key of more records is made of common words. */
const maxRecordsPerKey = 100

const findSql = `SELECT r.id FROM awaited a JOIN records r ON r.seq = a.seq WHERE a.key = ? AND r.deleted = 0
  ORDER BY a.seq LIMIT ${maxRecordsPerKey}`
const rowSql = `SELECT ${recordColumns} FROM records r WHERE r.seq = ?`

/** Finds records by their keys. */
class AwaitedIndex {
  readonly #deps: AwaitedIndexDeps
  readonly #db: SqlDatabase
  readonly #kinds: readonly Kind[]
  /** A hash of the declarations of these kinds. The setting has that by which the table was filled. */
  readonly #declared: number
  /** See `isUsed()`; undefined: not read yet. */
  #isUsed: boolean | undefined
  /** Numbers of decrypted sealed records, by key. A changed record stays listed under its old keys too. */
  readonly #sealed = new Map<string, Set<number>>()
  /** Numbers of the sealed records to read again; undefined: all. */
  #sealedToRead: Set<number> | undefined

  constructor(deps: AwaitedIndexDeps) {
    this.#deps = deps
    this.#db = deps.db
    this.#kinds = [...deps.kinds.values()].filter(({ awaitedAs }) => awaitedAs !== undefined)
    this.#declared = textKey(this.#kinds.flatMap(({ name, version }) => [name, String(version)]))
  }

  /** True when a record of this book has ever awaited a source. */
  isUsed(): boolean {
    return (this.#isUsed ??= this.#isFilled())
  }

  /** Fills the table of keys. Call it inside a transaction, before the first record that awaits a source. */
  fillTable(): void {
    // Read the database: a rollback may have undone what memory says.
    if (this.#isFilled()) return
    this.#db.run('DELETE FROM awaited')
    // Read one record at a time: bodies may be large.
    for (const { seq } of this.#seqsWhere('r.kid IS NULL')) {
      const row = this.#db.get<RecordRow>(rowSql, [seq])
      if (row) this.#add(row.seq, this.keysOf(row))
    }
    this.#deps.settings.set(awaitedSetting, this.#declared)
    this.#isUsed = true
  }

  /** The keys of the record in `row`; empty when it is forgotten or can't be decrypted here. */
  keysOf(row: RecordRow): string[] {
    const kind = this.#deps.kinds.get(row.kind)
    const body = kind?.awaitedAs && row.deleted === 0 ? this.#deps.bodies.read(row, row.body) : undefined
    return kind && body ? ownAwaitedKeys(kind, body, row.agent) : []
  }

  /**
   * Stores the keys of the written record in `row` and returns them. Call it inside the transaction that writes it.
   */
  updateKeys(row: RecordRow): readonly string[] {
    if (!this.#deps.kinds.get(row.kind)?.awaitedAs || !this.isUsed()) return []
    const { seq, kid } = row
    const keys = this.keysOf(row)
    const before = this.#db.all<{ key: string }>('SELECT key FROM awaited WHERE seq = ?', [seq])
    const after = new Set(kid === null ? keys : [])
    if (before.length !== after.size || before.some(({ key }) => !after.has(key))) {
      this.removeKeys(seq)
      this.#add(seq, after)
    }
    if (kid !== null) this.#sealedToRead?.add(seq)
    return keys
  }

  removeKeys(seq: number): void {
    this.#db.run('DELETE FROM awaited WHERE seq = ?', [seq])
  }

  /**
   * The live records here with any of `keys`: at most `maxRecordsPerKey` in clear for each, and as many sealed ones.
   */
  find(keys: readonly string[]): KeyedRecord[] {
    if (keys.length === 0 || !this.isUsed()) return []
    this.#readSealed()
    return keys.flatMap((key) => {
      const clear = this.#db.all<{ id: string }>(findSql, [key])
      return [...clear.map(({ id }) => ({ key, id })), ...this.#findSealed(key)]
    })
  }

  /** True when more records in clear have `key` than `maxRecordsPerKey`. */
  isCommon(key: string): boolean {
    const last = 'SELECT 1 FROM awaited WHERE key = ? LIMIT 1 OFFSET ?'
    return this.#db.get(last, [key, maxRecordsPerKey]) !== undefined
  }

  /** Call it when encryption keys were added or removed: the next search reads all sealed records again. */
  rereadSealed(): void {
    this.#sealed.clear()
    this.#sealedToRead = undefined
  }

  /** Call it when the sealed record at `seq` may be readable now. */
  markSealedChanged(seq: number): void {
    this.#sealedToRead?.add(seq)
  }

  /** The keys of all sealed records that can be read. */
  sealedKeys(): string[] {
    if (!this.isUsed()) return []
    this.#readSealed()
    return [...this.#sealed.keys()]
  }

  #isFilled(): boolean {
    return this.#deps.settings.getNumber(awaitedSetting) === this.#declared
  }

  #seqsWhere(condition: string): { seq: number }[] {
    return this.#db.all<{ seq: number }>(
      `SELECT r.seq FROM records r WHERE r.kind IN (SELECT value FROM json_each(?)) AND r.deleted = 0 AND ${condition}`,
      [JSON.stringify(this.#kinds.map(({ name }) => name))],
    )
  }

  #add(seq: number, keys: Iterable<string>): void {
    for (const key of keys) this.#db.run('INSERT OR IGNORE INTO awaited (key, seq) VALUES (?, ?)', [key, seq])
  }

  #readSealed(): void {
    if (this.#deps.bodies.sealer.current() === undefined) return
    const seqs = this.#sealedToRead ?? this.#seqsWhere('r.kid IS NOT NULL').map(({ seq }) => seq)
    this.#sealedToRead = new Set()
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
    return [...(this.#sealed.get(key) ?? [])].slice(0, maxRecordsPerKey).flatMap((seq) => {
      const row = this.#db.get<RecordRow>(rowSql, [seq])
      return row && row.kid !== null && this.keysOf(row).includes(key) ? [{ key, id: row.id }] : []
    })
  }
}

const awaitingSql = `SELECT s.source AS key, ${recordColumns} FROM json_each(?) j JOIN sources s ON s.source = j.value
  JOIN records r ON r.seq = s.seq WHERE r.deleted = 0 ORDER BY s.seq`
/** Prefix of a source row with a key whose source was forgotten. */
export const forgottenKeyPrefix = '!-'
/** Prefix of a source row with a key, a space and the id of the record that the key found. */
const foundKeyPrefix = '!='

export class SourceLinks {
  readonly awaited: AwaitedIndex
  readonly #deps: SourceLinksDeps
  readonly #db: SqlDatabase

  constructor(deps: SourceLinksDeps) {
    this.#deps = deps
    this.#db = deps.db
    this.awaited = new AwaitedIndex(deps)
  }

  add({ seq, kind }: RecordRow, sources: readonly string[]): void {
    for (const source of sources)
      this.#db.run('INSERT OR IGNORE INTO sources (source, seq, kind) VALUES (?, ?, ?)', [source, seq, kind])
  }

  /** The live records that name the content of `row` by a key, each with this key. */
  recordsAwaiting(row: RecordRow): [string, RecordRow][] {
    return this.#recordsAwaitingKeys(this.awaited.keysOf(row))
  }

  /**
   * Links the present records that name the content of `row` by a key. A link stays when the content changes later.
   */
  linkAwaiting(row: RecordRow): void {
    const keys = this.awaited.updateKeys(row).filter((key) => !this.awaited.isCommon(key))
    for (const [key, derived] of this.#recordsAwaitingKeys(keys)) {
      // The second row has the key and the id, so it shows that this link exists.
      const sources = foundSourceRows({ key, id: row.id })
      if (this.#db.get('SELECT 1 FROM sources WHERE source = ? AND seq = ?', [sources[1], derived.seq]))
        continue
      this.add(derived, sources)
      this.#deps.onLinked(derived)
    }
  }

  /** The records here that `keys` of the record `id` name, with linked ones that are sealed or forgotten now. */
  find(id: string, keys: readonly string[]): KeyedRecord[] {
    if (keys.length === 0 || !this.awaited.isUsed()) return []
    const linked = this.foundByKeys(id).filter(({ key }) => keys.includes(key))
    return [...linked, ...this.awaited.find(keys)]
  }

  /** The records that keys of the record `id` have found. */
  foundByKeys(id: string): KeyedRecord[] {
    return this.#sourcesWithPrefix(id, foundKeyPrefix).map((text) => {
      const end = text.indexOf(' ')
      return { key: text.slice(0, end), id: text.slice(end + 1) }
    })
  }

  /** The keys of the record `id` whose source was forgotten. */
  forgottenKeys(id: string): string[] {
    return this.#sourcesWithPrefix(id, forgottenKeyPrefix)
  }

  /** The source rows of the record `id` that begin with `prefix`, without it. */
  #sourcesWithPrefix(id: string, prefix: string): string[] {
    return this.#db
      .all<{ source: string }>(
        `SELECT s.source FROM records r JOIN sources s ON s.seq = r.seq WHERE r.id = ? AND s.source GLOB '${prefix}*'`,
        [id],
      )
      .map(({ source }) => source.slice(prefix.length))
  }

  #recordsAwaitingKeys(keys: readonly string[]): [string, RecordRow][] {
    if (keys.length === 0) return []
    return this.#db
      .all<RecordRow & { key: string }>(awaitingSql, [JSON.stringify(keys)])
      .map(({ key, ...row }): [string, RecordRow] => [key, row])
  }
}

/** The two source rows that link a record to one that a key found. */
export function foundSourceRows({ key, id }: KeyedRecord): [string, string] {
  return [id, `${foundKeyPrefix}${key} ${id}`]
}
