// Decrypted sealed records, in a database in memory, so that the same queries find them while the keys are here.
// Invariant: nothing of them is written to disk. `close` removes them, and `rereadAll` when the keys change. Records
// that an open transaction wrote are read again after it, so a rollback leaves nothing of them.
import type { Zone } from '../../core/zone.ts'
import { isScoped, type Kinds } from '../../core/kind.ts'
import type { Clock, SqlDatabase } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import type { Bodies } from '../record/bodies.ts'
import { prepareDerived } from '../schema/derived.ts'
import { migrate } from '../schema/version.ts'
import { Projection } from '../record/projection.ts'
import { createReachIndexes } from '../query/reach-index.ts'
import { createQueryStore, type ComposableQueryStore } from '../query/query-store.ts'
import { insertedValues, type RecordRow, recordColumns, replaceRecordSql } from '../schema/record-row.ts'
import type { SealedWatcher } from '../record/record-store.ts'
import { cacheSettings } from '../schema/settings.ts'
import { sourceByPolicy, sourceElsewhere } from '../condition/source-reach-sql.ts'
import { type UnreadGroup, unreadGroups } from './sealed-list.ts'

interface OpenedRecordsDeps {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly bodies: Bodies
  readonly clock: Clock
  readonly zone: Zone
  readonly openMemory: () => SqlDatabase
  /** The store of records in clear, whose word frequencies count too. */
  readonly main: ComposableQueryStore
}

interface MemoryStore {
  readonly memory: SqlDatabase
  readonly projection: Projection
  readonly queries: ComposableQueryStore
}

const readBatch = 500
/** Other tables that queries read: their rows are copied together with a record. */
const copiedTables = [
  { name: 'uses', columns: ['seq', 'count', 'last_at'] },
  { name: 'sources', columns: ['source', 'seq', 'kind'] },
  { name: 'outdated', columns: ['seq', 'is_gone', 'is_remote', 'is_purged'] },
] as const

export class OpenedRecords implements SealedWatcher {
  readonly #deps: OpenedRecordsDeps
  #memoryStore: MemoryStore | undefined
  /** The numbers of the decrypted records. */
  readonly #seqs = new Set<number>()
  /** The numbers of the records to read again. Has all changed ones, and maybe unchanged ones. */
  readonly #toRead = new Set<number>()
  /** A cache of `unread`, cleared by each change, and never set inside a transaction. */
  #unread: readonly UnreadGroup[] | undefined

  constructor(deps: OpenedRecordsDeps) {
    this.#deps = deps
    this.rereadAll()
  }

  // The next three methods run inside the transaction of a change, which may still be undone.
  sealedChanged(seq: number): void {
    this.#toRead.add(seq)
    this.#unread = undefined
  }

