// Places of records in the mirror's sequence: the mirror numbers each change, and a device stores the numbers.
// Writes run inside a transaction.
// Invariant: at the mirror each change gets the next place and updates the sums of places. The mirror never gives a
// version of a record twice, not even when the record is made again after its tombstone was removed.
import { markName } from '../../core/mark.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'
import { fetchableSql, markedKindSql } from './carried.ts'
import type { PlaceSums } from './place-sum.ts'

/** A device logs its changes for its mirror; the mirror decides, and numbers the changes that it applies. */
export type Role = 'device' | 'mirror'

/** The version and the place that the mirror gave to a record (0: none), and the device that made the change. */
export interface MirrorVersion {
  readonly ver: number
  readonly place: number
  readonly device: string | null
  /** The mirror's version of the last forget; 0 for none. */
  readonly gone?: number
  /** The mirror's version of the last purge; 0 for none. */
  readonly purged?: number
}

/** The mirror's version of a record that this book takes over. */
export interface MirrorCopy extends MirrorVersion {
  readonly device: string
}

interface MirrorPlacesDeps {
  readonly db: SqlDatabase
  readonly role: Role
  readonly settings: Settings
  /** Sums over the places of each kind, by which device and mirror compare their copies. */
  readonly sums: PlaceSums
}

// The second condition lets SQLite use the partial index, which a condition with a parameter does not.
const changedSql = `SELECT ${recordColumns} FROM records r WHERE r.place > ? AND r.place > 0`
const collectableSql = 'deleted = 1 AND place > 0 AND place <= ? AND op IS NULL'
// The tombstone of a record that was ever purged stays for ever: a collection only clears its place.
const wasPurgedSql = 'purged > 0'

interface CollectedRow extends SqlRow {
  readonly seq: number
  readonly kind: string
  readonly place: number
  readonly ver: number
}

export abstract class MirrorPlaces {
  readonly #db: SqlDatabase
  readonly #role: Role
  readonly #settings: Settings
  readonly #sums: PlaceSums

  constructor({ db, role, settings, sums }: MirrorPlacesDeps) {
    this.#db = db
    this.#role = role
    this.#settings = settings
    this.#sums = sums
  }

  /** Runs when the mirror's version of the record at `seq` changes; without `seq`, when those of all records may. */
  protected abstract versionChanged(seq?: number): void
  /** Runs before tombstones are removed, so that their derived rows are removed first. */
  protected abstract beforeCollect(): void
  /** Runs for each collected tombstone. */
  protected abstract collected(seq: number): void

