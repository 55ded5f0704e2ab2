// Where records stand in the mirror's sequence: the mirror numbers each change, a device notes what the mirror gave. Everything here that writes runs inside a transaction.
// Invariants: at the mirror each change has the next place, and the sums of places change with it; a version is never given
// twice, not even to a record that was collected and comes again.
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'
import { carriedSql } from './carried.ts'
import type { PlaceSums } from './place-sum.ts'

/** A device keeps a log for its mirror; the mirror is the authority and numbers what it applies. */
export type Role = 'device' | 'mirror'

/** The version and the place that the mirror gave to a record, and whose change that was. */
export interface MirrorVersion {
  readonly ver: number
  readonly place: number
  readonly device: string | null
  /** In which version it was last forgotten, and last purged, as the mirror says. */
  readonly gone?: number
  readonly purged?: number
}

/** A record as the mirror has it, on its way into this book. */
export interface MirrorCopy extends MirrorVersion {
  readonly device: string
}

export interface MirrorPlaces {
  /** The place at which the mirror was last seen to have the record at `seq`; 0 for none. */
  placeOf(seq: number): number
  /** Notes the version that the mirror gave to our own change. `isForget`: it is the last forget of the record here. */
  confirm(seq: number, copy: MirrorCopy, isForget?: boolean): void
  /** Notes in which version of the mirror's the record was purged, under a change of this device. */
  notePurged(id: string, ver: number): void
  /**
   * At the mirror: records whose last change comes after `place`, each once, in the order of the sequence. `carried`: the kinds
   * that a guest may fetch, of which marks may be.
   */
  changedAfter(
    place: number,
    limit: number,
    kinds?: readonly string[],
    carried?: readonly string[],
  ): RecordRow[]
  /** At the mirror: true for a record of these kinds, and for a mark of one. */
  isCarried(row: Pick<RecordRow, 'seq' | 'kind'>, kinds: readonly string[]): boolean
  /** On a device: no version of the mirror is known any more; every record stays as it is. */
  clearMirrorVersions(): void
  /** On a device: clears the places above `from`, which are to be read anew; versions stay known. */
  clearMirrorPlaces(from: number, kinds?: readonly string[]): void
  /** On a device: records that a mirror had, and that reading anew has not found. */
  withoutMirrorPlace(kinds?: readonly string[]): RecordRow[]
  /** At the mirror: the place of the first tombstone that was made at `since` or later. */
  firstTombstone(since: string): number | undefined
  /** Takes away the tombstones up to `floor` that no change waits on. */
  collect(floor: number): number
}

export interface MirrorPlacesParts {
  readonly db: SqlDatabase
  readonly role: Role
  readonly settings: Settings
  readonly sums: PlaceSums
  /** The mirror has named another version of a record, or, without `seq`, maybe of every record. */
  readonly onVersion: (seq?: number) => void
  /** Tombstones are about to be taken away; their derived rows go first. */
  readonly beforeCollect: () => void
  readonly onCollected: (seq: number) => void
}

/** The places, and how the next one is given, which is the record store's own business. */
export interface GivenPlaces extends MirrorPlaces {
  /** At the mirror: the next version and place, for a change of `before` that `device` made. On a device: those it has. */
  next(kind: string, before: RecordRow | undefined, device?: string): MirrorVersion
}

// Without the second condition the partial index could not be used: a parameter proves nothing.
const changedSql = `SELECT ${recordColumns} FROM records r WHERE r.place > ? AND r.place > 0`
const collectable = 'deleted = 1 AND place > 0 AND place <= ? AND op IS NULL'
// That a record was purged is never forgotten: of its tombstone only the place goes.
const purgedRow = 'purged > 0'

interface Tombstone extends SqlRow {
  readonly seq: number
  readonly kind: string
  readonly place: number
  readonly ver: number
}

