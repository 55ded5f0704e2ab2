// Changes marks. The marks of a record are a second record, with the scope and sensitivity of the marked record, and
// are forgotten with the marked record.
// Invariant: a guest may set collection and importance, but only the owner sets pinned, keep and personal: an agent
// would otherwise pin its own words above all others.
import type { Guest } from '../../core/capability/caller.ts'
import { type MarkChange, type Marks, markId, markNames, marksIn } from '../../core/mark.ts'
import { DaybookError, invalidInput } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Kind } from '../../core/kind.ts'
import type { PutRequest } from '../../core/record.ts'
import type { Sensitivity } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'

export interface MarkWriterParts {
  readonly store: Pick<BookStore, 'records' | 'bodies' | 'kinds'>
  /** The records that the caller sees. */
  readonly seen: { live(id: string): RecordRow | undefined }
  readonly guest: Guest | undefined
  /** Puts without the checks for guests: `markRecord` has checked the rights of a guest. */
  put(request: PutRequest): string
  /** Called with the marked record after its marks have changed. */
  onMarked(record: { readonly id: string; readonly kind: string }): void
}

export interface Marked {
  readonly before: Marks
  readonly now: Marks
}

/** The row with the marks of record `id`; undefined if there are no live marks. */
export function markRow({ records, kinds }: MarkWriterParts['store'], id: string): RecordRow | undefined {
  const row = records.row(markId(id))
  return row && !row.deleted && kinds.get(row.kind)?.marks !== undefined ? row : undefined
}

/** The marks of record `id`; undefined if it has no marks, or if they are sealed and can't be read here. */
export function marksOf(store: MarkWriterParts['store'], id: string): Marks | undefined {
  const row = markRow(store, id)
  const body = row && store.bodies.read(row, row.body)
  return body && marksIn(body)
}

/**
 * Changes marks of record `id`; `null` removes a mark. Call it only inside a transaction. Throws `not-found` if the
 * caller sees no such record, `invalid-input` if the record is a mark, and `forbidden` if a guest lacks the right.
 */
export function markRecord(parts: MarkWriterParts, id: string, change: MarkChange): Marked {
  const { store, seen, guest, put, onMarked } = parts
  const record = seen.live(id)
  if (!record) {
    throw new DaybookError('not-found', `There is no record \`${id.slice(0, 200)}\` to mark.`, {
      details: { path: 'id' },
    })
  }
  const kind = store.kinds.get(record.kind)
  if (kind?.marks !== undefined) throw invalidInput('id', 'It is a mark itself')
  const markKind = markKindOf(store)
  const reserved =
    guest && markNames.find((name) => markKind.ownerFields?.includes(name) && change[name] !== undefined)
  if (reserved !== undefined) {
    throw new DaybookError('forbidden', `Only the owner of the book says what is \`${reserved}\`.`, {
      details: { path: reserved },
    })
  }
  if (guest && kind?.guests !== undefined) {
    throw new DaybookError('forbidden', `Guests read a ${record.kind} and change nothing of it.`, {
      details: { path: 'id' },
    })
  }
  const row = markRow(store, id)
  const stored = row ? store.bodies.readOrThrow(row, row.body) : { record: id }
  const before = marksIn(stored) ?? {}
  const changed = markNames.filter(
    (name) => change[name] !== undefined && change[name] !== (before[name] ?? null),
  )
  if (changed.length === 0) return { before, now: before }
  const removed = new Set<string>(changed.filter((name) => change[name] === null))
  const rest = Object.entries(stored).filter(([name]) => !removed.has(name))
  const set = changed.filter((name) => !removed.has(name)).map((name) => [name, change[name]])
  const body = Object.fromEntries([...rest, ...set]) as JsonObject
  put({ kind: markKind.name, id: markId(id), body, scope: scopeLike(record, row) })
  onMarked({ id, kind: record.kind })
  return { before, now: marksIn(body) ?? {} }
}

function markKindOf({ kinds }: MarkWriterParts['store']): Kind {
  const found = [...kinds.values()].find(({ marks }) => marks !== undefined)
  if (found) return found
  throw new DaybookError('internal', 'The book has no kind of marks.')
}

/** Throws `invalid-input` if a verb sets the sensitivity of marks: marks are as sensitive as their record. */
export function checkMarkPut({ kinds }: Pick<BookStore, 'kinds'>, { kind, scope, times }: PutRequest): void {
  // Marks from a bundle, backup or archive have `times` and a whole head, with a sensitivity.
  if (times || scope?.sensitivity === undefined || kinds.get(kind)?.marks === undefined) return
  throw invalidInput('id', 'Marks are as sensitive as their record: set the sensitivity of the record')
}

/** Gives the marks of record `id` the sensitivity of the record, if the two differ. */
export function sealMarks({ store, put }: MarkWriterParts, id: string): void {
  const row = markRow(store, id)
  const record = row && store.records.row(id)
  if (!record || record.deleted || (record.sensitivity ?? 'standard') === (row.sensitivity ?? 'standard'))
    return
  const body = store.bodies.readOrThrow(row, row.body)
  put({ kind: row.kind, id: row.id, body, scope: scopeLike(record, row) })
}

/** Scope and sensitivity of the marks of `record`: a caller reaches the marks exactly if it reaches the record. */
function scopeLike(record: RecordRow, before: RecordRow | undefined): NonNullable<PutRequest['scope']> {
  const { agent, session, resource } = record
  const sensitivity = record.sensitivity ?? (before?.sensitivity == null ? undefined : 'standard')
  return {
    agent,
    ...(session === null ? {} : { session }),
    ...(resource === null ? {} : { resource }),
    ...(sensitivity === undefined ? {} : { sensitivity: sensitivity as Sensitivity }),
  }
}
