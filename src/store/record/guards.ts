// Which records are guarded by which (`guardedBy` in core/kind.ts), kept with every write: a fact by the one in whose place it
// stands, a memory by its proposal. Invariant: what is told here of two records follows from the rows of both alone, so that every
// copy which has both tells the same, whichever came first.
import type { JsonObject } from '../../core/json/path.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { linkedIds } from '../../core/record-link.ts'
import { isLowered, isSealing, mostGuarded, type Sensitivity } from '../../core/sealed.ts'
import { textKey } from '../../core/text/text-key.ts'
import { guardsKey } from '../schema/derived.ts'
import { isSecret, type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'
import type { Bodies } from './bodies.ts'

export interface GuardsParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly settings: Settings
  readonly bodies: Bodies
}

/** A live record, and how sensitive what guards it wants it to be. */
export interface Unguarded {
  readonly row: RecordRow
  readonly level: Sensitivity
}

interface GuardRow extends SqlRow {
  readonly kid: string | null
  readonly deleted: number
  readonly sensitivity: string | null
}

/** As `isSecret` says of a row. */
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

  /** Fills the table anew where it is new or a kind declares its guards otherwise. Inside a transaction. */
  prepare(): void {
    const { settings } = this.#parts
    const declared = textKey(this.#kinds.flatMap(({ name, guardedBy = [] }) => [name, ...guardedBy]))
    if (settings.getNumber(guardsKey) === declared) return
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
    settings.set(guardsKey, declared)
  }

  /** The record stands as `row` says now. Inside the transaction that writes it. */
  written(row: RecordRow, before: RecordRow | undefined): void {
    if (before && this.#isGuarded(before)) this.removed(row.seq)
    this.#note(row)
  }

  removed(seq: number): void {
    this.#db.run('DELETE FROM guards WHERE seq = ?', [seq])
  }

  /**
   * How sensitive a body of `kind` is at least: as the most sensitive record that guards it is, or was when it was forgotten;
   * `standard` where all of them are here and none is sensitive, undefined where nothing can be told.
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
   * The live records that are less sensitive than what guards them: of those named by `ids` and those that these guard, or of
   * all. None that its owner has made `standard` is among them.
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

/** `said`, which is to be guarded by what is as sensitive as `level`. Who makes it `standard` all the same says so. */
export function guardedAs(
  said: Sensitivity | undefined,
  level: Sensitivity | undefined,
): Sensitivity | undefined {
  if (said === 'standard' || level === undefined) return level === 'standard' ? undefined : said
  return isSealing(level) ? mostGuarded(said, level) : said
}
