// Links each written record to its sources, and marks a record whose source is gone, or more sensitive, as outdated.
// Invariant: the transaction that forgets, outdates or seals a source also outdates the records made from it; they
// stay outdated until they no longer name such a source. When a source is gone, the same transaction erases their
// earlier content from history, conflict log, vectors and stored answers.
import { awaitedKeys, goingIds, sourceIds, type Kind, type Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import { isLowered, isSealedText, isSealing, type SealedOwner, type Sensitivity } from '../../core/sealed.ts'
import { textKey } from '../../core/text/text-key.ts'
import { sourcesSetting } from '../schema/derived.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'
import type { Bodies } from './bodies.ts'
import { Guards } from './guards.ts'
import { goneMark, foundSources, SourceLinks } from './source-links.ts'
import { createWordCover, scrubDue, type WordCover } from './cover-text.ts'
import { conflictsOf, eraseAnswers, eraseRows, historyOf, vectorOf } from './erase-rows.ts'

/**
 * `own`: a call here made the change; `remote`: another copy made it; `replica`: its consequences come as changes
 * too.
 */
export type ChangeOrigin = 'own' | 'remote' | 'replica'

/** An outdated record that can be rebuilt now: none of its sources is outdated, and its body can be read. */
export interface OutdatedRecord {
  readonly id: string
  readonly kind: string
  readonly agent: string
  readonly rev: number
  /** True when another device removed the source: that device probably rebuilds the record too. */
  readonly isRemote: boolean
}

interface SourcesParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly settings: Settings
  readonly bodies: Bodies
  /** Called when the record in `row` becomes outdated: its derived rows must be removed. */
  onOutdated(row: RecordRow): void
  /** Called when one more source of the record in `row` is found. */
  onLinked(row: RecordRow): void
  /** Forgets the record in `row`, which can't exist without its sources. `at`: canonical time. */
  forget(row: RecordRow, at: string): void
}

interface Outdated {
  readonly isGone: boolean
  /** True when the record must be forgotten, because it can't exist without the source. */
  readonly goes?: boolean
  readonly origin: ChangeOrigin
  readonly at: string
}

interface SourceState extends SqlRow {
  readonly kind: string
  readonly deleted: number
  readonly sensitivity: string | null
  readonly outdated: number
}

const rowSql = `SELECT ${recordColumns} FROM records r WHERE r.seq = ?`
/** Outdated records without an outdated source: only these can be rebuilt. */
const waitingSql = `SELECT ${recordColumns}, o.is_heard FROM outdated o JOIN records r ON r.seq = o.seq
  WHERE r.deleted = 0 AND NOT EXISTS (SELECT 1 FROM sources s JOIN records t ON t.id = s.source
    JOIN outdated p ON p.seq = t.seq WHERE s.seq = o.seq) ORDER BY o.seq LIMIT ?`

/** Checks for a purged source: the purge may be older than the arrival of the record. */
const outdateSql = `INSERT INTO outdated (seq, is_gone, is_heard, is_purged)
  SELECT ?, ?, ?, EXISTS (SELECT 1 FROM sources s JOIN records r ON r.id = s.source
    LEFT JOIN outdated o ON o.seq = r.seq WHERE s.seq = ? AND (o.is_purged = 1 OR (r.deleted = 1 AND r.purged > 0 AND r.purged >= r.gone)))
  WHERE true ON CONFLICT (seq) DO UPDATE SET is_gone = excluded.is_gone, is_purged = excluded.is_purged`
const purgedSql = `WITH RECURSIVE made (seq) AS (SELECT seq FROM sources WHERE source = ?
    UNION SELECT s.seq FROM made JOIN records r ON r.seq = made.seq JOIN sources s ON s.source = r.id)
  UPDATE outdated SET is_purged = 1 WHERE seq IN (SELECT seq FROM made)`

export class Sources {
  readonly #parts: SourcesParts
  readonly #db: SqlDatabase
  readonly links: SourceLinks
  readonly guards: Guards
  readonly words: WordCover

  constructor(parts: SourcesParts) {
    this.#parts = parts
    this.#db = parts.db
    this.links = new SourceLinks(parts)
    this.guards = new Guards(parts)
    this.words = createWordCover(parts)
  }

