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
import type { Trust } from '../../core/trusted.ts'
import type { Bodies } from './bodies.ts'
import type { ClearTextSealer } from './cover-text.ts'
import { type MirrorCopy, MirrorPlaces, type MirrorVersion, type Role } from './mirror-places.ts'
import type { OpLog } from './op-log.ts'
import type { PlaceSums } from './place-sum.ts'
import type { Projection } from './projection.ts'
import type { ChangeOrigin, Sources } from './sources.ts'
import { tombstoneBody } from './part-rows.ts'
import { RecordTable, type VersionRow } from './record-table.ts'
import { isPurged, isOrWasSealed, type RecordRow } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'

/** Largest body of one record, in bytes of JSON text: rows must fit every host. */
const maxRecordBytes = 1_900_000

/** The scope and the content of one version. */
export type VersionContent =
  | { readonly op: 'forget' }
  | {
      readonly op: 'put'
      readonly session?: string
      readonly resource?: string
      readonly sensitivity?: Sensitivity
      readonly trust?: Trust
      readonly body?: JsonObject
      readonly enc?: SealedBody
    }

/** Follows changes of sealed records. Its methods run inside the transaction, which may still be undone. */
export interface SealedWatcher {
  /** The record at `seq`, which is sealed or was sealed before, has changed. */
  sealedChanged(seq: number): void
  /** The mirror's version of the record at `seq`, sealed or not, has changed. */
  mirrorVersionChanged(seq: number): void
  /** All records have lost their versions of the mirror. */
  mirrorVersionsCleared(): void
}

interface RecordStoreDeps {
  readonly db: SqlDatabase
  readonly role: Role
  readonly kinds: Kinds
  readonly settings: Settings
  readonly log: OpLog
  readonly projection: Projection
  readonly sums: PlaceSums
  readonly bodies: Bodies
  readonly clearText: ClearTextSealer
  readonly sources: Pick<Sources, 'updateLinks' | 'contentToRemove'>
  /** Runs for each change of an existing record. `erasedRow`: its row before, when none of its content may stay. */
  readonly onChange?: ((seq: number, erasedRow?: RecordRow) => void) | undefined
}

/** The origin and the effects of a change. */
interface Change {
  readonly mirrorVersion: MirrorVersion
  /** True when the op log gets an op, which a sync will send. */
  readonly isLogged: boolean
  /** `own`: a call here. `remote`: another copy. `replica`: another database, which sends the consequences too. */
  readonly origin: ChangeOrigin
  /** True when the version before stays in the history, also when only counts differ. */
  readonly keepsVersion?: boolean | undefined
  /** True for a put that replaces a tombstone and clears the version of its forget. */
  readonly revives?: boolean
}

export class RecordStore extends MirrorPlaces {
  readonly #deps: RecordStoreDeps
  readonly #table: RecordTable
  readonly #watchers: SealedWatcher[] = []

  constructor(deps: RecordStoreDeps) {
    super(deps)
    this.#deps = deps
    this.#table = new RecordTable(deps.db)
  }

  /** The present row of a record, also a tombstone; undefined when no row has the id. */
  row(id: string): RecordRow | undefined {
    return this.#table.find(id)
  }

  /** `row` for the id of a rule: see `RecordTable.findRule`. */
  ruleRow(id: string): RecordRow | undefined {
    return this.#deps.role === 'device' ? this.#table.findRule(id) : this.#table.find(id)
  }

  /**
   * Makes or changes a record for its author. Pass `isNew` only when no row has the id. `keepsVersion`: the version
   * before stays in the history, also when only counts differ.
   */
  put(
    op: PutOp,
    { isNew = false, keepsVersion }: { isNew?: boolean; keepsVersion?: boolean | undefined } = {},
  ): RecordRow {
    const before = isNew ? undefined : this.#table.find(op.id)
    return this.#store(before, op, { ...this.#localChange(op.kind, before), keepsVersion })
  }

