// Records and their history: the only code that changes a row of `records`. Everything here runs inside a transaction.
// Invariant: on a device each local change has its op in the log; at the mirror each change has the next place in the sequence.
import { DaybookError } from '../../core/errors.ts'
import type { ForgetOp, PutOp } from '../../core/op.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { infoOf, isSealing, sealedOf, sealedText } from '../../core/sealed.ts'
import { headFields, type RecordVersion } from '../../core/record.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { Bodies } from './bodies.ts'
import type { Checkpoint } from '../repair/checkpoint.ts'
import type { OpLog } from './op-log.ts'
import type { PlaceSums } from './place-sum.ts'
import type { Projection } from './projection.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'
import type { Veil } from './cover-clear-text.ts'

/** A device keeps a log for its mirror; the mirror is the authority and numbers what it applies. */
export type Role = 'device' | 'mirror'

/** Largest body of one record, in bytes of JSON text: rows must fit every host. */
export const bodyLimitBytes = 1_900_000

/** A record as the mirror has it, on its way into this book. */
export interface MirrorCopy {
  readonly ver: number
  readonly place: number
  readonly device: string
}

export interface RecordStore {
  row(id: string): RecordRow | undefined
  /** Makes or changes a record as the author does. `fresh`: the id was just made, nothing can be there. */
  put(op: PutOp, options?: { fresh?: boolean }): RecordRow
  /** Leaves a tombstone without content; the earlier versions go too. Undefined when there is no live record. */
  forget(op: ForgetOp): RecordRow | undefined
  /**
   * At the mirror: applies what `device` sent to the record as it stands, `before`, as the next change of the sequence. A
   * forget always leaves a tombstone.
   */
  admit(op: PutOp | ForgetOp, device: string, before: RecordRow | undefined): RecordRow
  /** Takes over what the mirror says, without logging an op. `fresh`: no such record is here. */
  accept(op: PutOp | ForgetOp, copy: MirrorCopy, options?: { fresh?: boolean }): void
  /** The place at which the mirror was last seen to have the record at `seq`; 0 for none. */
  placeOf(seq: number): number
  /** Notes the version that the mirror gave to our own change. */
  confirm(seq: number, copy: MirrorCopy): void
  /** At the mirror: records whose last change comes after `place`, each once, in the order of the sequence. */
  changedAfter(place: number, limit: number, kinds?: readonly string[]): RecordRow[]
  /** On a device: no version of the mirror is known any more; every record stays as it is. */
  unplace(): void
  /** On a device: the places above `from` are to be read anew; versions stay known. */
  misplace(from: number, kinds?: readonly string[]): void
  /** On a device: records that a mirror had, and that reading anew has not found. */
  misplaced(kinds?: readonly string[]): RecordRow[]
  /** At the mirror: the place of the first tombstone that was made at `since` or later. */
  firstTombstone(since: string): number | undefined
  /** Takes away the tombstones up to `floor` that no change waits on. */
  collect(floor: number): number
  /** Takes note of rows that came into the table by another way than this. */
  renumber(): void
  history(id: string): RecordVersion[]
  /** What the record at `seq` said in an earlier version; undefined when that is gone, forgotten, or can't be opened. */
  bodyAt(seq: number, version: number): JsonObject | undefined
  watchSealed(watcher: SealedWatcher): void
}

/** Is told of what becomes of sealed records, also when it is then undone. */
export interface SealedWatcher {
  /** A record that is sealed, or was before, has changed. */
  changed(seq: number): void
  /** A record, sealed or not, has another version of the mirror's. */
  placed(seq: number): void
  /** Every record may have. */
  unplaced(): void
}

/** What a record store works with. */
export interface RecordStoreParts {
  readonly db: SqlDatabase
  readonly role: Role
  readonly settings: Settings
  readonly log: OpLog
  readonly projection: Projection
  readonly sums: PlaceSums
  readonly bodies: Bodies
  readonly veil: Veil
  readonly checkpoint: Pick<Checkpoint, 'changed'> | undefined
}

interface VersionRow extends SqlRow {
  readonly version: number
  readonly at: string
  readonly agent: string
  readonly session: string | null
  readonly resource: string | null
  readonly op: string
  readonly body: string
}

interface Placed {
  readonly ver: number
  readonly place: number
  readonly device: string | null
}