export function createMirrorPlaces(parts: MirrorPlacesParts): GivenPlaces {
  const { db, role, settings, sums, onVersion, beforeCollect, onCollected } = parts

  /** No version of these comes again. */
  const noteCollected = (rows: readonly Tombstone[]) => {
    const before = settings.getNumber('collected_ver')
    settings.set(
      'collected_ver',
      rows.reduce((most, { ver }) => Math.max(most, ver), before),
    )
  }

  return {
    next(kind, before, device) {
      if (role === 'device')
        return { ver: before?.ver ?? 0, place: before?.place ?? 0, device: before?.device ?? null }
      const place = 1 + settings.getNumber('head')
      settings.set('head', place)
      // A tombstone may have been one of another kind.
      if (before && before.kind !== kind) sums.move(before.kind, before.place, 0)
      sums.move(kind, before?.kind === kind ? before.place : 0, place)
      // No version of a record that was collected comes again: one that begins anew begins above all of them.
      const ver = 1 + (before?.ver ?? settings.getNumber('collected_ver'))
      return { ver, place, device: device ?? null }
    },
    placeOf: (seq) => db.get<{ place: number }>('SELECT place FROM records WHERE seq = ?', [seq])?.place ?? 0,
    confirm(seq, { ver, place, device }, isForget = false) {
      // What was forgotten here and has not been sent yet now comes after that version.
      const waits = isForget ? '0' : '(op IS NOT NULL)'
      db.run(
        `UPDATE records SET gone = iif(gone > ver, max(gone, ? + ${waits}), gone),
           purged = iif(purged > ver, max(purged, ? + ${waits}), purged),
           ver = ?, place = ?, device = ? WHERE seq = ?`,
        [ver, ver, ver, place, device, seq],
      )
      onVersion(seq)
    },
    notePurged: (id, ver) =>
      db.run('UPDATE records SET gone = max(gone, ?), purged = max(purged, ?) WHERE id = ?', [ver, ver, id]),
    changedAfter(place, limit, kinds, carried) {
      if (!kinds) return db.all<RecordRow>(`${changedSql} ORDER BY r.place LIMIT ?`, [place, limit])
      const { sql, params } = carriedSql(carried)
      return db.all<RecordRow>(
        `${changedSql} AND r.kind IN (SELECT value FROM json_each(?)) AND ${sql} ORDER BY r.place LIMIT ?`,
        [place, JSON.stringify(kinds), ...params, limit],
      )
    },
    isCarried({ seq, kind }, kinds) {
      if (!kinds.includes(kind)) return false
      const { sql, params } = carriedSql(kinds)
      return db.get(`SELECT 1 FROM records r WHERE r.seq = ? AND ${sql}`, [seq, ...params]) !== undefined
    },
    clearMirrorVersions() {
      // Versions of another sequence say nothing here. What stays known is that it was forgotten, and whether the edit on top of
      // that was sent: one that waits says it anew to a mirror that may have the record as it was before.
      const kept = (column: string) =>
        `${column} = CASE WHEN ${column} = 0 THEN 0 WHEN ${column} >= ver THEN 1 ELSE -1 END`
      db.run(
        `UPDATE records SET gone = 1, purged = iif(purged > 0 AND purged >= gone, 1, 0) WHERE deleted = 1`,
      )
      db.run(`UPDATE records SET ${kept('gone')}, ${kept('purged')} WHERE deleted = 0 AND gone <> 0`)
      db.run('UPDATE records SET ver = 0, place = 0, device = NULL')
      onVersion()
    },
    clearMirrorPlaces: (from, kinds) =>
      db.run(
        `UPDATE records SET place = 0 WHERE place > ? AND (? IS NULL OR kind IN (SELECT value FROM json_each(?)))`,
        [from, kinds ? 1 : null, JSON.stringify(kinds ?? [])],
      ),
    withoutMirrorPlace: (kinds) =>
      db.all<RecordRow>(
        `SELECT ${recordColumns} FROM records r WHERE r.place = 0 AND r.ver > 0
           AND (? IS NULL OR r.kind IN (SELECT value FROM json_each(?)))`,
        [kinds ? 1 : null, JSON.stringify(kinds ?? [])],
      ),
    firstTombstone: (since) =>
      db.get<{ place: number | null }>(
        'SELECT min(place) AS place FROM records WHERE deleted = 1 AND place > 0 AND updated_at >= ?',
        [since],
      )?.place ?? undefined,
    collect(floor) {
      const rows = db.all<Tombstone>(`SELECT seq, kind, place, ver FROM records WHERE ${collectable}`, [
        floor,
      ])
      if (rows.length === 0) return 0
      noteCollected(rows)
      beforeCollect()
      if (role === 'mirror') for (const { kind, place } of rows) sums.move(kind, place, 0)
      db.run(`DELETE FROM history WHERE seq IN (SELECT seq FROM records WHERE ${collectable})`, [floor])
      db.run(`UPDATE records SET place = 0 WHERE ${collectable} AND ${purgedRow}`, [floor])
      db.run(`DELETE FROM records WHERE ${collectable}`, [floor])
      for (const { seq } of rows) onCollected(seq)
      return rows.length
    },
  }
}
