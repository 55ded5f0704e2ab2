// The selected record of the address, with its links in both directions and its earlier versions.
import { effect } from '@preact/signals'
import type { Daybook } from '../../../src/index.ts'
import { kindNamed } from '../../kind/kind-table.ts'
import type { BookRecord, RecordKind, Version } from '../../kind/record-kind.ts'
import { address, listedKind } from '../address.ts'
import { book, onBook } from '../book.ts'
import { type LinkGroup, readLinks, readRecord } from './record-read.ts'
import { held } from '../held.ts'
import { isSealed, revealed, withoutSecrets } from './secret.ts'
import type { ShownSecrets } from './shown-secrets.ts'

export interface ShownRecord {
  readonly kind: RecordKind
  readonly record: BookRecord
  readonly links: readonly LinkGroup[]
  readonly versions: readonly Version[]
  readonly secrets: ShownSecrets | undefined
}

export type Detail =
  | { readonly state: 'none' }
  | { readonly state: 'loading'; readonly id: string }
  | { readonly state: 'absent'; readonly id: string }
  | { readonly state: 'failed'; readonly id: string; readonly error: unknown }
  | { readonly state: 'shown'; readonly id: string; readonly shown: ShownRecord }

export const detail = held<Detail>({ state: 'none' })

/** The record and its kind: in a view of records one of that kind, elsewhere of any. */
async function findRecord(from: Daybook, id: string): Promise<[RecordKind, BookRecord] | undefined> {
  const here = listedKind.peek()
  const of = here ?? kindNamed((await from.records.get({ id }))?.kind ?? '')
  const record = of && (await readRecord(from, of, id))
  return record && [of, record]
}

/** The record with its links and versions; undefined if it does not exist. */
export async function readShown(from: Daybook, id: string): Promise<ShownRecord | undefined> {
  const found = await findRecord(from, id)
  if (!found) return undefined
  const [of, record] = found
  const [links, { versions }] = await Promise.all([readLinks(from, of, record), from.records.history({ id })])
  const shownLinks = await Promise.all(
    links.map(async (group) => ({ ...group, records: await withoutSecrets(from, group.records) })),
  )
  const secrets = isSealed(record)
    ? await (await import('./shown-secrets.ts')).readSecrets(from, record, versions)
    : undefined
  return { kind: of, record, links: shownLinks, versions, secrets }
}

async function readDetail(from: Daybook, id: string): Promise<Detail> {
  const shown = await readShown(from, id)
  return shown ? { state: 'shown', id, shown } : { state: 'absent', id }
}

async function loadDetail(from: Daybook, id: string): Promise<void> {
  const isOld = () => address.peek().id !== id || book.peek() !== from
  let found: Detail
  try {
    found = await readDetail(from, id)
  } catch (error) {
    found = { state: 'failed', id, error }
  }
  if (!isOld()) detail.value = found
}

/** Reads the selected record again. */
export function reloadDetail(): void {
  const from = book.peek()
  const { id } = address.peek()
  if (from && id !== undefined) void loadDetail(from, id)
}

effect(() => {
  const { id } = address.value
  const from = book.value
  if (revealed.peek() !== id) revealed.value = undefined
  if (id === undefined || !from) {
    detail.value = { state: 'none' }
    return
  }
  const now = detail.peek()
  if (now.state === 'none' || now.id !== id) {
    // The current record stays until the next one is read, which takes a few milliseconds.
    if (now.state !== 'shown') detail.value = { state: 'loading', id }
    void loadDetail(from, id)
  }
})

onBook('change', ({ ids, more }) => {
  const { id } = address.peek()
  const now = detail.peek()
  if (id === undefined) return
  const linked =
    now.state === 'shown' ? now.shown.links.flatMap(({ records }) => records.map((one) => one.id)) : []
  if (more > 0 || now.state === 'absent' || [id, ...linked].some((one) => ids.includes(one))) reloadDetail()
})