  /**
   * At the mirror: takes the next version and place, for a change of `before` by `device`. On a device: the present
   * version and place.
   */
  protected nextVersion(kind: string, before: RecordRow | undefined, device?: string): MirrorVersion {
    if (this.#role === 'device')
      return { ver: before?.ver ?? 0, place: before?.place ?? 0, device: before?.device ?? null }
    // The setting `head` is the last place of the sequence, `collected_ver` the highest version of a removed
    // tombstone.
    const place = 1 + this.#settings.getNumber('head')
    this.#settings.set('head', place)
    // A record that replaces a tombstone may have another kind.
    if (before && before.kind !== kind) this.#sums.movePlace(before.kind, before.place, 0)
    this.#sums.movePlace(kind, before?.kind === kind ? before.place : 0, place)
    // A new record begins above the versions of all removed tombstones.
    const ver = 1 + (before?.ver ?? this.#settings.getNumber('collected_ver'))
    return { ver, place, device: device ?? null }
  }

  /** The place of the record at `seq`; 0 for none. */
  placeOf(seq: number): number {
    return this.#db.get<{ place: number }>('SELECT place FROM records WHERE seq = ?', [seq])?.place ?? 0
  }

  /**
   * Stores the version that the mirror gave to our own change. `isForget`: the change is the record's last forget
   * here.
   */
  confirmVersion(seq: number, { ver, place, device }: MirrorCopy, isForget = false): void {
    // A `gone` or `purged` above `ver` was assumed, see `removalVersions` in record-store.ts: this replaces
    // it. An unsent forget comes after this version.
    const pending = isForget ? '0' : '(op IS NOT NULL)'
    this.#db.run(
      `UPDATE records SET gone = iif(gone > ver, max(gone, ? + ${pending}), gone),
         purged = iif(purged > ver, max(purged, ? + ${pending}), purged),
         ver = ?, place = ?, device = ? WHERE seq = ?`,
      [ver, ver, ver, place, device, seq],
    )
    this.versionChanged(seq)
  }

  /** Stores the mirror's version `ver` of the purge of a record that this device changed since. */
  storePurgeVersion(id: string, ver: number): void {
    this.#db.run('UPDATE records SET gone = max(gone, ?), purged = max(purged, ?) WHERE id = ?', [
      ver,
      ver,
      id,
    ])
  }

  /**
   * At the mirror: at most `limit` records whose last change comes after `place`, each once, in the order of the
   * sequence. `kinds`: only these kinds; `fetchableKinds`: only marks of records of these kinds, which a guest may
   * fetch.
   */
  changedAfter(
    place: number,
    limit: number,
    kinds?: readonly string[],
    fetchableKinds?: readonly string[],
  ): RecordRow[] {
    if (!kinds) return this.#db.all<RecordRow>(`${changedSql} ORDER BY r.place LIMIT ?`, [place, limit])
    const { sql, params } = fetchableSql(fetchableKinds)
    return this.#db.all<RecordRow>(
      `${changedSql} AND r.kind IN (SELECT value FROM json_each(?)) AND ${sql} ORDER BY r.place LIMIT ?`,
      [place, JSON.stringify(kinds), ...params, limit],
    )
  }

  /** At the mirror: true for a record of `kinds`; for a mark, only if the marked record is of `kinds` too. */
  isFetchable({ seq, kind }: Pick<RecordRow, 'seq' | 'kind'>, kinds: readonly string[]): boolean {
    if (!kinds.includes(kind)) return false
    const { sql, params } = fetchableSql(kinds)
    return this.#db.get(`SELECT 1 FROM records r WHERE r.seq = ? AND ${sql}`, [seq, ...params]) !== undefined
  }

  /** On a device: clears the mirror's versions and places of all records. */
  clearMirrorVersions(): void {
    // Versions of another mirror's sequence mean nothing here. Two facts about a record stay: that it was forgotten,
    // and whether the edit after the forget was sent. An unsent edit repeats the forget to a mirror that may still
    // have the earlier record.
    const next = (column: string) =>
      `${column} = CASE WHEN ${column} = 0 THEN 0 WHEN ${column} >= ver THEN 1 ELSE -1 END`
    this.#db.run(
      'UPDATE records SET gone = 1, purged = iif(purged > 0 AND purged >= gone, 1, 0) WHERE deleted = 1',
    )
    this.#db.run(`UPDATE records SET ${next('gone')}, ${next('purged')} WHERE deleted = 0 AND gone <> 0`)
    this.#db.run('UPDATE records SET ver = 0, place = 0, device = NULL')
    this.versionChanged()
  }

  /**
   * On a device: clears the places above `from`, before they are read again; versions stay. Without `kinds`: of all
   * kinds.
   */
  clearMirrorPlaces(from: number, kinds?: readonly string[]): void {
    this.#db.run(
      `UPDATE records SET place = 0 WHERE place > ? AND (? IS NULL OR kind IN (SELECT value FROM json_each(?)))`,
      [from, kinds ? 1 : null, JSON.stringify(kinds ?? [])],
    )
  }

  /**
   * On a device: records with a version of the mirror that the repeated reading did not find. Without `kinds`: of
   * all kinds.
   */
  withoutMirrorPlace(kinds?: readonly string[]): RecordRow[] {
    return this.#db.all<RecordRow>(
      `SELECT ${recordColumns} FROM records r WHERE r.place = 0 AND r.ver > 0
         AND (? IS NULL OR r.kind IN (SELECT value FROM json_each(?)))`,
      [kinds ? 1 : null, JSON.stringify(kinds ?? [])],
    )
  }

  /** At the mirror: the place of the first tombstone that was made at `since` or later. */
  firstTombstone(since: string): number | undefined {
    const row = this.#db.get<{ place: number | null }>(
      'SELECT min(place) AS place FROM records WHERE deleted = 1 AND place > 0 AND updated_at >= ?',
      [since],
    )
    return row?.place ?? undefined
  }

  /**
   * Collects the tombstones with places up to `floor` and without an op: removes each, or clears the place of a
   * purged one. Returns how many.
   */
  collectTombstones(floor: number): number {
    const db = this.#db
    const rows = db.all<CollectedRow>(`SELECT seq, kind, place, ver FROM records WHERE ${collectableSql}`, [
      floor,
    ])
    if (rows.length === 0) return 0
    const highestVersion = rows.reduce(
      (most, { ver }) => Math.max(most, ver),
      this.#settings.getNumber('collected_ver'),
    )
    this.#settings.set('collected_ver', highestVersion)
    this.beforeCollect()
    if (this.#role === 'mirror') for (const { kind, place } of rows) this.#sums.movePlace(kind, place, 0)
    db.run(`DELETE FROM history WHERE seq IN (SELECT seq FROM records WHERE ${collectableSql})`, [floor])
    db.run(`UPDATE records SET place = 0 WHERE ${collectableSql} AND ${wasPurgedSql}`, [floor])
    db.run(`DELETE FROM records WHERE ${collectableSql}`, [floor])
    for (const { seq } of rows) this.collected(seq)
    return rows.length
  }
}

// A type alias, because an interface has no index signature and so is no `SqlRow`.
/**
 * The highest place of the records of a kind. `marked`: for marks, the kind of the marked records; otherwise null.
 */
export type LatestPlace = { readonly kind: string; readonly marked: string | null; readonly place: number }

/** The latest places of the kinds that changed after `place`. */
export function latestPlaces(db: Pick<SqlDatabase, 'all'>, place: number): LatestPlace[] {
  return db.all<LatestPlace>(
    `SELECT r.kind, ${markedKindSql} AS marked, max(r.place) AS place FROM records r WHERE r.place > ? GROUP BY 1, 2`,
    [place],
  )
}

/** True when a caller who may fetch `kinds` may also fetch the records of the latest place. */
export function mayFetchLatest(kinds: readonly string[], { kind, marked }: LatestPlace): boolean {
  return kinds.includes(kind) && (kind !== markName || (marked !== null && kinds.includes(marked)))
}