  /**
   * Replaces a record by a tombstone without content, and removes the earlier versions. Undefined when no record has
   * the id, or it is already forgotten (for a purge: already purged).
   */
  forget(op: ForgetOp): RecordRow | undefined {
    const before = this.#table.find(op.id)
    if (!before || (before.deleted === 1 && (!op.purge || isPurged(before)))) return undefined
    return this.#store(before, op, this.#localChange(op.kind, before))
  }

  /**
   * At the mirror: applies an op of `device` to the record in `before` (undefined: none), as the next change of the
   * sequence. A forget leaves a tombstone even without a record. `revives`: see `Change`.
   */
  applyFromDevice(
    op: PutOp | ForgetOp,
    device: string,
    before: RecordRow | undefined,
    { revives = false }: { revives?: boolean } = {},
  ): RecordRow {
    const mirrorVersion = this.nextVersion(op.kind, before, device)
    return this.#store(before, op, { mirrorVersion, isLogged: false, origin: 'remote', revives })
  }

  /** On a device: applies a change of the mirror without logging an op. Pass `isNew` only when no row has the id. */
  applyFromMirror(op: PutOp | ForgetOp, copy: MirrorCopy, { isNew = false }: { isNew?: boolean } = {}): void {
    const before = isNew ? undefined : this.#table.find(op.id)
    this.#store(before, op, { mirrorVersion: copy, isLogged: false, origin: 'remote' })
  }

  /** Call it after other code has written rows to the table, so that new records get higher numbers. */
  refreshLastSeq(): void {
    this.#table.refreshLastSeq()
  }

  /** All versions of a record, the oldest first and the present one last; empty when no row has the id. */
  history(id: string): RecordVersion[] {
    const row = this.#table.find(id)
    return row ? this.#table.versions(row).map((version) => toVersion(this.#deps.bodies, row, version)) : []
  }

  /**
   * The body of the record at `seq` in the earlier `version`; undefined when it is removed, a forget, or has no key
   * here.
   */
  earlierBody(seq: number, version: number): JsonObject | undefined {
    const row = this.#table.earlierBody(seq, version)
    return row && this.#deps.bodies.read(row, row.body)
  }

  /** At the mirror: the content of the record of `row` in its earlier version `ver`; undefined when it is removed. */
  earlierContent(row: RecordRow, ver: number): VersionContent | undefined {
    // At the mirror each change raises both `ver` and `rev` by 1.
    const found = this.#table.earlierVersion(row.seq, row.rev - (row.ver - ver))
    if (!found || found.op === 'forget') return found && { op: 'forget' }
    const enc = sealedOf(found.body)
    return {
      op: 'put',
      ...(found.session === null ? {} : { session: found.session }),
      ...(found.resource === null ? {} : { resource: found.resource }),
      ...(found.sensitivity === null ? {} : { sensitivity: found.sensitivity as Sensitivity }),
      ...(found.trust === null ? {} : { trust: found.trust as Trust }),
      ...(enc ? { enc } : { body: JSON.parse(found.body) as JsonObject }),
    }
  }

  watchSealed(watcher: SealedWatcher): void {
    this.#watchers.push(watcher)
  }

  /** Call it when the record in `row` becomes outdated: its rows are then derived again, without its words. */
  markOutdated(row: RecordRow): void {
    this.#deps.projection.markStale(row.seq)
    this.#deps.onChange?.(row.seq, row)
    if (row.kid !== null) this.#notifySealedChange(row.seq)
  }

  protected override versionChanged(seq?: number): void {
    for (const watcher of this.#watchers) {
      if (seq === undefined) watcher.mirrorVersionsCleared()
      else watcher.mirrorVersionChanged(seq)
    }
  }

  protected override beforeCollect(): void {
    this.#deps.projection.catchUpInTransaction()
  }

  protected override collected(seq: number): void {
    this.#deps.onChange?.(seq)
  }

  #notifySealedChange(seq: number): void {
    for (const watcher of this.#watchers) watcher.sealedChanged(seq)
  }

