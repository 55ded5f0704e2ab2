// Links each written record to its sources, and marks a record whose source is gone, or more sensitive, as outdated.
// A kind declares its sources in `madeFrom`. `takesBack` tells whether a change removes words of an ended or gone
// source; `withoutGone` removes them.
// Invariant: the transaction that forgets, outdates or seals a source also outdates the records made from it; they
// stay outdated until they no longer name such a source. When a source is gone, the same transaction erases their
// earlier content from history, conflict log, vectors and stored answers.
import { awaitedKeys, goingIds, sourceIds, type Kind, type Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import { isLowered, isSealedText, isSealing, type SealedOwner, type Sensitivity } from '../../core/sealed.ts'
import { textKey } from '../../core/text/text-key.ts'
import { lowestTrust, type Trust } from '../../core/trusted.ts'
import { isLinkNoteSql, sourcesSetting } from '../schema/derived.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'
import type { Bodies } from './bodies.ts'
import { Guards } from './guards.ts'
import { forgottenKeyPrefix, foundSourceRows, SourceLinks } from './source-links.ts'
import { createForgottenWordsEraser, scrubDue, type ForgottenWordsEraser } from './cover-text.ts'
import { conflictsOfRecord, eraseAnswers, eraseRows, historyOfRecord, vectorOfRecord } from './erase-rows.ts'

/**
 * `own`: a call here made the change. `remote`: another copy made it. `replica`: this database repeats the changes of
 * another one, which also sends the consequences of the change, such as forgotten records.
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

interface SourcesDeps {
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

interface OutdateOptions {
  readonly isSourceForgotten: boolean
  /** True when the record must be forgotten, because it can't exist without the source. Default false. */
  readonly mustForget?: boolean
  readonly origin: ChangeOrigin
  readonly at: string
}

interface SourceState extends SqlRow {
  readonly kind: string
  readonly deleted: number
  readonly sensitivity: string | null
  readonly trust: string | null
  /** 1 when the source is outdated because a source of it is gone, otherwise 0. */
  readonly outdated: number
}

const rowSql = `SELECT ${recordColumns} FROM records r WHERE r.seq = ?`
/** Outdated records without an outdated source: only these can be rebuilt. */
const rebuildableSql = `SELECT ${recordColumns}, o.is_remote FROM outdated o JOIN records r ON r.seq = o.seq
  WHERE r.deleted = 0 AND NOT EXISTS (SELECT 1 FROM sources s JOIN records t ON t.id = s.source
    JOIN outdated p ON p.seq = t.seq WHERE s.seq = o.seq) ORDER BY o.seq LIMIT ?`

/** Checks for a purged source: the purge may be older than the arrival of the record. */
const outdateSql = `INSERT INTO outdated (seq, is_gone, is_remote, is_purged)
  SELECT ?, ?, ?, EXISTS (SELECT 1 FROM sources s JOIN records r ON r.id = s.source
    LEFT JOIN outdated o ON o.seq = r.seq WHERE s.seq = ? AND (o.is_purged = 1 OR (r.deleted = 1 AND r.purged > 0 AND r.purged >= r.gone)))
  WHERE true ON CONFLICT (seq) DO UPDATE SET is_gone = excluded.is_gone, is_purged = excluded.is_purged`
const purgedSql = `WITH RECURSIVE made (seq) AS (SELECT seq FROM sources WHERE source = ?
    UNION SELECT s.seq FROM made JOIN records r ON r.seq = made.seq JOIN sources s ON s.source = r.id)
  UPDATE outdated SET is_purged = 1 WHERE seq IN (SELECT seq FROM made)`

export class Sources {
  readonly #deps: SourcesDeps
  readonly #db: SqlDatabase
  readonly links: SourceLinks
  readonly guards: Guards
  /** Removes the words of forgotten records from texts that may repeat them. */
  readonly eraser: ForgottenWordsEraser

  constructor(deps: SourcesDeps) {
    this.#deps = deps
    this.#db = deps.db
    this.links = new SourceLinks(deps)
    this.guards = new Guards(deps)
    this.eraser = createForgottenWordsEraser(deps)
  }