export function createRecordStore(parts: RecordStoreParts): RecordStore {
  const { db, role, settings, log, projection, sums, bodies, veil, checkpoint } = parts
  const watchers: SealedWatcher[] = []
  const tellSealed = (seq: number) => {
    for (const watcher of watchers) watcher.changed(seq)
  }
  // A number that a rolled back transaction took is left out: sequences grow, they need not be dense.
  const greatestSeq = () => db.get<{ n: number | null }>('SELECT max(seq) AS n FROM records')?.n ?? 0
  let lastSeq = greatestSeq()
  const find = (id: string) =>
    db.get<RecordRow>(`SELECT ${recordColumns} FROM records r WHERE r.id = ?`, [id])

  const placed = (kind: string, before: RecordRow | undefined, device?: string): Placed => {
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
  }

  const insert = (op: PutOp | ForgetOp, body: string, at: Placed, logged: boolean): RecordRow => {
    const put = op.op === 'put' ? op : undefined
    const seq = ++lastSeq
    const row: RecordRow = {
      seq,
      id: op.id,
      kind: op.kind,
      agent: op.agent,
      session: put?.session ?? null,
      resource: put?.resource ?? null,
      created_at: put?.created_at ?? op.at,
      updated_at: op.at,
      stamp: op.stamp,
      ...at,
      op: logged ? log.log(undefined, seq) : null,
      rev: 1,
      deleted: put ? 0 : 1,
      sensitivity: put?.sensitivity ?? null,
      kid: sealedOf(body)?.kid ?? null,
      body,
    }
    db.run(
      `INSERT INTO records (seq, id, kind, agent, session, resource, created_at, updated_at, stamp, ver, place,
        device, op, rev, deleted, sensitivity, kid, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        row.seq,
        row.id,
        row.kind,
        row.agent,
        row.session,
        row.resource,
        row.created_at,
        row.updated_at,
        row.stamp,
      ].concat([
        row.ver,
        row.place,
        row.device,
        row.op,
        row.rev,
        row.deleted,
        row.sensitivity,
        row.kid,
        row.body,
      ]),
    )
    projection.markGrown()
    if (row.kid !== null) tellSealed(seq)
    return row
  }

  const change = (
    before: RecordRow,
    op: PutOp | ForgetOp,
    body: string,
    at: Placed,
    logged: boolean,
  ): RecordRow => {
    const put = op.op === 'put' ? op : undefined
    const { seq } = before
    if (put) {
      db.run(
        `INSERT INTO history (seq, version, at, agent, op, body, session, resource, sensitivity)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          seq,
          before.rev,
          before.updated_at,
          before.agent,
          before.deleted ? 'forget' : 'put',
          before.body,
          before.session,
          before.resource,
          before.sensitivity,
        ],
      )
    } else {
      db.run('DELETE FROM history WHERE seq = ?', [seq])
      db.run('DELETE FROM uses WHERE seq = ?', [seq])
      // Much of a text can be told from its vector.
      db.run('DELETE FROM vectors WHERE seq = ?', [seq])
    }
    const row: RecordRow = {
      ...before,
      ...at,
      kind: op.kind,
      agent: op.agent,
      session: put ? (put.session ?? null) : null,
      resource: put ? (put.resource ?? null) : null,
      created_at: put?.created_at ?? before.created_at,
      updated_at: op.at,
      stamp: op.stamp,
      op: logged ? log.log(before, seq) : before.op,
      rev: before.rev + 1,
      deleted: put ? 0 : 1,
      sensitivity: put?.sensitivity ?? null,
      kid: sealedOf(body)?.kid ?? null,
      body,
    }
    db.run(
      `UPDATE records SET kind = ?, agent = ?, session = ?, resource = ?, created_at = ?, updated_at = ?, stamp = ?,
        ver = ?, place = ?, device = ?, op = ?, rev = ?, deleted = ?, sensitivity = ?, kid = ?, body = ? WHERE seq = ?`,
      [row.kind, row.agent, row.session, row.resource, row.created_at, row.updated_at, row.stamp, row.ver]
        .concat([row.place, row.device, row.op, row.rev, row.deleted])
        .concat([row.sensitivity, row.kid, row.body, seq]),
    )
    projection.markStale(seq)
    const isVeiled = row.kid !== null && before.kid === null
    checkpoint?.changed(seq, !put || isVeiled)
    if (row.kid !== null || before.kid !== null) tellSealed(seq)
    if (isVeiled) veil.cover(row)
    return row
  }

  const textOf = (op: PutOp): string => {
    if (op.enc) return checkSize(sealedText(op.enc))
    const text = encodeBody(op.body)
    return isSealing(op.sensitivity) ? checkSize(bodies.seal(op, text)) : text
  }

  const store = (
    before: RecordRow | undefined,
    op: PutOp | ForgetOp,
    at: Placed,
    logged: boolean,
  ): RecordRow => {
    const body = op.op === 'put' ? textOf(op) : '{}'
    return before ? change(before, op, body, at, logged) : insert(op, body, at, logged)
  }

  const said = (row: RecordRow, text: string): Pick<RecordVersion, 'body' | 'sealed'> => {
    const body = bodies.read(row, text)
    const sealed = body ? undefined : sealedOf(text)
    return { ...(body ? { body } : {}), ...(sealed ? { sealed: infoOf(sealed) } : {}) }
  }

  return {
    row: find,
    renumber() {
      lastSeq = Math.max(lastSeq, greatestSeq())
    },
    put(op, { fresh = false } = {}) {
      const before = fresh ? undefined : find(op.id)
      return store(before, op, placed(op.kind, before), role === 'device')
    },
    forget(op) {
      const before = find(op.id)
      if (!before || before.deleted) return undefined
      return store(before, op, placed(op.kind, before), role === 'device')
    },
    admit(op, device, before) {
      return store(before, op, placed(op.kind, before, device), false)
    },
    accept: (op, copy, { fresh = false } = {}) =>
      void store(fresh ? undefined : find(op.id), op, copy, false),
    placeOf: (seq) => db.get<{ place: number }>('SELECT place FROM records WHERE seq = ?', [seq])?.place ?? 0,
    confirm(seq, { ver, place, device }) {
      db.run('UPDATE records SET ver = ?, place = ?, device = ? WHERE seq = ?', [ver, place, device, seq])
      for (const watcher of watchers) watcher.placed(seq)
    },
    changedAfter(place, limit, kinds) {
      // Without the second condition the partial index could not be used: a parameter proves nothing.
      if (!kinds) {
        return db.all<RecordRow>(
          `SELECT ${recordColumns} FROM records r WHERE r.place > ? AND r.place > 0 ORDER BY r.place LIMIT ?`,
          [place, limit],
        )
      }
      return db.all<RecordRow>(
        `SELECT ${recordColumns} FROM records r WHERE r.place > ? AND r.place > 0 AND r.kind IN (SELECT value FROM json_each(?))
         ORDER BY r.place LIMIT ?`,
        [place, JSON.stringify(kinds), limit],
      )
    },
    unplace() {
      db.run('UPDATE records SET ver = 0, place = 0, device = NULL')
      for (const watcher of watchers) watcher.unplaced()
    },
    misplace: (from, kinds) =>
      db.run(
        `UPDATE records SET place = 0 WHERE place > ? AND (? IS NULL OR kind IN (SELECT value FROM json_each(?)))`,
        [from, kinds ? 1 : null, JSON.stringify(kinds ?? [])],
      ),
    misplaced: (kinds) =>
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
      const gone = 'deleted = 1 AND place > 0 AND place <= ? AND op IS NULL'
      const rows = db.all<{ seq: number; kind: string; place: number; ver: number }>(
        `SELECT seq, kind, place, ver FROM records WHERE ${gone}`,
        [floor],
      )
      if (rows.length === 0) return 0
      const before = settings.getNumber('collected_ver')
      settings.set(
        'collected_ver',
        rows.reduce((most, { ver }) => Math.max(most, ver), before),
      )
      // Whatever was derived from them goes first, while they are there to say so.
      projection.catchUpWithin()
      if (role === 'mirror') for (const { kind, place } of rows) sums.move(kind, place, 0)
      db.run(`DELETE FROM history WHERE seq IN (SELECT seq FROM records WHERE ${gone})`, [floor])
      db.run(`DELETE FROM records WHERE ${gone}`, [floor])
      for (const { seq } of rows) checkpoint?.changed(seq, false)
      return rows.length
    },
    bodyAt(seq, version) {
      const row = db.get<{ id: string; kind: string; body: string }>(
        `SELECT r.id, r.kind, h.body FROM history h JOIN records r ON r.seq = h.seq
         WHERE h.seq = ? AND h.version = ? AND h.op = 'put'`,
        [seq, version],
      )
      return row && bodies.read(row, row.body)
    },
    watchSealed: (watcher) => void watchers.push(watcher),
    history(id) {
      const row = find(id)
      if (!row) return []
      const earlier = db.all<VersionRow>(
        'SELECT version, at, agent, session, resource, op, body FROM history WHERE seq = ? ORDER BY version',
        [row.seq],
      )
      const current = {
        version: row.rev,
        at: row.updated_at,
        agent: row.agent,
        session: row.session,
        resource: row.resource,
        op: row.deleted ? 'forget' : 'put',
        body: row.body,
      }
      return [...earlier, current].map(({ op, body, session, resource, ...version }) => ({
        ...version,
        ...(session === null ? {} : { session }),
        ...(resource === null ? {} : { resource }),
        ...(op === 'forget' ? { op } : { op: 'put', ...said(row, body) }),
      }))
    },
  }
}

/** The body as text. Fields that carry the name of a head field are left out: a body can't speak for its head. */
function encodeBody(body: JsonObject): string {
  const isForged = headFields.some((name) => Object.hasOwn(body, name))
  const own = isForged
    ? Object.entries(body).filter(([name]) => !headFields.some((field) => field === name))
    : undefined
  return checkSize(JSON.stringify(own ? Object.fromEntries(own) : body))
}

function checkSize(text: string): string {
  // UTF-8 takes at most three bytes for each UTF-16 unit, so only long texts need counting.
  if (text.length * 3 > bodyLimitBytes && utf8Length(text) > bodyLimitBytes) {
    throw new DaybookError('too-large', `The record is larger than ${bodyLimitBytes} bytes.`, {
      details: { limitBytes: bodyLimitBytes },
    })
  }
  return text
}