  #localChange(kind: string, before: RecordRow | undefined): Change {
    return {
      mirrorVersion: this.nextVersion(kind, before),
      isLogged: this.#deps.role === 'device',
      origin: 'own',
    }
  }

  /** Writes the row after `op`, with all effects of the change, and returns it. */
  #store(before: RecordRow | undefined, op: PutOp | ForgetOp, change: Change): RecordRow {
    const { mirrorVersion, isLogged } = change
    const body = op.op === 'put' ? this.#textOf(op) : before ? tombstoneBody(this.#deps, before) : '{}'
    const seq = before?.seq ?? this.#table.nextSeq()
    const row = toRow(op, body, mirrorVersion, {
      seq,
      created_at: op.op === 'put' ? op.created_at : (before?.created_at ?? op.at),
      op: isLogged ? this.#deps.log.log(before, seq) : (before?.op ?? null),
      rev: (before?.rev ?? 0) + 1,
      tombstoneSensitivity: tombstoneSensitivityOf(op, before),
      ...removalVersions(op, before, change),
    })
    if (before) this.#update(before, row, op, change)
    else this.#insert(row, change)
    return row
  }

  #insert(row: RecordRow, { origin }: Change): void {
    const { projection, clearText, sources } = this.#deps
    this.#table.insert(row)
    projection.markNew()
    if (row.kid !== null) this.#notifySealedChange(row.seq)
    clearText.sealOrEraseNew(row)
    sources.updateLinks(row, undefined, origin)
  }

  #update(before: RecordRow, row: RecordRow, op: PutOp | ForgetOp, { origin, keepsVersion }: Change): void {
    const { seq } = row
    const { sources, projection, log, clearText, onChange } = this.#deps
    const removedContent = sources.contentToRemove(before, row)
    const removesContent = removedContent !== undefined
    const changesOnlyCounts = keepsVersion ? undefined : this.#changesOnlyCounts(before, row, op)
    this.#table.update(before, row, {
      removesContent,
      remainingBody: removedContent?.rest,
      changesOnlyCounts,
    })
    projection.markStale(seq)
    const becameSealed = isOrWasSealed(row) && !isOrWasSealed(before)
    const erasedRow = row.deleted === 1 || becameSealed || removesContent ? before : undefined
    if (erasedRow) log.withdraw(row)
    onChange?.(seq, erasedRow)
    if (row.kid !== null || before.kid !== null) this.#notifySealedChange(seq)
    if (becameSealed) clearText.sealOrErase(row)
    sources.updateLinks(row, before, origin)
  }

  /** True when `op` changes only counts. Undefined: the version before stays, as for a kind without counts. */
  #changesOnlyCounts(before: RecordRow, row: RecordRow, op: PutOp | ForgetOp): boolean | undefined {
    const { kinds, bodies } = this.#deps
    const paths = kinds.get(row.kind)?.counts
    // The versions 1, 2, 4, 8 … stay even when only counts change, to show how they grew.
    if (isPowerOfTwo(before.rev) || !paths || op.op === 'forget' || before.kind !== row.kind) return undefined
    const isSameHead = (['agent', 'session', 'resource', 'sensitivity', 'trust'] as const).every(
      (name) => before[name] === row[name],
    )
    if (!isSameHead || before.deleted !== 0 || !op.body) return false
    const body = bodies.read(before, before.body)
    return body !== undefined && sameJson(withoutFields(body, paths), withoutFields(op.body, paths))
  }

  /** The body to store: sealed already, or sealed here when its sensitivity requires that. */
  #textOf(op: PutOp): string {
    if (op.enc) return assertSize(sealedText(op.enc))
    const text = encodeBody(op.body)
    if (!isSealing(op.sensitivity)) return text
    return assertSize(this.#deps.bodies.seal({ ...op, head: sealedHead(op) }, text))
  }
}

/** Fields of a new row that come neither from its op nor from the mirror. */
type LocalFields = Pick<RecordRow, 'seq' | 'created_at' | 'op' | 'rev' | 'gone' | 'purged'> & {
  /** The sensitivity in the tombstone of a sealed record; null for any other row. */
  readonly tombstoneSensitivity: string | null
}

