// Changes that follow from changes of other records: ended records, words of removed records, parts, guards and
// marks.
// Invariant: each change follows from the stored records only. So copies with equal records make equal changes, in
// any order of arrival. Call these functions in a transaction.
// Functions of a kind. `ends`: ids of records that a record ended. `endedBy`: id of the record that may have ended it.
// `changes`: ids of records that it may have changed. `withoutEnded`: a body without changes of ended records. `makes`:
// ids of records that may be made from it. `withoutGone`: a body without words of gone records.
import { type JsonObject, readPath } from '../../core/json/path.ts'
import { markId } from '../../core/mark.ts'
import { isLowered, type Sensitivity } from '../../core/sealed.ts'
import type { Trust } from '../../core/trusted.ts'
import type { BookStore } from '../../store/book-store.ts'
import { idsChangedBy, partRows } from '../../store/record/part-rows.ts'
import { isPurged, type RecordRow } from '../../store/schema/record-row.ts'

interface ChangedRecord {
  readonly id: string
  readonly kind: string
}

interface EndedRecord extends ChangedRecord {
  readonly agent: string
}

type EndedStore = Pick<BookStore, 'kinds' | 'records' | 'bodies' | 'stamps'>

/**
 * Forgets records that another record ended (`ends` of a kind), such as a proposal that one device approved and
 * another rejected, and undoes the changes of ended records. Returns the changed records.
 */
export function forgetEnded(
  store: EndedStore,
  changed: readonly ChangedRecord[],
  now: string,
): EndedRecord[] {
  return changed.flatMap(({ id, kind: name }) => {
    const kind = store.kinds.get(name)
    if (!kind?.ends && !kind?.endedBy && !kind?.withoutEnded) return []
    const row = store.records.row(id)
    const body = readLiveBody(store, row, name)
    if (!row || !body) return []
    const forgotten = (kind.ends?.(body, id) ?? []).flatMap((target) =>
      forgetIfEndedBy(store, store.records.row(target), row, now),
    )
    const endingId = kind.endedBy?.(body)
    const ending = endingId === undefined ? undefined : store.records.row(endingId)
    const isEnded = ending !== undefined && idsEndedBy(store, ending).includes(id)
    if (isEnded) return [...forgotten, ...forgetIfEndedBy(store, row, ending, now)]
    const targets = [...(kind.changes?.(body) ?? []), ...(kind.withoutEnded ? [id] : [])]
    return [...forgotten, ...targets.flatMap((target) => removeEndedChanges(store, target, now))]
  })
}

function readLiveBody(
  { bodies }: Pick<EndedStore, 'bodies'>,
  row: RecordRow | undefined,
  kind: string,
): JsonObject | undefined {
  return row?.deleted === 0 && row.kind === kind ? bodies.read(row, row.body) : undefined
}

function idsEndedBy(store: EndedStore, row: RecordRow): readonly string[] {
  const body = readLiveBody(store, row, row.kind)
  return (body && store.kinds.get(row.kind)?.ends?.(body, row.id)) ?? []
}

/** Forgets `row` if its body names `ending` as the record that ends it. */
function forgetIfEndedBy(
  store: EndedStore,
  row: RecordRow | undefined,
  ending: RecordRow,
  now: string,
): EndedRecord[] {
  const body = row && readLiveBody(store, row, row.kind)
  if (!row || !body || store.kinds.get(row.kind)?.endedBy?.(body) !== ending.id) return []
  const { id, kind } = row
  const { agent } = ending
  store.records.forget({ op: 'forget', kind, id, at: now, stamp: store.stamps.next(), agent })
  return [{ id, kind, agent }]
}

