// Reads a record of any kind, the records that it cites, and those that cite it.
import { type Daybook, isDaybookError } from '../../../src/index.ts'
import { kindNamed } from '../../kind/kind-table.ts'
import type { BookRecord, RecordKind } from '../../kind/record-kind.ts'
import { valueAt } from '../../wording/difference-word.ts'

export interface LinkGroup {
  readonly name: string
  readonly direction: 'to' | 'from'
  readonly records: readonly BookRecord[]
  /** Ids without a record in this book: forgotten, or not fetched yet. */
  readonly missing: readonly string[]
}

const readAtOnce = 100

/** The record of this id, if it has this kind. */
export async function readRecord(
  from: Daybook,
  kind: RecordKind,
  id: string,
): Promise<BookRecord | undefined> {
  const record = await from.records.get({ id })
  if (record?.kind !== kind.name) return undefined
  return kind.complete ? kind.complete(from, record) : record
}

/** Ids that a record has at `path`. */
export function citedAt(record: BookRecord, path: string): string[] {
  const value = valueAt({ ...record }, path)
  return (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string')
}

export async function readLinks(from: Daybook, kind: RecordKind, record: BookRecord): Promise<LinkGroup[]> {
  const to = await Promise.all(
    kind.cites.map(async ({ path, to: name }): Promise<LinkGroup> => {
      const ids = citedAt(record, path)
      const found = await Promise.all(ids.slice(0, readAtOnce).map((id) => from.records.get({ id })))
      return {
        name,
        direction: 'to',
        records: found.filter((one) => one !== null),
        missing: ids.slice(0, readAtOnce).filter((_, i) => found[i] === null),
      }
    }),
  )
  return [...to, ...(await readCiting(from, record.id))]
}

/** The records that cite it, by the name of their link. */
async function readCiting(from: Daybook, id: string): Promise<LinkGroup[]> {
  const { citations, records } = await from.records.citing({ id, limit: readAtOnce })
  const byId = new Map(records.map((record) => [record.id, record]))
  const groups = new Map<string, BookRecord[]>()
  for (const { id: citing, kind, path } of citations) {
    const record = byId.get(citing)
    const name = kindNamed(kind)?.cites.find((one) => one.path === path)?.from ?? `Named by a ${kind}`
    if (record) groups.set(name, [...(groups.get(name) ?? []), record])
  }
  return [...groups].map(([name, found]) => ({ name, direction: 'from', records: found, missing: [] }))
}

/** A record of any kind; `sealed` while the book is locked and can't open it, undefined when it is gone. */
export async function readUnsealed(from: Daybook, id: string): Promise<BookRecord | 'sealed' | undefined> {
  try {
    return (await from.records.get({ id })) ?? undefined
  } catch (error) {
    if (isDaybookError(error, 'locked')) return 'sealed'
    throw error
  }
}