/**
 * The versions of the last forget (`gone`) and the last purge (`purged`); 0 for none. A device assumes the version
 * after the mirror's until the mirror confirms the true one.
 */
function removalVersions(
  op: PutOp | ForgetOp,
  before: RecordRow | undefined,
  { mirrorVersion, isLogged, revives }: Change,
): Pick<RecordRow, 'gone' | 'purged'> {
  // Undefined unless the change comes from a mirror that sends them.
  const mirrorVersions =
    mirrorVersion.purged === undefined
      ? undefined
      : { gone: mirrorVersion.gone ?? 0, purged: mirrorVersion.purged }
  if (op.op === 'put')
    return mirrorVersions ?? { gone: revives ? 0 : (before?.gone ?? 0), purged: before?.purged ?? 0 }
  const gone = isLogged ? mirrorVersion.ver + 1 : mirrorVersion.ver
  return { gone, purged: op.purge ? gone : (mirrorVersions?.purged ?? before?.purged ?? 0) }
}

/** The sensitivity of a forgotten record that was sealed, here or at the copy that forgot it; null for any other. */
function tombstoneSensitivityOf(op: PutOp | ForgetOp, before: RecordRow | undefined): string | null {
  if (op.op === 'put') return null
  if (before && isOrWasSealed(before)) return before.sensitivity
  return op.sealed ? ('sensitive' satisfies Sensitivity) : null
}

/** The new row of a record after `op`. A tombstone has no session and no resource. */
function toRow(op: PutOp | ForgetOp, body: string, at: MirrorVersion, local: LocalFields): RecordRow {
  const put = op.op === 'put' ? op : undefined
  const sealed = sealedOf(body)
  return {
    seq: local.seq,
    id: op.id,
    kind: op.kind,
    agent: op.agent,
    session: put?.session ?? null,
    resource: put?.resource ?? null,
    created_at: local.created_at,
    updated_at: op.at,
    stamp: op.stamp,
    ver: at.ver,
    place: at.place,
    device: at.device,
    op: local.op,
    rev: local.rev,
    deleted: put ? 0 : 1,
    gone: local.gone,
    purged: local.purged,
    sensitivity:
      (sealed ? sealedSensitivity(put?.sensitivity, sealed) : put?.sensitivity) ?? local.tombstoneSensitivity,
    trust: put?.trust ?? null,
    kid: sealed?.kid ?? null,
    body,
  }
}

/** A version of `row` for callers. A body without its key here stays sealed. */
function toVersion(
  bodies: Bodies,
  row: RecordRow,
  { op, body: text, session, resource, trust, ...version }: VersionRow,
): RecordVersion {
  const head = {
    ...version,
    ...(session === null ? {} : { session }),
    ...(resource === null ? {} : { resource }),
    ...(trust === null ? {} : { trust: trust as Trust }),
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
function withoutFields(body: JsonObject, paths: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !paths.includes(name)))
}

const isPowerOfTwo = (rev: number) => (rev & (rev - 1)) === 0

/** The JSON text of a body, without fields that have the name of a head field: a body must not replace the head. */
function encodeBody(body: JsonObject): string {
  const hasHeadField = headFields.some((name) => Object.hasOwn(body, name))
  const allowedFields = hasHeadField
    ? Object.entries(body).filter(([name]) => !headFields.some((field) => field === name))
    : undefined
  return assertSize(JSON.stringify(allowedFields ? Object.fromEntries(allowedFields) : body))
}

function assertSize(text: string): string {
  // UTF-8 takes at most three bytes for each UTF-16 unit, so only long texts need counting.
  if (text.length * 3 > maxRecordBytes && utf8Length(text) > maxRecordBytes) {
    throw new DaybookError('too-large', `The record is larger than ${maxRecordBytes} bytes.`, {
      details: { limitBytes: maxRecordBytes },
    })
  }
  return text
}
