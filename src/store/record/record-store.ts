// Records as their author and the mirror change them: the only way in which a record is made, changed or forgotten.
// Everything here that writes runs inside a transaction. Invariant: on a device each local change has its op in the log; at
// the mirror each change has the next place in the sequence.
import { DaybookError } from '../../core/errors.ts'
import type { ForgetOp, PutOp } from '../../core/op.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import {
  infoOf,
  isSealing,
  type SealedBody,
  sealedHead,
  sealedOf,
  sealedText,
  type Sensitivity,
} from '../../core/sealed.ts'
import { sameJson } from '../../core/json/same-json.ts'
import type { Kinds } from '../../core/kind.ts'
import { headFields, type RecordVersion } from '../../core/record.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { Bodies } from './bodies.ts'
import type { ClearTextCover } from './cover-clear-text.ts'
import { createMirrorPlaces, type MirrorCopy, type MirrorPlaces, type Role } from './mirror-places.ts'
import type { OpLog } from './op-log.ts'
import type { PlaceSums } from './place-sum.ts'
import { type Change, removals, rowOf, secretOf } from './next-row.ts'
import type { Projection } from './projection.ts'
import type { Sources } from './sources.ts'
import { tombstoneText } from './part-rows.ts'
import { RecordTable, type VersionRow } from './record-table.ts'
import { isPurged, isSecret, type RecordRow } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'

/** Largest body of one record, in bytes of JSON text: rows must fit every host. */
export const bodyLimitBytes = 1_900_000

export interface RecordStore extends MirrorPlaces {
  row(id: string): RecordRow | undefined
  /**
   * Makes or changes a record as the author does. `fresh`: the id was just made, nothing can be there. `keepsBefore`: what
   * it said before stays in its history, also where only counts differ.
   */
  put(op: PutOp, options?: { fresh?: boolean; keepsBefore?: boolean | undefined }): RecordRow
  /**
   * Leaves a tombstone without content; the earlier versions go too. Undefined when there is no live record, or, for a purge,
   * none that was not purged.
   */
  forget(op: ForgetOp): RecordRow | undefined
  /**
   * At the mirror: applies what `device` sent to the record as it stands, `before`, as the next change of the sequence. A
   * forget always leaves a tombstone. `revives`: the tombstone that stands there counts no more.
   */
  admit(
    op: PutOp | ForgetOp,
    device: string,
    before: RecordRow | undefined,
    options?: { revives?: boolean },
  ): RecordRow
  /** Takes over what the mirror says, without logging an op. `fresh`: no such record is here. */
  accept(op: PutOp | ForgetOp, copy: MirrorCopy, options?: { fresh?: boolean }): void
  /** Takes note of rows that came into the table by another way than this. */
  renumber(): void
  history(id: string): RecordVersion[]
  /** What the record at `seq` said in an earlier version; undefined when that is gone, forgotten, or can't be opened. */
  bodyAt(seq: number, version: number): JsonObject | undefined
  /** At the mirror: what the record of `row` said in its earlier version `ver`; undefined when that is gone. */
  saidIn(row: RecordRow, ver: number): Said | undefined
  watchSealed(watcher: SealedWatcher): void
  /** The record in `row` is outdated: what was derived from it is derived anew, without its words. */
  outdated(row: RecordRow): void
}

/** What a version said: no more than its scope and its content. */
export type Said =
  | { readonly op: 'forget' }
  | {
      readonly op: 'put'
      readonly session?: string
      readonly resource?: string
      readonly sensitivity?: Sensitivity
      readonly body?: JsonObject
      readonly enc?: SealedBody
    }

/** Follows what becomes of sealed records; it is called inside the transaction, also when that is then undone. */
export interface SealedWatcher {
  /** A record that is sealed, or was before, has changed. */
  changed(seq: number): void
  /** The mirror has named another version of a record, sealed or not. */
  placed(seq: number): void
  /** No version of the mirror is known any more. */
  mirrorCleared(): void
}

