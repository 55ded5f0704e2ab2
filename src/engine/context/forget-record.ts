// Forgets and purges records: finds the records to forget with a record, and removes its citations.
import type { Citing } from '../../core/capability/port/record-port.ts'
import type { Changed } from '../../core/capability/chapter.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/path.ts'
import { citedIds, type Kinds, sourceIds } from '../../core/kind.ts'
import { type PutRequest, type Stored, bodyOf } from '../../core/record.ts'
import type { BookStore } from '../../store/book-store.ts'
import { rowsRemovedWith, partRowsIn } from '../../store/record/part-rows.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { removeForgottenWords, type ForgottenWordsStore } from '../../sync/conflict/dependents.ts'
import { markRow } from './mark-record.ts'

interface ForgetParts {
  readonly store: ForgottenWordsStore & Pick<BookStore, 'stamps' | 'purge'>
  readonly now: string
  readonly defaults: { readonly agent: string }
}

/**
 * Forgets `rows` (with `purge`, purges them) and removes their words from records that quote them. Returns the
 * changed records. Call it only inside a transaction.
 */
export function forgetAll(
  { store, now: at, defaults: { agent } }: ForgetParts,
  rows: readonly RecordRow[],
  more: { readonly purge?: true } = {},
): Changed[] {
  const forgotten = rows.filter(({ id, kind, seq }) => {
    const op = { op: 'forget', kind, id, agent, at, stamp: store.stamps.next(), ...more } as const
    const isForgotten = store.records.forget(op) !== undefined
    if (more.purge) store.purge.purge(id, seq)
    return isForgotten
  })
  return [...forgotten.map(({ id, kind }) => ({ id, kind })), ...removeForgottenWords(store, rows, at)]
}

type OwnedStore = Pick<BookStore, 'records' | 'bodies' | 'kinds' | 'db' | 'projection' | 'sources'>

export interface Forgetting {
  /** True if the caller may forget the part `id`. */
  isReached(id: string): boolean
  /** True: leave the parts out, because the verb forgets them itself. Default: false. */
  readonly isAlone?: boolean
}

/**
 * The records to forget with `row`: its marks, its parts, and the derived records that are forgotten with their
 * source.
 */
export function forgottenWith(
  store: OwnedStore,
  row: RecordRow,
  { isReached, isAlone = false }: Forgetting,
): RecordRow[] {
  const mark = markRow(store, row.id)
  return [
    ...(mark ? [mark] : []),
    ...(isAlone ? [] : rowsRemovedWith(store, row).filter(({ id }) => isReached(id))),
    ...store.sources.forgottenWith(row.id),
  ]
}

/** The records to purge with `row`: those of `forgottenWith`, and the parts of earlier versions. */
export function purgedWith(store: OwnedStore, row: RecordRow, how: Forgetting): RecordRow[] {
  const kind = store.kinds.get(row.kind)
  // Other records may name a shared part of an earlier version.
  const versions = kind?.parts && !kind.sharedParts && row.deleted === 0 ? store.records.history(row.id) : []
  const earlier = versions.flatMap(({ body }) => (body ? partRowsIn(store, row, body) : []))
  const all = [...forgottenWith(store, row, how), ...earlier.filter(({ id }) => how.isReached(id))]
  return [...new Map(all.map((one) => [one.id, one])).values()]
}

export interface ReleaseParts {
  readonly kinds: Kinds
  get(id: string): Stored<JsonObject> | undefined
  citing(id: string): Citing[]
  put(request: PutRequest): string
  forget(id: string): boolean
}

export interface Released {
  readonly changed: string[]
  readonly forgotten: string[]
}

/**
 * Removes every citation of `id`. Call it only inside the transaction that forgets `id`. A record that rests on the
 * citation (`rests` of its kind) is forgotten once it cites no other record there, and the citations of that record
 * are removed too. A record made from `id` keeps the citation until it is rebuilt: the citation marks it as outdated.
 * Each record is written once.
 */
export function release({ kinds, get, citing, put, forget }: ReleaseParts, id: string): Released {
  const changed = new Map<string, { readonly kind: string; readonly body: JsonObject }>()
  const forgotten = new Set<string>()
  const waiting = [id]
  for (let target = waiting.pop(); target !== undefined; target = waiting.pop()) {
    for (const { id: from, kind: name, path } of citing(target)) {
      const kind = kinds.get(name)
      const record = from === id || forgotten.has(from) ? undefined : get(from)
      if (!record || !kind || sourceIds(kind, bodyOf(record), from).includes(target)) continue
      const body = without(changed.get(from)?.body ?? bodyOf(record), path.split('.'), target)
      const rule = kind.cites?.find((one) => one.path === path)
      changed.set(from, { kind: name, body })
      if (!rule?.rests?.(body) || citedIds(body, path).length > 0) continue
      forgotten.add(from)
      waiting.push(from)
    }
  }
  for (const one of forgotten) {
    changed.delete(one)
    forget(one)
  }
  // `get` finds no changed record that was part of a forgotten record: both were forgotten together.
  for (const [from, { kind, body }] of changed) if (get(from)) put({ kind, id: from, body })
  return { changed: [...changed.keys()], forgotten: [...forgotten] }
}

/**
 * `value` without `id` at the path of steps: drops `id` from the list at the path, or the field whose value is `id`.
 */
function without(value: JsonObject, [step = '', ...rest]: readonly string[], id: string): JsonObject {
  const member = value[step]
  if (rest.length > 0) return isJsonObject(member) ? { ...value, [step]: without(member, rest, id) } : value
  if (Array.isArray(member)) return { ...value, [step]: member.filter((one: Json) => one !== id) }
  if (member !== id) return value
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== step))
}