/** Writes record `id` again without changes of ended records. */
function removeEndedChanges(store: EndedStore, id: string, now: string): EndedRecord[] {
  const row = store.records.row(id)
  const kind = row && store.kinds.get(row.kind)
  const body = row && readLiveBody(store, row, row.kind)
  if (!kind?.withoutEnded || !body) return []
  const rest = kind.withoutEnded(body, (by, changeId) => {
    const ending = store.records.row(by)
    return ending !== undefined && idsEndedBy(store, ending).includes(changeId)
  })
  if (rest === body) return []
  rewriteRecord(store, row, rest, now)
  return [{ id, kind: row.kind, agent: row.agent }]
}

export type ForgottenWordsStore = Pick<BookStore, 'kinds' | 'records' | 'bodies' | 'stamps' | 'sources'>

/**
 * Removes words of removed records from live records that were made from them (`withoutGone` of a kind). Returns the
 * changed records.
 */
export function removeForgottenWords(
  store: ForgottenWordsStore,
  changed: readonly ChangedRecord[],
  now: string,
): ChangedRecord[] {
  const targets = new Set(changed.flatMap((one) => derivedIds(store, one)))
  return [...targets].flatMap((id) => removeForgottenWordsOf(store, id, now))
}

function derivedIds(
  { kinds, records }: ForgottenWordsStore,
  { id, kind: name }: ChangedRecord,
): readonly string[] {
  const kind = kinds.get(name)
  if (kind?.withoutGone) return [id]
  const row = kind?.makes || kind?.changes ? records.row(id) : undefined
  return row?.deleted === 1 ? [...(kind?.makes?.(id) ?? []), ...idsChangedBy(row)] : []
}

function removeForgottenWordsOf(store: ForgottenWordsStore, id: string, now: string): ChangedRecord[] {
  const { records, bodies, sources } = store
  const row = records.row(id)
  const kind = row?.deleted === 0 ? store.kinds.get(row.kind) : undefined
  const body = row && kind?.withoutGone && bodies.read(row, row.body)
  if (!row || !body) return []
  let hasForgotten = false
  const rest = kind?.withoutGone?.(body, (one) => {
    const isGone = records.row(one)?.deleted === 1
    hasForgotten ||= isGone
    return isGone
  })
  if (!rest || !hasForgotten) return []
  sources.eraser.eraseOutsideRecord(row, rest)
  if (rest === body) return []
  rewriteRecord(store, row, rest, now)
  return [{ id, kind: row.kind }]
}

/** A part of a removed record. The part may still be live, because the author of the removal did not know it. */
export interface OrphanPart {
  readonly id: string
  readonly isPurged: boolean
}

/**
 * Returns the parts of the record in `row`. Call it before the removal of that record. Skips live parts that several
 * records share, because an edit of such a record writes a new part.
 */
export function possibleOrphans(store: BookStore, row: RecordRow, isPurging: boolean): OrphanPart[] {
  if (row.deleted === 0 && store.kinds.get(row.kind)?.sharedParts) return []
  return partRows(store, row).map(({ id }) => ({ id, isPurged: isPurging }))
}

/** Forgets or purges those of `parts` that are still stored. Returns the changed records. */
export function forgetParts(
  { records, stamps, purge }: Pick<BookStore, 'records' | 'stamps' | 'purge'>,
  parts: readonly OrphanPart[],
  at: string,
): ChangedRecord[] {
  return parts.flatMap(({ id, isPurged: isPurging }) => {
    const row = records.row(id)
    if (!row || (isPurging ? isPurged(row) : row.deleted === 1)) return []
    const { kind, agent, seq } = row
    const more = isPurging ? ({ purge: true } as const) : {}
    records.forget({ op: 'forget', kind, id, at, stamp: stamps.next(), agent, ...more })
    if (isPurging) purge.purge(id, seq)
    return [{ id, kind }]
  })
}

/**
 * Seals each record that is less sensitive than its guard (`guardedBy` of a kind): among `changed` and the records
 * that they guard, or among all records if undefined. Repeats for the records that the sealed ones guard. Never
 * lowers a sensitivity. Returns the changed records.
 */
