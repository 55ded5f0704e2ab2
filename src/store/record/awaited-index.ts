// Which records are known by which keys to what was made before them (`awaitedAs` in core/kind.ts). What was made elsewhere and
// comes later than its sources finds them here.
// Invariants: the table is filled and kept from the first record on that awaits anything; a book without such a record pays
// nothing for it. A forgotten record has no key here, and those of a sealed one are in memory alone, while it can be read:
// whoever reads the file could test with a key whether a text was said.
import { type Kind, type Kinds, ownAwaitedKeys } from '../../core/kind.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { textKey } from '../../core/text/text-key.ts'
import { awaitedKey } from '../schema/derived.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'
import type { Bodies } from './bodies.ts'

/** A record, and a key by which it is known. */
export interface Found {
  readonly key: string
  readonly id: string
}

export interface AwaitedIndexParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly settings: Settings
  readonly bodies: Bodies
}

/** Words that more records say are everybody's: no more of them are linked. */
const sameLimit = 100

const findSql = `SELECT r.id FROM awaited a JOIN records r ON r.seq = a.seq WHERE a.key = ? AND r.deleted = 0
  ORDER BY a.seq LIMIT ${sameLimit}`
const rowSql = `SELECT ${recordColumns} FROM records r WHERE r.seq = ?`

export class AwaitedIndex {
  readonly #parts: AwaitedIndexParts
  readonly #db: SqlDatabase
  readonly #kinds: readonly Kind[]
  readonly #declared: number
  #isKept: boolean | undefined
  /** The sealed records that were opened, by their keys. One that changed stands under its old keys too. */
  readonly #sealed = new Map<string, Set<number>>()
  /** Sealed records to be looked at; undefined: all. */
  #due: Set<number> | undefined

  constructor(parts: AwaitedIndexParts) {
    this.#parts = parts
    this.#db = parts.db
    this.#kinds = [...parts.kinds.values()].filter(({ awaitedAs }) => awaitedAs !== undefined)
    this.#declared = textKey(this.#kinds.flatMap(({ name, version }) => [name, String(version)]))
  }

  /** Whether anything here ever awaited a record. */
  isKept(): boolean {
    return (this.#isKept ??= this.#isFilled())
  }

  /** Something awaits a record. Inside a transaction. */
  begin(): void {
    // Asked of the database: what is known in memory may have been undone.
    if (this.#isFilled()) return
    this.#db.run('DELETE FROM awaited')
    // One at a time: bodies may be large.
    for (const { seq } of this.#seqs('r.kid IS NULL')) {
      const row = this.#db.get<RecordRow>(rowSql, [seq])
      if (row) this.#add(row.seq, this.keysOf(row))
    }
    this.#parts.settings.set(awaitedKey, this.#declared)
    this.#isKept = true
  }

  /** The keys of the record in `row`; none where it can't be read. */
  keysOf(row: RecordRow): string[] {
    const kind = this.#parts.kinds.get(row.kind)
    const body = kind?.awaitedAs && row.deleted === 0 ? this.#parts.bodies.read(row, row.body) : undefined
    return kind && body ? ownAwaitedKeys(kind, body, row.agent) : []
  }

  /** Notes the record in `row` as it is now, and answers its keys. Inside the transaction that writes it. */
  written(row: RecordRow): readonly string[] {
    if (!this.#parts.kinds.get(row.kind)?.awaitedAs || !this.isKept()) return []
    const { seq, kid } = row
    const keys = this.keysOf(row)
    const known = this.#db.all<{ key: string }>('SELECT key FROM awaited WHERE seq = ?', [seq])
    const noted = new Set(kid === null ? keys : [])
    if (known.length !== noted.size || known.some(({ key }) => !noted.has(key))) {
      this.removed(seq)
      this.#add(seq, noted)
    }
    if (kid !== null) this.#due?.add(seq)
    return keys
  }

  removed(seq: number): void {
    this.#db.run('DELETE FROM awaited WHERE seq = ?', [seq])
  }

  /** The live records here that are known by any of `keys`. */
  find(keys: readonly string[]): Found[] {
    if (keys.length === 0 || !this.isKept()) return []
    this.#open()
    return keys.flatMap((key) => {
      const clear = this.#db.all<{ id: string }>(findSql, [key])
      return [...clear.map(({ id }) => ({ key, id })), ...this.#findSealed(key)]
    })
  }

  /** Whether as many records as are linked, and one more, are known by `key`. */
  isCommon(key: string): boolean {
    const last = 'SELECT 1 FROM awaited WHERE key = ? LIMIT 1 OFFSET ?'
    return this.#db.get(last, [key, sameLimit]) !== undefined
  }

  /** Keys of sealed records came or went. */
  renew(): void {
    this.#sealed.clear()
    this.#due = undefined
  }

  /** A sealed record can perhaps be opened now. */
  changed(seq: number): void {
    this.#due?.add(seq)
  }

  /** The keys of all sealed records that can be read. */
  sealedKeys(): string[] {
    if (!this.isKept()) return []
    this.#open()
    return [...this.#sealed.keys()]
  }

  #isFilled(): boolean {
    return this.#parts.settings.getNumber(awaitedKey) === this.#declared
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
        const known = this.#sealed.get(key)
        if (known) known.add(seq)
        else this.#sealed.set(key, new Set([seq]))
      }
    }
  }

  #findSealed(key: string): Found[] {
    return [...(this.#sealed.get(key) ?? [])].slice(0, sameLimit).flatMap((seq) => {
      const row = this.#db.get<RecordRow>(rowSql, [seq])
      return row && row.kid !== null && this.keysOf(row).includes(key) ? [{ key, id: row.id }] : []
    })
  }
}