/** What a record store works with. */
export interface RecordStoreParts {
  readonly db: SqlDatabase
  readonly role: Role
  readonly kinds: Kinds
  readonly settings: Settings
  readonly log: OpLog
  readonly projection: Projection
  readonly sums: PlaceSums
  readonly bodies: Bodies
  readonly cover: ClearTextCover
  readonly sources: Pick<Sources, 'written' | 'leaving'>
  /** A record that was here before has changed. `covered`: what it said, where that must not stay anywhere. */
  readonly onChange?: ((seq: number, covered?: RecordRow) => void) | undefined
}

export function createRecordStore(parts: RecordStoreParts): RecordStore {
  const { db, role, kinds, settings, log, projection, sums, bodies, cover, sources, onChange } = parts
  const table = new RecordTable(db)
  const watchers: SealedWatcher[] = []
  const sealedChanged = (seq: number) => watchers.forEach((watcher) => watcher.changed(seq))

  const { next, ...places } = createMirrorPlaces({
    db,
    role,
    settings,
    sums,
    onVersion(seq) {
      for (const watcher of watchers) {
        if (seq === undefined) watcher.mirrorCleared()
        else watcher.placed(seq)
      }
    },
    // While the tombstones are there to say what was derived from them.
    beforeCollect: () => projection.catchUpWithin(),
    onCollected: (seq) => onChange?.(seq),
  })

  const insert = (op: PutOp | ForgetOp, body: string, how: Change): RecordRow => {
    const { at, logged, origin } = how
    const seq = table.takeSeq()
    const created = op.op === 'put' ? op.created_at : op.at
    const entry = logged ? log.log(undefined, seq) : null
    const own = {
      seq,
      created_at: created,
      op: entry,
      rev: 1,
      secret: secretOf(op),
      ...removals(op, undefined, how),
    }
    const row = rowOf(op, body, at, own)
    table.insert(row)
    projection.markGrown()
    if (row.kid !== null) sealedChanged(seq)
    cover.coverNew(row)
    sources.written(row, undefined, origin)
    return row
  }

  /** Whether `op` changes nothing but counts; undefined for a kind that has none. */
  const isPassing = (before: RecordRow, row: RecordRow, op: PutOp | ForgetOp): boolean | undefined => {
    const paths = kinds.get(row.kind)?.counts
    // Some stay all the same, ever further apart, to show how it went.
    if (isPowerOfTwo(before.rev) || !paths || op.op === 'forget' || before.kind !== row.kind) return undefined
    const same = (['agent', 'session', 'resource', 'sensitivity'] as const).every(
      (name) => before[name] === row[name],
    )
    const was = same && before.deleted === 0 && op.body ? bodies.read(before, before.body) : undefined
    return (
      was !== undefined && op.body !== undefined && sameJson(without(was, paths), without(op.body, paths))
    )
  }

  const change = (
    before: RecordRow,
    row: RecordRow,
    op: PutOp | ForgetOp,
    { origin, keepsBefore }: Change,
  ): RecordRow => {
    const { seq } = row
    const leaving = sources.leaving(before, row)
    const wasGone = leaving !== undefined
    const passing = keepsBefore ? undefined : isPassing(before, row, op)
    table.change(before, row, { isGone: wasGone, left: leaving?.left, passing })
    projection.markStale(seq)
    const becameSealed = isSecret(row) && !isSecret(before)
    const covered = row.deleted === 1 || becameSealed || wasGone ? before : undefined
    if (covered) log.withdraw(row)
    onChange?.(seq, covered)
    if (row.kid !== null || before.kid !== null) sealedChanged(seq)
    if (becameSealed) cover.cover(row)
    sources.written(row, before, origin)
    return row
  }

  const textOf = (op: PutOp): string => {
    if (op.enc) return checkSize(sealedText(op.enc))
    const text = encodeBody(op.body)
    return isSealing(op.sensitivity) ? checkSize(bodies.seal({ ...op, head: sealedHead(op) }, text)) : text
  }

  const store = (before: RecordRow | undefined, op: PutOp | ForgetOp, how: Change): RecordRow => {
    const { at, logged } = how
    const body = op.op === 'put' ? textOf(op) : before ? tombstoneText({ kinds, bodies }, before) : '{}'
    if (!before) return insert(op, body, how)
    const created = op.op === 'put' ? op.created_at : before.created_at
    const own = {
      seq: before.seq,
      created_at: created,
      op: logged ? log.log(before, before.seq) : before.op,
      rev: before.rev + 1,
      secret: secretOf(op, before),
      ...removals(op, before, how),
    }
    return change(before, rowOf(op, body, at, own), op, how)
  }

  const own = (kind: string, before: RecordRow | undefined): Change => ({
    at: next(kind, before),
    logged: role === 'device',
    origin: 'own',
  })

  return {
    ...places,
    row: (id) => table.find(id),
    renumber: () => table.renumber(),
    put(op, { fresh = false, keepsBefore } = {}) {
      const before = fresh ? undefined : table.find(op.id)
      return store(before, op, { ...own(op.kind, before), keepsBefore })
    },
    forget(op) {
      const before = table.find(op.id)
      if (!before || (before.deleted === 1 && (!op.purge || isPurged(before)))) return undefined
      return store(before, op, own(op.kind, before))
    },
    admit: (op, device, before, { revives = false } = {}) =>
      store(before, op, { at: next(op.kind, before, device), logged: false, origin: 'heard', revives }),
    accept: (op, copy, { fresh = false } = {}) =>
      void store(fresh ? undefined : table.find(op.id), op, { at: copy, logged: false, origin: 'heard' }),
    bodyAt(seq, version) {
      const row = table.earlier(seq, version)
      return row && bodies.read(row, row.body)
    },
    saidIn(row, ver) {
      // Each change at a mirror is one version there and one here.
      const found = table.version(row.seq, row.rev - (row.ver - ver))
      if (!found || found.op === 'forget') return found && { op: 'forget' }
      const enc = sealedOf(found.body)
      return {
        op: 'put',
        ...(found.session === null ? {} : { session: found.session }),
        ...(found.resource === null ? {} : { resource: found.resource }),
        ...(found.sensitivity === null ? {} : { sensitivity: found.sensitivity as Sensitivity }),
        ...(enc ? { enc } : { body: JSON.parse(found.body) as JsonObject }),
      }
    },
    watchSealed: (watcher) => void watchers.push(watcher),
    outdated(row) {
      projection.markStale(row.seq)
      onChange?.(row.seq, row)
      if (row.kid !== null) sealedChanged(row.seq)
    },
    history(id) {
      const row = table.find(id)
      return row ? table.versions(row).map((version) => versionOf(bodies, row, version)) : []
    },
  }
}

/** An earlier version of `row` as it is told: a body that can't be opened here stays sealed. */
function versionOf(
  bodies: Bodies,
  row: RecordRow,
  { op, body: text, session, resource, ...version }: VersionRow,
): RecordVersion {
  const head = {
    ...version,
    ...(session === null ? {} : { session }),
    ...(resource === null ? {} : { resource }),
  }
  if (op === 'forget') return { ...head, op }
  const body = bodies.read(row, text)
  const sealed = body ? undefined : sealedOf(text)
  return {
    ...head,
    op: 'put',
    ...(body ? { body } : {}),
    ...(sealed ? { sealed: infoOf(sealed), opaque: { kind: row.kind, enc: sealed } } : {}),
  }
}

/** `body` without the fields at `paths`, which are of its first level. */
function without(body: JsonObject, paths: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !paths.includes(name)))
}

const isPowerOfTwo = (rev: number) => (rev & (rev - 1)) === 0

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
