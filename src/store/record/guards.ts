// Links records to their guards (`guardedBy` in core/kind.ts) with every write: a fact to the fact that it replaces, a memory to
// its proposal. A record is no less sensitive than its guards. Invariant: the result follows from the rows of both records alone,
// so every copy that has both gives the same, in whatever order they came.
import type { JsonObject } from '../../core/json/path.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { linkedIds } from '../../core/record-link.ts'
import { isLowered, isSealing, mostGuarded, type Sensitivity } from '../../core/sealed.ts'
import { textKey } from '../../core/text/text-key.ts'
import { guardsSetting } from '../schema/derived.ts'
import { isSecret, type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'
import type { Bodies } from './bodies.ts'

interface GuardsParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly settings: Settings
  readonly bodies: Bodies
}

/** A live record and the sensitivity that its guards require. */
export interface Unguarded {
  readonly row: RecordRow
  readonly level: Sensitivity
}

interface GuardRow extends SqlRow {
  readonly kid: string | null
  readonly deleted: number
  readonly sensitivity: string | null
}

/** `isSecret` in SQL. */
const secretSql = `(s.kid IS NOT NULL OR (s.deleted = 1 AND s.sensitivity IN ('sensitive', 'restricted')))`
const unguardedSql = (from: string) => `SELECT ${recordColumns}, s.sensitivity AS level FROM ${from}
  WHERE r.deleted = 0 AND ifnull(r.sensitivity, '') <> 'standard' AND ${secretSql}`
const all = unguardedSql('guards g JOIN records r ON r.seq = g.seq JOIN records s ON s.id = g.source')
const byGuards = unguardedSql(`json_each(?) j CROSS JOIN guards g ON g.source = j.value
  CROSS JOIN records r ON r.seq = g.seq CROSS JOIN records s ON s.id = g.source`)
const ofThose = unguardedSql(`json_each(?) j CROSS JOIN records r ON r.id = j.value
  CROSS JOIN guards g ON g.seq = r.seq CROSS JOIN records s ON s.id = g.source`)

export class Guards {
  readonly #parts: GuardsParts
  readonly #db: SqlDatabase
  readonly #kinds: readonly Kind[]

  constructor(parts: GuardsParts) {
    this.#parts = parts
    this.#db = parts.db
    this.#kinds = [...parts.kinds.values()].filter(({ guardedBy }) => guardedBy !== undefined)
  }

  /** Fills the table again when it is new or a kind has changed its declaration of guards. Inside a transaction. */
  prepare(): void {
    const { settings } = this.#parts
    const declared = textKey(this.#kinds.flatMap(({ name, guardedBy = [] }) => [name, ...guardedBy]))
    if (settings.getNumber(guardsSetting) === declared) return
    this.#db.run('DELETE FROM guards')
    const seqs = this.#db.all<{ seq: number }>(
      'SELECT seq FROM records WHERE kind IN (SELECT value FROM json_each(?)) AND deleted = 0',
      [JSON.stringify(this.#kinds.map(({ name }) => name))],
    )
    // One at a time: bodies may be large.
    for (const { seq } of seqs) {
      const row = this.#db.get<RecordRow>(`SELECT ${recordColumns} FROM records r WHERE r.seq = ?`, [seq])
      if (row) this.#note(row)
    }
    settings.set(guardsSetting, declared)
  }

  /** The record was written as `row`. Inside the transaction that writes it. */
  written(row: RecordRow, before: RecordRow | undefined): void {
    if (before && this.#isGuarded(before)) this.removed(row.seq)
    this.#note(row)
  }

  removed(seq: number): void {
    this.#db.run('DELETE FROM guards WHERE seq = ?', [seq])
  }

  /**
   * The least sensitivity of a body of `kind`: that of its most sensitive guard, also of a forgotten one. `standard` when all
   * guards are here and none is sensitive; undefined when guards are missing.
   */
  level({ guardedBy }: Kind, body: JsonObject): Sensitivity | undefined {
    const ids = guardedBy ? idsOf(guardedBy, body) : []
    if (ids.length === 0) return undefined
    const found = this.#db.all<GuardRow>(
      'SELECT r.kid, r.deleted, r.sensitivity FROM json_each(?) j JOIN records r ON r.id = j.value',
      [JSON.stringify(ids)],
    )
    const secret = found.filter(isSecret).map(({ sensitivity }) => sensitivity as Sensitivity)
    return secret.reduce(mostGuarded, found.length === ids.length ? 'standard' : undefined)
  }

  /**
   * The live records that are less sensitive than their guards: of `ids` and the records that these guard, or of all. Never a
   * record that its owner has made `standard`.
   */
  unguarded(ids?: readonly string[]): Unguarded[] {
    const named = JSON.stringify(ids ?? [])
    const found = ids
      ? [byGuards, ofThose].flatMap((sql) => this.#db.all<RecordRow & { level: Sensitivity }>(sql, [named]))
      : this.#db.all<RecordRow & { level: Sensitivity }>(all)
    const wanted = new Map<string, Unguarded>()
    for (const { level, ...row } of found) {
      const most = mostGuarded(wanted.get(row.id)?.level, level) ?? level
      if (isLowered(this.#sensitivityOf(row), most)) wanted.set(row.id, { row, level: most })
    }
    return [...wanted.values()]
  }

  #note(row: RecordRow): void {
    const { kinds, bodies } = this.#parts
    const { guardedBy } = kinds.get(row.kind) ?? {}
    const body = guardedBy && row.deleted === 0 ? bodies.read(row, row.body) : undefined
    for (const id of guardedBy && body ? idsOf(guardedBy, body) : [])
      this.#db.run('INSERT OR IGNORE INTO guards (source, seq) VALUES (?, ?)', [id, row.seq])
  }

  #isGuarded({ kind }: RecordRow): boolean {
    return this.#parts.kinds.get(kind)?.guardedBy !== undefined
  }

  #sensitivityOf({ kind, sensitivity }: RecordRow): Sensitivity | undefined {
    return (sensitivity ?? this.#parts.kinds.get(kind)?.sensitivity) as Sensitivity | undefined
  }
}

const idsOf = (guardedBy: readonly string[], body: JsonObject): string[] => [
  ...new Set(linkedIds({ links: guardedBy }, body)),
]

/** The sensitivity of a record that asks for `own` and whose guards have `level`. An explicit `standard` wins. */
export function guardedAs(
  own: Sensitivity | undefined,
  level: Sensitivity | undefined,
): Sensitivity | undefined {
  if (own === 'standard' || level === undefined) return level === 'standard' ? undefined : own
  return isSealing(level) ? mostGuarded(own, level) : own
}