  /** Fills the tables again when they are new or a kind declares other sources. Call it when the book is opened. */
  prepare(): void {
    const { settings } = this.#parts
    const made = this.#madeKinds()
    this.#db.transaction(() => this.guards.prepare())
    const declared = textKey(made.flatMap(({ name, version }) => [name, String(version)]))
    if (settings.getNumber(sourcesSetting) === declared) return this.#prepareAwaiting()
    this.#db.transaction(() => {
      this.#db.run('DELETE FROM sources')
      for (const row of this.#rowsOf(made, '1')) this.#note(row, 'remote')
      settings.set(sourcesSetting, declared)
    })
  }

  /**
   * Links records with keys that an earlier Daybook wrote, before the table of keys existed or under other
   * declarations.
   */
  #prepareAwaiting(): void {
    const all = `SELECT DISTINCT seq FROM sources WHERE source >= '!' AND source < '"'`
    if (this.links.awaited.isUsed() || this.#db.get(`${all} LIMIT 1`) === undefined) return
    this.#db.transaction(() => this.#noteAgain(all))
  }

  /** Call it after the row `seq` is deleted without a forget. */
  removed(seq: number): void {
    this.#clear(seq)
    this.links.awaited.removed(seq)
    this.guards.removed(seq)
  }

  #clear(seq: number): void {
    this.#db.run('DELETE FROM sources WHERE seq = ?', [seq])
    this.#db.run('DELETE FROM outdated WHERE seq = ?', [seq])
  }

  /** Links the sealed records that new encryption keys make readable. Call it inside a transaction. */
  takeOpened(): void {
    const rows = this.#rowsOf(
      this.#madeKinds(),
      'r.kid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sources s WHERE s.seq = r.seq)',
    )
    for (const row of rows) this.#note(row, 'remote')
    this.#noteAgain('SELECT DISTINCT s.seq FROM json_each(?) j JOIN sources s ON s.source = j.value', [
      JSON.stringify(this.links.awaited.sealedKeys()),
    ])
  }

  /** Links again the live, readable records whose numbers `sql` selects as `seq`. */
  #noteAgain(sql: string, params: readonly SqlValue[] = []): void {
    for (const { seq } of this.#db.all<{ seq: number }>(sql, params)) {
      const row = this.#db.get<RecordRow>(rowSql, [seq])
      if (row?.deleted === 0 && this.#isReadable(row)) this.#note(row, 'remote')
    }
  }

  /** Call it after the record is written as `row`, inside the transaction that writes it. */
  written(row: RecordRow, before: RecordRow | undefined, origin: ChangeOrigin): void {
    const isMade = [row, before].some((one) => one && this.#parts.kinds.get(one.kind)?.madeFrom)
    if (isMade) this.#note(row, origin)
    this.guards.written(row, before)
    this.links.findMade(row)
    // A new record can already be a source: of records that arrived before it. It outdates them only when it is more
    // sensitive.
    if (before || row.deleted === 1 || row.sensitivity !== null) this.#outdateMade(row, origin)
    if (before && row.deleted === 1) this.#outdateAwaiting(before, row, origin)
  }

  /** True when the record at `seq` must be rebuilt, because a source is gone or more sensitive. */
  isOutdated(seq: number): boolean {
    return this.#db.get('SELECT 1 FROM outdated WHERE seq = ?', [seq]) !== undefined
  }

  /**
   * Undefined when the content of `before`, which `row` replaces, may stay as a version. An object when it may not,
   * because it quotes a forgotten record or has words that `row` takes back: `rest` is the part that may stay, and
   * earlier versions with such words are rewritten or removed here.
   */
  leaving(before: RecordRow, row: RecordRow): { readonly rest?: string | undefined } | undefined {
    const after = this.#takenBack(before, row)
    if (after) {
      // The quoted record may be purged already, here or on another copy.
      this.#parts.settings.set(scrubDue, 1)
      const { words } = this
      if (this.#parts.kinds.get(row.kind)?.withoutGone) words.cover(before, after)
      else this.#removeEarlier(before)
      return { rest: words.allowed(before, before.body, after) }
    }
    const isGone = this.#db.get('SELECT 1 FROM outdated WHERE seq = ? AND is_gone = 1', [row.seq])
    return isGone && {}
  }

  /** True when a source of `body` is forgotten, or outdated because a source of it is gone. */
  quotesGone({ kind: name, id }: SealedOwner, body: JsonObject): boolean {
    const kind = this.#parts.kinds.get(name)
    return (
      kind !== undefined && isFollowing(kind) && this.#states(this.idsOf(kind, body, id)).some(isGoneState)
    )
  }

  /** The least sensitivity that the record `id` with `body` may have: that of its most sensitive live source. */
  level(kind: Kind, body: JsonObject, id: string): Sensitivity | undefined {
    if (!kind.madeFrom || kind.madeFrom.neverSealed) return undefined
    if (awaitedKeys(kind, body).length > 0) this.links.awaited.begin()
    return this.#states(this.idsOf(kind, body, id))
      .filter(({ deleted }) => deleted === 0)
      .map((state) => this.#sensitivityOf(state))
      .reduce((most, one) => (isLowered(most, one) ? one : most), undefined)
  }

  /** The ids of all sources of the record `id` with `body`: those in the body, and those that its keys find here. */
  idsOf(kind: Kind, body: JsonObject, id: string): string[] {
    const found = this.links.find(id, awaitedKeys(kind, body))
    return [...new Set([...sourceIds(kind, body, id), ...found.map((one) => one.id)])]
  }

  /** The live records that were made from `id` and may quote it. `isWanted` filters by kind; default all. */
  madeOf(id: string, isWanted: (kind: Kind) => boolean = () => true): RecordRow[] {
    const names = this.#madeKinds()
      .filter((kind) => isFollowing(kind) && isWanted(kind))
      .map(({ name }) => name)
    return this.#db.all<RecordRow>(
      `SELECT ${recordColumns} FROM sources s JOIN records r ON r.seq = s.seq
       WHERE s.source = ? AND s.kind IN (SELECT value FROM json_each(?)) AND r.deleted = 0 ORDER BY s.seq`,
      [id, JSON.stringify(names)],
    )
  }

  /** The live records that are forgotten and purged with `id`, directly or indirectly. */
  goingWith(id: string): RecordRow[] {
    const going = new Map<string, RecordRow>()
    const pending = [id]
    for (let source = pending.pop(); source !== undefined; source = pending.pop()) {
      for (const made of this.madeOf(source)) {
        if (made.id === id || going.has(made.id) || !this.#isGoingWith(made, source)) continue
        going.set(made.id, made)
        pending.push(made.id)
      }
    }
    return [...going.values()]
  }

  /**
   * Call it inside the transaction that purges `id`: marks the outdated records made from it, so that a scrub
   * follows when they are rebuilt.
   */
  purged(id: string): void {
    this.#db.run(purgedSql, [id])
  }

  /** Records that can be rebuilt now. At most `limit`; sealed ones without a key here are left out. */
  waiting(limit: number): OutdatedRecord[] {
    const { bodies } = this.#parts
    return this.#db
      .all<RecordRow & { is_heard: number }>(waitingSql, [limit])
      .filter((row) => bodies.open(row, row.body) !== undefined)
      .map(({ id, kind, agent, rev, is_heard }) => ({ id, kind, agent, rev, isRemote: is_heard === 1 }))
  }

  /** Stores the sources of the record in `row`, and outdates it when one is gone or more sensitive. */
  #note(row: RecordRow, origin: ChangeOrigin): void {
    const { kinds, bodies, settings } = this.#parts
    const { seq } = row
    const before = this.#db.get<{ is_purged: number }>('SELECT is_purged FROM outdated WHERE seq = ?', [seq])
    const kind = kinds.get(row.kind)
    const body = row.deleted === 1 || !kind?.madeFrom ? undefined : bodies.read(row, row.body)
    const keys = kind && body ? awaitedKeys(kind, body) : []
    if (keys.length > 0) this.links.awaited.begin()
    const gone = this.links.goneKeys(row.id).filter((key) => keys.includes(key))
    const found = this.links.find(row.id, keys)
    this.#clear(seq)
    if (before?.is_purged === 1) settings.set(scrubDue, 1)
    if (!kind || !body) return
    const ids = sourceIds(kind, body, row.id)
    this.links.add(row, [
      ...ids,
      ...keys,
      ...gone.map((key) => goneMark + key),
      ...found.flatMap(foundSources),
    ])
    if (!isFollowing(kind)) return
    const states = this.#states([...new Set([...ids, ...found.map(({ id }) => id)])])
    const own = this.#sensitivityOf(row)
    const isGone = gone.length > 0 || states.some(isGoneState)
    const isCovered = states.some((state) => isLessGuarded(own, this.#sensitivityOf(state)))
    if (isGone || isCovered) this.#outdate(row, { isGone, origin, at: row.updated_at })
  }

  /** Outdates the records that were made from the changed record in `row`, when the change requires it. */
  #outdateMade(row: RecordRow, origin: ChangeOrigin): void {
    const isGone = row.deleted === 1
    // Other changes, which are most, need not read the made records, which may be large.
    const affectsAll = isGone || isSealing(this.#sensitivityOf(row))
    for (const made of this.madeOf(
      row.id,
      ({ madeFrom }) => affectsAll || madeFrom?.rebuildVerb === undefined,
    )) {
      const isCovered = isLessGuarded(this.#sensitivityOf(made), this.#sensitivityOf(row))
      const { rebuildVerb, neverSealed = false } = this.#parts.kinds.get(made.kind)?.madeFrom ?? {}
      const canBeRemade = rebuildVerb !== undefined
      const isEnded = isGone ? this.#isGoingWith(made, row.id) : isCovered && neverSealed
      const goes = origin === 'own' && isEnded
      if (isGone || isCovered || !canBeRemade)
        this.#outdate(made, { isGone, goes, origin, at: row.updated_at })
    }
  }

  /** Outdates the records that were made from the content of `before` and name it by a key only. */
  #outdateAwaiting(before: RecordRow, row: RecordRow, origin: ChangeOrigin): void {
    for (const [key, made] of this.links.awaited.isUsed() ? this.links.awaiting(before) : []) {
      this.links.add(made, [goneMark + key, row.id])
      this.#outdate(made, { isGone: true, origin, at: row.updated_at })
    }
  }

  #outdate(row: RecordRow, { isGone, goes = false, origin, at }: Outdated): void {
    const { seq, id } = row
    if (this.#parts.kinds.get(row.kind)?.madeFrom?.reachOnly === true) return
    if (goes || this.#parts.kinds.get(row.kind)?.madeFrom?.rebuildVerb === undefined) {
      if (origin !== 'replica') this.#parts.forget(row, at)
      return
    }
    const before = this.#db.get<{ is_gone: number }>('SELECT is_gone FROM outdated WHERE seq = ?', [seq])
    if (before && (before.is_gone === 1 || !isGone)) return
    this.#db.run(outdateSql, [seq, Number(isGone), Number(origin === 'remote'), seq])
    eraseRows(this.#db, vectorOf, [seq])
    if (isGone && origin !== 'replica') this.#removeEarlier(row)
    this.#parts.onOutdated(row)
    // A record made from this one may quote the same source.
    for (const made of this.madeOf(id)) this.#outdate(made, { isGone, origin, at })
  }

  #isGoingWith(made: RecordRow, id: string): boolean {
    const kind = this.#parts.kinds.get(made.kind)
    const body = kind && this.#parts.bodies.read(made, made.body)
    if (!kind || !body) return kind?.madeFrom?.rebuildVerb === undefined
    return goingIds(kind, body, made.id).includes(id)
  }

  /** The body of `row` when it takes back words of `before`; otherwise undefined. */
  #takenBack(before: RecordRow, row: RecordRow): JsonObject | undefined {
    const { kinds, bodies } = this.#parts
    const kind = row.deleted === 0 && before.deleted === 0 ? kinds.get(row.kind) : undefined
    const old = kind?.takesBack && bodies.read(before, before.body)
    const body = old && bodies.read(row, row.body)
    return body && kind?.takesBack?.(old, body) ? body : undefined
  }

  #removeEarlier({ seq, id }: RecordRow): void {
    eraseRows(this.#db, historyOf, [seq])
    eraseRows(this.#db, conflictsOf, [id])
    eraseAnswers(this.#db, id)
  }

  /** The states of the sources `ids`; missing sources have none. */
  #states(ids: readonly string[]): SourceState[] {
    if (ids.length === 0) return []
    return this.#db.all<SourceState>(
      `SELECT r.kind, r.deleted, r.sensitivity,
         EXISTS (SELECT 1 FROM outdated o WHERE o.seq = r.seq AND o.is_gone = 1) AS outdated
       FROM json_each(?) j JOIN records r ON r.id = j.value`,
      [JSON.stringify(ids)],
    )
  }

  #sensitivityOf({ kind, sensitivity }: Pick<RecordRow, 'kind' | 'sensitivity'>): Sensitivity | undefined {
    return (sensitivity ?? this.#parts.kinds.get(kind)?.sensitivity) as Sensitivity | undefined
  }

  #madeKinds(): Kind[] {
    return [...this.#parts.kinds.values()].filter(({ madeFrom }) => madeFrom !== undefined)
  }

  /**
   * The live, readable records of the kinds `made` that match `condition`. Reads one at a time: bodies may be large.
   */
  *#rowsOf(made: readonly Kind[], condition: string): Generator<RecordRow> {
    const seqs = this.#db.all<{ seq: number }>(
      `SELECT r.seq FROM records r WHERE r.kind IN (SELECT value FROM json_each(?)) AND r.deleted = 0 AND ${condition}`,
      [JSON.stringify(made.map(({ name }) => name))],
    )
    for (const { seq } of seqs) {
      const row = this.#db.get<RecordRow>(rowSql, [seq])
      if (row && this.#isReadable(row)) yield row
    }
  }

  #isReadable(row: RecordRow): boolean {
    return !isSealedText(row.body) || this.#parts.bodies.open(row, row.body) !== undefined
  }
}

/** True for kinds whose records may quote their sources. */
function isFollowing({ madeFrom }: Kind): boolean {
  return madeFrom !== undefined && madeFrom.reachOnly !== true
}

/** True when a source must be sealed and the record made from it is less sensitive. */
function isLessGuarded(made: Sensitivity | undefined, source: Sensitivity | undefined): boolean {
  return isSealing(source) && isLowered(made, source)
}

function isGoneState({ deleted, outdated }: SourceState): boolean {
  return deleted === 1 || outdated === 1
}