export function sealGuarded(
  store: Pick<BookStore, 'records' | 'stamps' | 'sources' | 'bodies'>,
  changed: readonly ChangedRecord[] | undefined,
  now: string,
): ChangedRecord[] {
  const { sources, bodies } = store
  // A device without the key can't seal. A device with the key does it later.
  if (bodies.sealer.current() === undefined) return []
  const raised: ChangedRecord[] = []
  for (let next = changed; ;) {
    const sealed = sources.guards.unguarded(next?.map(({ id }) => id)).flatMap(({ row, level }) => {
      const body = bodies.read(row, row.body)
      if (!body) return []
      rewriteRecord(store, { ...row, sensitivity: level }, body, now)
      return [{ id: row.id, kind: row.kind }]
    })
    if (sealed.length === 0) return raised
    raised.push(...sealed)
    next = sealed
  }
}

type MarkStore = Pick<BookStore, 'kinds' | 'records' | 'bodies' | 'stamps' | 'purge'>

/** Updates marks of changed records: removed with their record, and as sensitive as it. Returns the changed marks. */
export function updateMarks(
  store: MarkStore,
  changed: readonly ChangedRecord[],
  now: string,
): ChangedRecord[] {
  const { records, bodies, stamps } = store
  const targets = new Set(changed.flatMap((one) => markedId(store, one) ?? []))
  return [...targets].flatMap((id) => {
    const mark = records.row(markId(id))
    const record = mark && records.row(id)
    if (!record || store.kinds.get(mark.kind)?.marks === undefined) return []
    const head = { kind: mark.kind, id: mark.id, at: now, agent: mark.agent }
    if (isPurged(record)) {
      if (isPurged(mark)) return []
      // The conflict logs of other copies may contain words of the marks: purge them everywhere.
      records.forget({ op: 'forget', ...head, stamp: stamps.next(), purge: true })
      store.purge.purgeRemote(mark.id)
      return [head]
    }
    if (mark.deleted) return []
    if (record.deleted) {
      records.forget({ op: 'forget', ...head, stamp: stamps.next() })
      return [head]
    }
    // Only raise the sensitivity: this copy may have an earlier version of the record, from before the seal.
    const body = isSensitiveEnough(mark, record) ? undefined : bodies.read(mark, mark.body)
    // A device without the key can't seal. A device with the key does it later.
    if (!body || (isSealed(record) && bodies.sealer.current() === undefined)) return []
    const { session, resource } = record
    rewriteRecord(store, { ...mark, session, resource, sensitivity: sensitivityOf(record) }, body, now)
    return [head]
  })
}

/** Returns the id of the record whose marks may need an update. */
function markedId({ kinds, records, bodies }: MarkStore, { id, kind }: ChangedRecord): string | undefined {
  const path = kinds.get(kind)?.marks
  if (path === undefined) return id
  const row = records.row(id)
  const body = row && !row.deleted ? bodies.read(row, row.body) : undefined
  const target = body && readPath(body, path)
  return typeof target === 'string' ? target : undefined
}

const isSealed = ({ kid }: RecordRow) => kid !== null
const sensitivityOf = ({ sensitivity }: RecordRow) => (sensitivity ?? 'standard') as Sensitivity
const isSensitiveEnough = (mark: RecordRow, record: RecordRow) =>
  !isLowered(sensitivityOf(mark), sensitivityOf(record))

/** Writes `body` into the record of `row`, with the head of `row`. */
function rewriteRecord(
  { records, stamps }: Pick<BookStore, 'records' | 'stamps'>,
  { kind, id, agent, created_at, session, resource, sensitivity, trust }: RecordRow,
  body: JsonObject,
  at: string,
): void {
  records.put({
    op: 'put',
    kind,
    id,
    at,
    stamp: stamps.next(),
    agent,
    created_at,
    ...(session === null ? {} : { session }),
    ...(resource === null ? {} : { resource }),
    ...(sensitivity === null ? {} : { sensitivity: sensitivity as Sensitivity }),
    ...(trust === null ? {} : { trust: trust as Trust }),
    body,
  })
}
