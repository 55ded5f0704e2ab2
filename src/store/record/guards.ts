// Links each written record to its guards (`guardedBy` in core/kind.ts): a fact to the fact that it replaces, a
// memory to its proposal. A record must be at least as sensitive as its guards.
// Invariant: the result follows from the rows of the record and its guards only, so every copy with these rows gives
// the same result, in whatever order they arrived.
import type { JsonObject } from '../../core/json/path.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { linkedIds } from '../../core/record-link.ts'
import { isLowered, isSealing, mostGuarded, type Sensitivity } from '../../core/sealed.ts'
import { textKey } from '../../core/text/text-key.ts'
import { guardsSetting } from '../schema/derived.ts'
import { isOrWasSealed, type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'
import type { Bodies } from './bodies.ts'

interface GuardsDeps {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly settings: Settings
  readonly bodies: Bodies
}

/** A live record that is less sensitive than its guards, and the sensitivity that they require. */
export interface UnguardedRecord {
  readonly row: RecordRow
  readonly level: Sensitivity
}

interface GuardRow extends SqlRow {
  readonly kid: string | null
  readonly deleted: number
  readonly sensitivity: string | null
}

/** `isOrWasSealed` in SQL. */
const secretSql = `(s.kid IS NOT NULL OR (s.deleted = 1 AND s.sensitivity IN ('sensitive', 'restricted')))`
const unguardedSql = (from: string) => `SELECT ${recordColumns}, s.sensitivity AS level FROM ${from}
  WHERE r.deleted = 0 AND ifnull(r.sensitivity, '') <> 'standard' AND ${secretSql}`
const allUnguardedSql = unguardedSql(
  'guards g JOIN records r ON r.seq = g.seq JOIN records s ON s.id = g.source',
)
const unguardedByGuardsSql = unguardedSql(`json_each(?) j CROSS JOIN guards g ON g.source = j.value
  CROSS JOIN records r ON r.seq = g.seq CROSS JOIN records s ON s.id = g.source`)
const unguardedAmongSql = unguardedSql(`json_each(?) j CROSS JOIN records r ON r.id = j.value
  CROSS JOIN guards g ON g.seq = r.seq CROSS JOIN records s ON s.id = g.source`)

export class Guards {
  readonly #deps: GuardsDeps
  readonly #db: SqlDatabase
  readonly #kinds: readonly Kind[]

  constructor(deps: GuardsDeps) {
    this.#deps = deps
    this.#db = deps.db
    this.#kinds = [...deps.kinds.values()].filter(({ guardedBy }) => guardedBy !== undefined)
  }

  /** Fills the table again when it is new or a kind declares other guards. Call it inside a transaction. */
  prepare(): void {
    const { settings } = this.#deps
    const declared = textKey(this.#kinds.flatMap(({ name, guardedBy = [] }) => [name, ...guardedBy]))
    if (settings.getNumber(guardsSetting) === declared) return
    this.#db.run('DELETE FROM guards')
    const seqs = this.#db.all<{ seq: number }>(
      'SELECT seq FROM records WHERE kind IN (SELECT value FROM json_each(?)) AND deleted = 0',
      [JSON.stringify(this.#kinds.map(({ name }) => name))],
    )
    // Read one record at a time: bodies may be large.
    for (const { seq } of seqs) {
      const row = this.#db.get<RecordRow>(`SELECT ${recordColumns} FROM records r WHERE r.seq = ?`, [seq])
      if (row) this.#insertLinks(row)
    }
    settings.set(guardsSetting, declared)
  }

  /** Call it after the record is written as `row`, inside the transaction that writes it. */
  updateLinks(row: RecordRow, before: RecordRow | undefined): void {
    if (before && this.#isGuarded(before)) this.removeLinks(row.seq)
    this.#insertLinks(row)
  }

  removeLinks(seq: number): void {
    this.#db.run('DELETE FROM guards WHERE seq = ?', [seq])
  }

  /**
   * The sensitivity that the guards of a body of `kind` require: that of the most sensitive, also a forgotten one.
   * `standard` when all guards are here and none is sensitive; undefined when none is sensitive and some are
   * missing, or without guards.
   */
  requiredSensitivity({ guardedBy }: Kind, body: JsonObject): Sensitivity | undefined {
    const ids = guardedBy ? guardIds(guardedBy, body) : []
    if (ids.length === 0) return undefined
    const found = this.#db.all<GuardRow>(
      'SELECT r.kid, r.deleted, r.sensitivity FROM json_each(?) j JOIN records r ON r.id = j.value',
      [JSON.stringify(ids)],
    )
    const secret = found.filter(isOrWasSealed).map(({ sensitivity }) => sensitivity as Sensitivity)
    return secret.reduce(mostGuarded, found.length === ids.length ? 'standard' : undefined)
  }

  /**
   * The live records that are less sensitive than their guards: among `ids` and the records that these guard;
   * without `ids`, among all. Leaves out a record with the explicit sensitivity `standard`.
   */
  unguarded(ids?: readonly string[]): UnguardedRecord[] {
    const named = JSON.stringify(ids ?? [])
    const found = ids
      ? [unguardedByGuardsSql, unguardedAmongSql].flatMap((sql) =>
          this.#db.all<RecordRow & { level: Sensitivity }>(sql, [named]),
        )
      : this.#db.all<RecordRow & { level: Sensitivity }>(allUnguardedSql)
    const unguardedById = new Map<string, UnguardedRecord>()
    for (const { level, ...row } of found) {
      const highest = mostGuarded(unguardedById.get(row.id)?.level, level) ?? level
      if (isLowered(this.#sensitivityOf(row), highest)) unguardedById.set(row.id, { row, level: highest })
    }
    return [...unguardedById.values()]
  }

  #insertLinks(row: RecordRow): void {
    const { kinds, bodies } = this.#deps
    const { guardedBy } = kinds.get(row.kind) ?? {}
    const body = guardedBy && row.deleted === 0 ? bodies.read(row, row.body) : undefined
    for (const id of guardedBy && body ? guardIds(guardedBy, body) : [])
      this.#db.run('INSERT OR IGNORE INTO guards (source, seq) VALUES (?, ?)', [id, row.seq])
  }

  #isGuarded({ kind }: RecordRow): boolean {
    return this.#deps.kinds.get(kind)?.guardedBy !== undefined
  }

  #sensitivityOf({ kind, sensitivity }: RecordRow): Sensitivity | undefined {
    return (sensitivity ?? this.#deps.kinds.get(kind)?.sensitivity) as Sensitivity | undefined
  }
}

/** The ids of the guards of `body`. In a path of `guardedBy`, `*` matches every field or item. */
const guardIds = (guardedBy: readonly string[], body: JsonObject): string[] => [
  ...new Set(linkedIds({ links: guardedBy }, body)),
]

/**
 * The sensitivity of a record with the sensitivity `own` whose guards require `required` (see `requiredSensitivity`).
 * An explicit `standard` wins, but is not stored (undefined) when no guard can require more.
 */
export function sensitivityWithGuards(
  own: Sensitivity | undefined,
  required: Sensitivity | undefined,
): Sensitivity | undefined {
  if (own === 'standard' || required === undefined) return required === 'standard' ? undefined : own
  return isSealing(required) ? mostGuarded(own, required) : own
}
