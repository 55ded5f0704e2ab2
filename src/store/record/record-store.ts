// Makes, changes and forgets records, for their author and for a sync. Writes run inside a transaction.
// Invariant: on a device each local change has its op in the log; at the mirror each change gets the next place in
// the sequence. A tombstone has the time of the forget and the sensitivity of a sealed record, but no scope.
import { DaybookError } from '../../core/errors.ts'
import type { ForgetOp, PutOp } from '../../core/op.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import {
  infoOf,
  isSealing,
  type SealedBody,
  sealedHead,
  sealedOf,
  sealedSensitivity,
  sealedText,
  type Sensitivity,
} from '../../core/sealed.ts'
import { type JsonObject, sameJson } from '../../core/json/path.ts'
import type { Kinds } from '../../core/kind.ts'
import { headFields, type RecordVersion } from '../../core/record.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { Bodies } from './bodies.ts'
import type { ClearTextCover } from './cover-text.ts'
import { type MirrorCopy, MirrorPlaces, type MirrorVersion, type Role } from './mirror-places.ts'
import type { OpLog } from './op-log.ts'
import type { PlaceSums } from './place-sum.ts'
import type { Projection } from './projection.ts'
import type { ChangeOrigin, Sources } from './sources.ts'
import { tombstoneText } from './part-rows.ts'
import { RecordTable, type VersionRow } from './record-table.ts'
import { isPurged, isSecret, type RecordRow } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'

/** Largest body of one record, in bytes of JSON text: rows must fit every host. */
const recordLimitBytes = 1_900_000

/** The scope and the content of one version. */
export type VersionContent =
  | { readonly op: 'forget' }
  | {
      readonly op: 'put'
      readonly session?: string
      readonly resource?: string
      readonly sensitivity?: Sensitivity
      readonly body?: JsonObject
      readonly enc?: SealedBody
    }

/** Follows changes of sealed records. Its methods run inside the transaction, which may still be undone. */
export interface SealedWatcher {
  /** The record at `seq`, which is sealed or was sealed before, has changed. */
  changed(seq: number): void
  /** The record at `seq`, sealed or not, has another version of the mirror. */
  placed(seq: number): void
  /** All records have lost their versions of the mirror. */
  mirrorCleared(): void
}

interface RecordStoreParts {
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
  /** Runs for each change of an existing record. `covered`: its row before, when none of its content may stay. */
  readonly onChange?: ((seq: number, covered?: RecordRow) => void) | undefined
}

/** The origin and the effects of a change. */
interface Change {
  readonly at: MirrorVersion
  readonly isLogged: boolean
  readonly origin: ChangeOrigin
  readonly keepsBefore?: boolean | undefined
  /** True for a put that replaces a tombstone and clears the version of its forget. */
  readonly revives?: boolean
}

export class RecordStore extends MirrorPlaces {
  readonly #parts: RecordStoreParts
  readonly #table: RecordTable
  readonly #watchers: SealedWatcher[] = []

  constructor(parts: RecordStoreParts) {
    super(parts)
    this.#parts = parts
    this.#table = new RecordTable(parts.db)
  }

  row(id: string): RecordRow | undefined {
    return this.#table.find(id)
  }

  /**
   * Makes or changes a record for its author. Pass `fresh` only when no row has the id. `keepsBefore`: the version
   * before stays in the history, also when only counts differ.
   */
  put(
    op: PutOp,
    { fresh = false, keepsBefore }: { fresh?: boolean; keepsBefore?: boolean | undefined } = {},
  ): RecordRow {
    const before = fresh ? undefined : this.#table.find(op.id)
    return this.#store(before, op, { ...this.#ownChange(op.kind, before), keepsBefore })
  }

  /**
   * Replaces a record by a tombstone without content, and removes the earlier versions. Undefined when no record has
   * the id, or it is already forgotten (for a purge: already purged).
   */
  forget(op: ForgetOp): RecordRow | undefined {
    const before = this.#table.find(op.id)
    if (!before || (before.deleted === 1 && (!op.purge || isPurged(before)))) return undefined
    return this.#store(before, op, this.#ownChange(op.kind, before))
  }

  /**
   * At the mirror: applies an op of `device` to the record in `before` (undefined: none), as the next change of the
   * sequence. A forget leaves a tombstone even without a record. `revives`: see `Change`.
   */
  admit(
    op: PutOp | ForgetOp,
    device: string,
    before: RecordRow | undefined,
    { revives = false }: { revives?: boolean } = {},
  ): RecordRow {
    const at = this.nextVersion(op.kind, before, device)
    return this.#store(before, op, { at, isLogged: false, origin: 'remote', revives })
  }