  mirrorVersionChanged(seq: number): void {
    if (this.#seqs.has(seq)) this.#toRead.add(seq)
  }

  mirrorVersionsCleared(): void {
    for (const seq of this.#seqs) this.#toRead.add(seq)
  }

  /** Call it when keys were added or removed: the next query reads all sealed records again. */
  rereadAll(): void {
    this.close()
    this.#unread = undefined
    this.#toRead.clear()
    const sealed = this.#deps.db.all<{ seq: number }>('SELECT seq FROM records WHERE kid IS NOT NULL')
    for (const { seq } of sealed) this.#toRead.add(seq)
  }

  /** The store of the decrypted records, up to date; undefined without any. Pass `isWithin` inside a transaction. */
  queries(isWithin = false): ComposableQueryStore | undefined {
    const seqs = [...this.#toRead]
    for (let from = 0; from < seqs.length; from += readBatch)
      this.#readRecords(seqs.slice(from, from + readBatch))
    // The open transaction may be undone: keep `#toRead`, so that the next query reads its records again.
    if (!isWithin) this.#toRead.clear()
    return this.#seqs.size === 0 ? undefined : this.#memoryStore?.queries
  }

  isDecrypted(seq: number): boolean {
    return this.#seqs.has(seq)
  }

  /** The sealed records that can't be decrypted here, in groups. Pass `isWithin` inside a transaction. */
  unread(isWithin: boolean): readonly UnreadGroup[] {
    this.queries(isWithin)
    const groups = this.#unread ?? unreadGroups(this.#deps.db, this.#seqs)
    if (!isWithin) this.#unread = groups
    return groups
  }

  close(): void {
    this.#memoryStore?.memory.close()
    this.#memoryStore = undefined
    this.#seqs.clear()
  }

  #createMemoryStore(): MemoryStore {
    const { kinds, zone, clock, main, openMemory } = this.#deps
    const { db, settings } = cacheSettings(openMemory())
    migrate(db, formatTime(clock.now()))
    prepareDerived(db, { kinds, zone }, settings)
    const projection = new Projection(db, kinds, settings, { zone })
    const reachIndexes = createReachIndexes({ db, kinds, projection, zone, role: 'device' })
    const queries = createQueryStore({ db, kinds, projection, clock, zone, otherStats: main, reachIndexes })
    return { memory: db, projection, queries }
  }

  #readRecords(seqs: readonly number[]): void {
    const rows = this.#deps.db.all<RecordRow>(
      `SELECT ${recordColumns} FROM records r
       WHERE r.seq IN (SELECT value FROM json_each(?)) AND r.kid IS NOT NULL AND r.deleted = 0`,
      [JSON.stringify(seqs)],
    )
    const readable = new Map(
      rows.flatMap((row) => {
        const text = this.#deps.bodies.open(row, row.body)
        return text === undefined ? [] : [[row.seq, { row, text }] as const]
      }),
    )
    if (readable.size === 0 && !seqs.some((seq) => this.#seqs.has(seq))) return
    const opened = (this.#memoryStore ??= this.#createMemoryStore())
    opened.memory.transaction(() => {
      for (const seq of seqs) {
        const found = readable.get(seq)
        if (found) this.#copyRecord(opened, found.row, found.text)
        else if (this.#seqs.has(seq)) this.#remove(opened, seq)
      }
    })
  }

  #copyRecord({ memory, projection }: MemoryStore, row: RecordRow, text: string): void {
    const { seq } = row
    memory.run(replaceRecordSql, insertedValues({ ...row, kid: null, body: text }))
    for (const { name, columns } of copiedTables) {
      memory.run(`DELETE FROM ${name} WHERE seq = ?`, [seq])
      const names = columns.join(', ')
      for (const copiedRow of this.#deps.db.all(`SELECT ${names} FROM ${name} WHERE seq = ?`, [seq])) {
        memory.run(
          `INSERT OR REPLACE INTO ${name} (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
          columns.map((column) => copiedRow[column] ?? null),
        )
      }
    }
    // A pseudo source stands for sources that are in clear in the book, or governed by policies there.
    const { ids, pseudoSources } = this.#sourcesOutside(row)
    // A source that is in the book would look like an unknown one here: pseudo sources replace it.
    memory.run('DELETE FROM sources WHERE seq = ? AND source IN (SELECT value FROM json_each(?))', [
      seq,
      JSON.stringify(ids),
    ])
    for (const source of pseudoSources)
      memory.run('INSERT OR REPLACE INTO sources (source, seq, kind) VALUES (?, ?, ?)', [
        source,
        seq,
        row.kind,
      ])
    this.#seqs.add(seq)
    if (seq <= projection.derivedSeq()) projection.markStale(seq)
    else projection.markNew()
  }

  #remove({ memory, projection }: MemoryStore, seq: number): void {
    // A record that is marked as deleted loses its derived rows.
    memory.run("UPDATE records SET deleted = 1, body = '{}' WHERE seq = ?", [seq])
    memory.run('DELETE FROM sources WHERE seq = ?', [seq])
    projection.markStale(seq)
    this.#seqs.delete(seq)
  }

  /** The ids of a record's direct and indirect sources that are not in this database, and their pseudo sources. */
  #sourcesOutside({ seq, kind: name }: RecordRow): { ids: string[]; pseudoSources: string[] } {
    const { db, kinds, bodies } = this.#deps
    const kind = kinds.get(name)
    const all = kind?.madeFrom && isScoped(kind) ? sourcesOf(db, seq) : []
    const absent = all.filter((one) => one.deleted === 0 && (one.kid === null || !bodies.open(one, one.body)))
    const pseudoSources = absent.map((one) =>
      kinds.get(one.kind)?.byPolicy ? sourceByPolicy : sourceElsewhere,
    )
    return { ids: absent.map(({ id }) => id), pseudoSources: [...new Set(pseudoSources)] }
  }
}

function sourcesOf(db: SqlDatabase, seq: number): RecordRow[] {
  return db.all<RecordRow>(
    `WITH RECURSIVE up (id) AS (SELECT source FROM sources WHERE seq = ?
       UNION SELECT s.source FROM up JOIN records t ON t.id = up.id JOIN sources s ON s.seq = t.seq)
     SELECT ${recordColumns} FROM up JOIN records r ON r.id = up.id`,
    [seq],
  )
}