  /** Fills the tables again when they are new or a kind declares other sources. Call it when the book is opened. */
  prepare(): void {
    const { settings } = this.#deps
    const derivedKinds = this.#derivedKinds()
    this.#db.transaction(() => this.guards.prepare())
    const declared = textKey(derivedKinds.flatMap(({ name, version }) => [name, String(version)]))
    if (settings.getNumber(sourcesSetting) === declared) return this.#prepareAwaiting()
    this.#db.transaction(() => {
      this.#db.run(`DELETE FROM sources WHERE NOT ${isLinkNoteSql}`)
      for (const row of this.#readRows(derivedKinds, 'true')) this.#linkSources(row, 'remote')
      settings.set(sourcesSetting, declared)
    })
  }

  /**
   * Links records with keys that an earlier Daybook wrote, before the table of keys existed or under other
   * declarations.
   */
  #prepareAwaiting(): void {
    // Each awaited key begins with `!`.
    const all = `SELECT DISTINCT seq FROM sources WHERE source >= '!' AND source < '"'`
    if (this.links.awaited.isUsed() || this.#db.get(`${all} LIMIT 1`) === undefined) return
    this.#db.transaction(() => this.#relink(all))
  }

  /** Call it after the row `seq` is deleted without a forget. */
  removeLinks(seq: number): void {
    this.#deleteRows(seq)
    this.links.awaited.removeKeys(seq)
    this.guards.removeLinks(seq)
  }

  #deleteRows(seq: number): void {
    this.#db.run('DELETE FROM sources WHERE seq = ?', [seq])
    this.#db.run('DELETE FROM outdated WHERE seq = ?', [seq])
  }

  /** Links the sealed records that new encryption keys make readable. Call it inside a transaction. */
  linkUnlocked(): void {
    const rows = this.#readRows(
      this.#derivedKinds(),
      `r.kid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sources s WHERE s.seq = r.seq AND NOT ${isLinkNoteSql})`,
    )
    for (const row of rows) this.#linkSources(row, 'remote')
    // Then the records that await one of the records that are readable now.
    this.#relink('SELECT DISTINCT s.seq FROM json_each(?) j JOIN sources s ON s.source = j.value', [
      JSON.stringify(this.links.awaited.sealedKeys()),
    ])
  }

  /** Links again the live, readable records whose numbers `sql` selects as `seq`. */
  #relink(sql: string, params: readonly SqlValue[] = []): void {
    for (const { seq } of this.#db.all<{ seq: number }>(sql, params)) {
      const row = this.#db.get<RecordRow>(rowSql, [seq])
      if (row?.deleted === 0 && this.#isReadable(row)) this.#linkSources(row, 'remote')
    }
  }

  /** Call it after the record is written as `row`, inside the transaction that writes it. */
  updateLinks(row: RecordRow, before: RecordRow | undefined, origin: ChangeOrigin): void {
    const isDerived = [row, before].some((either) => either && this.#deps.kinds.get(either.kind)?.madeFrom)
    if (isDerived) this.#linkSources(row, origin)
    this.guards.updateLinks(row, before)
    this.links.linkAwaiting(row)
    // A new record can already be a source: of records that arrived before it. It outdates them only when it is more
    // sensitive.
    if (before || row.deleted === 1 || row.sensitivity !== null) this.#outdateDerived(row, origin)
    if (before && row.deleted === 1) this.#outdateAwaiting(before, row, origin)
  }

  /** True when the record at `seq` must be rebuilt, because a source is gone or more sensitive. */
  isOutdated(seq: number): boolean {
    return this.#db.get('SELECT 1 FROM outdated WHERE seq = ?', [seq]) !== undefined
  }

  /**
   * Undefined when the content of `before`, which `row` replaces, may stay as a version. An object when it may not,
   * because it quotes a forgotten record or has words that `row` takes back. `rest` is the part that may stay; without
   * it, nothing may. Earlier versions with such words are rewritten or removed here.
   */
  contentToRemove(before: RecordRow, row: RecordRow): { readonly rest?: string | undefined } | undefined {
    const after = this.#bodyTakingBack(before, row)
    if (after) {
      // The quoted record may be purged already, here or on another copy.
      this.#deps.settings.set(scrubDue, 1)
      const { eraser } = this
      if (this.#deps.kinds.get(row.kind)?.withoutGone) eraser.eraseOutsideRecord(before, after)
      else this.#eraseEarlier(before)
      return { rest: eraser.textThatMayStay(before, before.body, after) }
    }
    const isGone = this.#db.get('SELECT 1 FROM outdated WHERE seq = ? AND is_gone = 1', [row.seq])
    return isGone && {}
  }

  /** True when a source of `body` is forgotten, or outdated because a source of it is gone. */
  quotesForgotten({ kind: name, id }: SealedOwner, body: JsonObject): boolean {
    const kind = this.#deps.kinds.get(name)
    return (
      kind !== undefined &&
      mayQuoteSources(kind) &&
      this.#readStates(this.sourceIdsOf(kind, body, id)).some(isForgottenState)
    )
  }

  /** The least sensitivity that the record `id` with `body` may have: that of its most sensitive live source. */
  minSensitivity(kind: Kind, body: JsonObject, id: string): Sensitivity | undefined {
    if (!kind.madeFrom || kind.madeFrom.neverSealed) return undefined
    if (awaitedKeys(kind, body).length > 0) this.links.awaited.fillTable()
    return this.#readStates(this.sourceIdsOf(kind, body, id))
      .filter(({ deleted }) => deleted === 0)
      .map((state) => this.#sensitivityOf(state))
      .reduce((highest, next) => (isLowered(highest, next) ? next : highest), undefined)
  }

  /** The trust of the least trusted source of the record `id` with `body`, also of a forgotten one. */
  sourceTrust(kind: Kind, body: JsonObject, id: string): Trust | undefined {
    if (!kind.madeFrom || kind.madeFrom.reachOnly) return undefined
    return lowestTrust(
      ...this.#readStates(this.sourceIdsOf(kind, body, id)).map(({ trust }) => trust as Trust | null),
    )
  }

  /** The ids of all sources of the record `id` with `body`: those in the body, and those that its keys find here. */
  sourceIdsOf(kind: Kind, body: JsonObject, id: string): string[] {
    const found = this.links.find(id, awaitedKeys(kind, body))
    return [...new Set([...sourceIds(kind, body, id), ...found.map((one) => one.id)])]
  }

  /** The live records that were made from `id` and may quote it. `isWanted` filters by kind; default all. */
  derivedFrom(id: string, isWanted: (kind: Kind) => boolean = () => true): RecordRow[] {
    const names = this.#derivedKinds()
      .filter((kind) => mayQuoteSources(kind) && isWanted(kind))
      .map(({ name }) => name)
    return this.#db.all<RecordRow>(
      `SELECT ${recordColumns} FROM sources s JOIN records r ON r.seq = s.seq
       WHERE s.source = ? AND s.kind IN (SELECT value FROM json_each(?)) AND r.deleted = 0 ORDER BY s.seq`,
      [id, JSON.stringify(names)],
    )
  }

  /** The live records that are forgotten and purged with `id`, directly or indirectly. */
  forgottenWith(id: string): RecordRow[] {
    const forgotten = new Map<string, RecordRow>()
    const pending = [id]
    for (let source = pending.pop(); source !== undefined; source = pending.pop()) {
      for (const derived of this.derivedFrom(source)) {
        if (derived.id === id || forgotten.has(derived.id) || !this.#isForgottenWith(derived, source))
          continue
        forgotten.set(derived.id, derived)
        pending.push(derived.id)
      }
    }
    return [...forgotten.values()]
  }

  /**
   * Call it inside the transaction that purges `id`: marks the outdated records made from it, so that a scrub
   * follows when they are rebuilt.
   */
  markPurged(id: string): void {
    this.#db.run(purgedSql, [id])
  }

  /** Records that can be rebuilt now. At most `limit`; sealed ones without a key here are left out. */
  rebuildable(limit: number): OutdatedRecord[] {
    const { bodies } = this.#deps
    return this.#db
      .all<RecordRow & { is_remote: number }>(rebuildableSql, [limit])
      .filter((row) => bodies.open(row, row.body) !== undefined)
      .map(({ id, kind, agent, rev, is_remote }) => ({ id, kind, agent, rev, isRemote: is_remote === 1 }))
  }

  /** Stores the sources of the record in `row`, and outdates it when one is gone or more sensitive. */
  #linkSources(row: RecordRow, origin: ChangeOrigin): void {
    const { kinds, bodies, settings } = this.#deps
    const { seq } = row
    const before = this.#db.get<{ is_purged: number }>('SELECT is_purged FROM outdated WHERE seq = ?', [seq])
    const kind = kinds.get(row.kind)
    const body = row.deleted === 1 || !kind?.madeFrom ? undefined : bodies.read(row, row.body)
    const keys = kind && body ? awaitedKeys(kind, body) : []
    if (keys.length > 0) this.links.awaited.fillTable()
    const forgottenKeys = this.links.forgottenKeys(row.id).filter((key) => keys.includes(key))
    const found = this.links.find(row.id, keys)
    this.#deleteRows(seq)
    if (before?.is_purged === 1) settings.set(scrubDue, 1)
    if (!kind || !body) return
    const ids = sourceIds(kind, body, row.id)
    this.links.add(row, [
      ...ids,
      ...keys,
      ...forgottenKeys.map((key) => forgottenKeyPrefix + key),
      ...found.flatMap(foundSourceRows),
    ])
    if (!mayQuoteSources(kind)) return
    const states = this.#readStates([...new Set([...ids, ...found.map(({ id }) => id)])])
    const ownSensitivity = this.#sensitivityOf(row)
    const isSourceForgotten = forgottenKeys.length > 0 || states.some(isForgottenState)
    const isUnderprotectedNow = states.some((state) =>
      isUnderprotected(ownSensitivity, this.#sensitivityOf(state)),
    )
    if (isSourceForgotten || isUnderprotectedNow)
      this.#outdate(row, { isSourceForgotten, origin, at: row.updated_at })
  }

  /** Outdates the records that were made from the changed record in `row`, when the change requires it. */
  #outdateDerived(row: RecordRow, origin: ChangeOrigin): void {
    const isSourceForgotten = row.deleted === 1
    // Most changes affect only records that can't be rebuilt. Then the others, often large, are not read.
    const affectsAll = isSourceForgotten || isSealing(this.#sensitivityOf(row))
    for (const derived of this.derivedFrom(
      row.id,
      ({ madeFrom }) => affectsAll || madeFrom?.rebuildVerb === undefined,
    )) {
      const isUnderprotectedNow = isUnderprotected(this.#sensitivityOf(derived), this.#sensitivityOf(row))
      const { rebuildVerb, neverSealed = false } = this.#deps.kinds.get(derived.kind)?.madeFrom ?? {}
      const canBeRebuilt = rebuildVerb !== undefined
      /** True when the record can't exist any more. After a remote change it waits, if it can be rebuilt. */
      const isEnded = isSourceForgotten
        ? this.#isForgottenWith(derived, row.id)
        : isUnderprotectedNow && neverSealed
      const mustForget = origin === 'own' && isEnded
      // Any change of a source ends a record that can't be rebuilt.
      if (isSourceForgotten || isUnderprotectedNow || !canBeRebuilt)
        this.#outdate(derived, { isSourceForgotten, mustForget, origin, at: row.updated_at })
    }
  }

  /** Outdates the records that were made from the content of `before` and name it by a key only. */
  #outdateAwaiting(before: RecordRow, row: RecordRow, origin: ChangeOrigin): void {
    for (const [key, derived] of this.links.awaited.isUsed() ? this.links.recordsAwaiting(before) : []) {
      this.links.add(derived, [forgottenKeyPrefix + key, row.id])
      this.#outdate(derived, { isSourceForgotten: true, origin, at: row.updated_at })
    }
  }

  /** Outdates the record in `row` and those made from it, or forgets it when it can't be rebuilt. */
  #outdate(row: RecordRow, { isSourceForgotten, mustForget = false, origin, at }: OutdateOptions): void {
    const { seq, id } = row
    if (this.#deps.kinds.get(row.kind)?.madeFrom?.reachOnly === true) return
    if (mustForget || this.#deps.kinds.get(row.kind)?.madeFrom?.rebuildVerb === undefined) {
      if (origin !== 'replica') this.#deps.forget(row, at)
      return
    }
    const before = this.#db.get<{ is_gone: number }>('SELECT is_gone FROM outdated WHERE seq = ?', [seq])
    // It is outdated already, for this reason or a stronger one.
    if (before && (before.is_gone === 1 || !isSourceForgotten)) return
    this.#db.run(outdateSql, [seq, Number(isSourceForgotten), Number(origin === 'remote'), seq])
    eraseRows(this.#db, vectorOfRecord, [seq])
    if (isSourceForgotten && origin !== 'replica') this.#eraseEarlier(row)
    this.#deps.onOutdated(row)
    // A record made from this one may quote the same source.
    for (const derived of this.derivedFrom(id)) this.#outdate(derived, { isSourceForgotten, origin, at })
  }

  /** True when the end of source `id` ends `derived`. An unreadable record ends if it can't be rebuilt. */
  #isForgottenWith(derived: RecordRow, id: string): boolean {
    const kind = this.#deps.kinds.get(derived.kind)
    const body = kind && this.#deps.bodies.read(derived, derived.body)
    if (!kind || !body) return kind?.madeFrom?.rebuildVerb === undefined
    return goingIds(kind, body, derived.id).includes(id)
  }

  /** The body of `row` when it takes back words of `before`; otherwise undefined. */
  #bodyTakingBack(before: RecordRow, row: RecordRow): JsonObject | undefined {
    const { kinds, bodies } = this.#deps
    const kind = row.deleted === 0 && before.deleted === 0 ? kinds.get(row.kind) : undefined
    const old = kind?.takesBack && bodies.read(before, before.body)
    const body = old && bodies.read(row, row.body)
    return body && kind?.takesBack?.(old, body) ? body : undefined
  }

  /** Erases the earlier versions, the lost edits and the stored answers of a record. */
  #eraseEarlier({ seq, id }: RecordRow): void {
    eraseRows(this.#db, historyOfRecord, [seq])
    eraseRows(this.#db, conflictsOfRecord, [id])
    eraseAnswers(this.#db, id)
  }

  /** The states of the sources `ids`; missing sources have none. */
  #readStates(ids: readonly string[]): SourceState[] {
    if (ids.length === 0) return []
    return this.#db.all<SourceState>(
      `SELECT r.kind, r.deleted, r.sensitivity, r.trust,
         EXISTS (SELECT 1 FROM outdated o WHERE o.seq = r.seq AND o.is_gone = 1) AS outdated
       FROM json_each(?) j JOIN records r ON r.id = j.value`,
      [JSON.stringify(ids)],
    )
  }

  /** Its own sensitivity, or that of its kind; undefined counts as `standard`. */
  #sensitivityOf({ kind, sensitivity }: Pick<RecordRow, 'kind' | 'sensitivity'>): Sensitivity | undefined {
    return (sensitivity ?? this.#deps.kinds.get(kind)?.sensitivity) as Sensitivity | undefined
  }

  #derivedKinds(): Kind[] {
    return [...this.#deps.kinds.values()].filter(({ madeFrom }) => madeFrom !== undefined)
  }

  /**
   * The live, readable records of the kinds `derivedKinds` that match `condition`. Reads one at a time: bodies may be
   * large.
   */
  *#readRows(derivedKinds: readonly Kind[], condition: string): Generator<RecordRow> {
    const seqs = this.#db.all<{ seq: number }>(
      `SELECT r.seq FROM records r WHERE r.kind IN (SELECT value FROM json_each(?)) AND r.deleted = 0 AND ${condition}`,
      [JSON.stringify(derivedKinds.map(({ name }) => name))],
    )
    for (const { seq } of seqs) {
      const row = this.#db.get<RecordRow>(rowSql, [seq])
      if (row && this.#isReadable(row)) yield row
    }
  }

  #isReadable(row: RecordRow): boolean {
    return !isSealedText(row.body) || this.#deps.bodies.open(row, row.body) !== undefined
  }
}

/** True for kinds whose records may quote their sources. */
function mayQuoteSources({ madeFrom }: Kind): boolean {
  return madeFrom !== undefined && madeFrom.reachOnly !== true
}

/** True when a source must be sealed and the record made from it is less sensitive. */
function isUnderprotected(derived: Sensitivity | undefined, source: Sensitivity | undefined): boolean {
  return isSealing(source) && isLowered(derived, source)
}

function isForgottenState({ deleted, outdated }: SourceState): boolean {
  return deleted === 1 || outdated === 1
}