  /** On a device: applies a change of the mirror without logging an op. Pass `fresh` only when no row has the id. */
  accept(op: PutOp | ForgetOp, copy: MirrorCopy, { fresh = false }: { fresh?: boolean } = {}): void {
    const before = fresh ? undefined : this.#table.find(op.id)
    this.#store(before, op, { at: copy, isLogged: false, origin: 'remote' })
  }

  /** Call it after other code has written rows to the table, so that new records get higher numbers. */
  renumber(): void {
    this.#table.renumber()
  }

  /** All versions of a record, the oldest first and the present one last; empty when no row has the id. */
  history(id: string): RecordVersion[] {
    const row = this.#table.find(id)
    return row ? this.#table.versions(row).map((version) => versionOf(this.#parts.bodies, row, version)) : []
  }

  /**
   * The body of the record at `seq` in the earlier `version`; undefined when it is removed, a forget, or has no key
   * here.
   */
  bodyAt(seq: number, version: number): JsonObject | undefined {
    const row = this.#table.earlier(seq, version)
    return row && this.#parts.bodies.read(row, row.body)
  }

  /** At the mirror: the content of the record of `row` in its earlier version `ver`; undefined when it is removed. */
  contentAt(row: RecordRow, ver: number): VersionContent | undefined {
    // At the mirror each change raises both `ver` and `rev` by 1.
    const found = this.#table.version(row.seq, row.rev - (row.ver - ver))
    if (!found || found.op === 'forget') return found && { op: 'forget' }
    const enc = sealedOf(found.body)
    return {
      op: 'put',
      ...(found.session === null ? {} : { session: found.session }),
      ...(found.resource === null ? {} : { resource: found.resource }),
      ...(found.sensitivity === null ? {} : { sensitivity: found.sensitivity as Sensitivity }),
      ...(enc ? { enc } : { body: JSON.parse(found.body) as JsonObject }),
    }
  }

  watchSealed(watcher: SealedWatcher): void {
    this.#watchers.push(watcher)
  }

  /** Call it when the record in `row` becomes outdated: its rows are then derived again, without its words. */
  outdated(row: RecordRow): void {
    this.#parts.projection.markStale(row.seq)
    this.#parts.onChange?.(row.seq, row)
    if (row.kid !== null) this.#sealedChanged(row.seq)
  }

  protected override versionChanged(seq?: number): void {
    for (const watcher of this.#watchers) {
      if (seq === undefined) watcher.mirrorCleared()
      else watcher.placed(seq)
    }
  }

  protected override beforeCollect(): void {
    this.#parts.projection.catchUpWithin()
  }

  protected override collected(seq: number): void {
    this.#parts.onChange?.(seq)
  }

  #sealedChanged(seq: number): void {
    for (const watcher of this.#watchers) watcher.changed(seq)
  }

  #ownChange(kind: string, before: RecordRow | undefined): Change {
    return { at: this.nextVersion(kind, before), isLogged: this.#parts.role === 'device', origin: 'own' }
  }

  #store(before: RecordRow | undefined, op: PutOp | ForgetOp, how: Change): RecordRow {
    const { at, isLogged } = how
    const body = op.op === 'put' ? this.#textOf(op) : before ? tombstoneText(this.#parts, before) : '{}'
    const seq = before?.seq ?? this.#table.takeSeq()
    const row = rowOf(op, body, at, {
      seq,
      created_at: op.op === 'put' ? op.created_at : (before?.created_at ?? op.at),
      op: isLogged ? this.#parts.log.log(before, seq) : (before?.op ?? null),
      rev: (before?.rev ?? 0) + 1,
      secret: secretOf(op, before),
      ...removalVersions(op, before, how),
    })
    if (before) this.#change(before, row, op, how)
    else this.#insert(row, how)
    return row
  }

  #insert(row: RecordRow, { origin }: Change): void {
    const { projection, cover, sources } = this.#parts
    this.#table.insert(row)
    projection.markNew()
    if (row.kid !== null) this.#sealedChanged(row.seq)
    cover.coverNew(row)
    sources.written(row, undefined, origin)
  }

  #change(before: RecordRow, row: RecordRow, op: PutOp | ForgetOp, { origin, keepsBefore }: Change): void {
    const { seq } = row
    const { sources, projection, log, cover, onChange } = this.#parts
    const leaving = sources.leaving(before, row)
    const isGone = leaving !== undefined
    const isPassing = keepsBefore ? undefined : this.#isPassing(before, row, op)
    this.#table.change(before, row, { isGone, rest: leaving?.rest, isPassing })
    projection.markStale(seq)
    const becameSealed = isSecret(row) && !isSecret(before)
    const covered = row.deleted === 1 || becameSealed || isGone ? before : undefined
    if (covered) log.withdraw(row)
    onChange?.(seq, covered)
    if (row.kid !== null || before.kid !== null) this.#sealedChanged(seq)
    if (becameSealed) cover.cover(row)
    sources.written(row, before, origin)
  }

  /** True when `op` changes only counts. Undefined: the version before stays, as for a kind without counts. */
  #isPassing(before: RecordRow, row: RecordRow, op: PutOp | ForgetOp): boolean | undefined {
    const { kinds, bodies } = this.#parts
    const paths = kinds.get(row.kind)?.counts
    // The versions 1, 2, 4, 8 … stay even when only counts change, to show how they grew.
    if (isPowerOfTwo(before.rev) || !paths || op.op === 'forget' || before.kind !== row.kind) return undefined
    const isSameHead = (['agent', 'session', 'resource', 'sensitivity'] as const).every(
      (name) => before[name] === row[name],
    )
    if (!isSameHead || before.deleted !== 0 || !op.body) return false
    const body = bodies.read(before, before.body)
    return body !== undefined && sameJson(without(body, paths), without(op.body, paths))
  }

  #textOf(op: PutOp): string {
    if (op.enc) return checkSize(sealedText(op.enc))
    const text = encodeBody(op.body)
    if (!isSealing(op.sensitivity)) return text
    return checkSize(this.#parts.bodies.seal({ ...op, head: sealedHead(op) }, text))
  }
}

/** Fields of a new row that come neither from its op nor from the mirror. */
type OwnFields = Pick<RecordRow, 'seq' | 'created_at' | 'op' | 'rev' | 'gone' | 'purged'> & {
  /** The sensitivity in the tombstone of a sealed record; null for any other row. */
  readonly secret: string | null
}

/**
 * The versions of the last forget (`gone`) and the last purge (`purged`); 0 for none. A device assumes the version
 * after the mirror's until the mirror confirms the true one.
 */
function removalVersions(
  op: PutOp | ForgetOp,
  before: RecordRow | undefined,
  { at, isLogged, revives }: Change,
): Pick<RecordRow, 'gone' | 'purged'> {
  const ofMirror = at.purged === undefined ? undefined : { gone: at.gone ?? 0, purged: at.purged }
  if (op.op === 'put')
    return ofMirror ?? { gone: revives ? 0 : (before?.gone ?? 0), purged: before?.purged ?? 0 }
  const gone = isLogged ? at.ver + 1 : at.ver
  return { gone, purged: op.purge ? gone : (ofMirror?.purged ?? before?.purged ?? 0) }
}

/** The sensitivity of a forgotten record that was sealed, here or at the copy that forgot it; null for any other. */
function secretOf(op: PutOp | ForgetOp, before: RecordRow | undefined): string | null {
  if (op.op === 'put') return null
  if (before && isSecret(before)) return before.sensitivity
  return op.sealed ? ('sensitive' satisfies Sensitivity) : null
}

/** The new row of a record after `op`. A tombstone has no session and no resource. */
function rowOf(op: PutOp | ForgetOp, body: string, at: MirrorVersion, own: OwnFields): RecordRow {
  const put = op.op === 'put' ? op : undefined
  const sealed = sealedOf(body)
  return {
    seq: own.seq,
    id: op.id,
    kind: op.kind,
    agent: op.agent,
    session: put?.session ?? null,
    resource: put?.resource ?? null,
    created_at: own.created_at,
    updated_at: op.at,
    stamp: op.stamp,
    ver: at.ver,
    place: at.place,
    device: at.device,
    op: own.op,
    rev: own.rev,
    deleted: put ? 0 : 1,
    gone: own.gone,
    purged: own.purged,
    sensitivity: (sealed ? sealedSensitivity(put?.sensitivity, sealed) : put?.sensitivity) ?? own.secret,
    kid: sealed?.kid ?? null,
    body,
  }
}

/** A version of `row` for callers. A body without its key here stays sealed. */
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

/** `body` without the fields `paths`, which are names at the first level. */
function without(body: JsonObject, paths: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !paths.includes(name)))
}

const isPowerOfTwo = (rev: number) => (rev & (rev - 1)) === 0

/** The JSON text of a body, without fields that have the name of a head field: a body must not replace the head. */
function encodeBody(body: JsonObject): string {
  const isForged = headFields.some((name) => Object.hasOwn(body, name))
  const own = isForged
    ? Object.entries(body).filter(([name]) => !headFields.some((field) => field === name))
    : undefined
  return checkSize(JSON.stringify(own ? Object.fromEntries(own) : body))
}

function checkSize(text: string): string {
  // UTF-8 takes at most three bytes for each UTF-16 unit, so only long texts need counting.
  if (text.length * 3 > recordLimitBytes && utf8Length(text) > recordLimitBytes) {
    throw new DaybookError('too-large', `The record is larger than ${recordLimitBytes} bytes.`, {
      details: { limitBytes: recordLimitBytes },
    })
  }
  return text
}
