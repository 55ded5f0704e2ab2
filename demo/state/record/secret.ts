// Secrets of records on show: the page shows a mark in place of each, until the reader reveals them.
// Invariant: only copies for the eye are masked; acts take the record as it is.
import { signal } from '@preact/signals'
import type { Daybook } from '../../../src/index.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { onEmptied } from '../held.ts'

/** The id of the record whose secrets are revealed. */
export const revealed = signal<string | undefined>(undefined)
onEmptied(() => (revealed.value = undefined))

export const isSealed = ({ sensitivity }: BookRecord) =>
  sensitivity === 'sensitive' || sensitivity === 'restricted'

/** `records` with marks in place of their secrets. Only encrypted ones are looked through. */
export async function withoutSecrets<One extends BookRecord>(
  from: Daybook,
  records: readonly One[],
): Promise<readonly One[]> {
  const ids = [...new Set(records.filter(isSealed).map(({ id }) => id))]
  if (ids.length === 0) return records
  const { found } = await from.records.scan({ ids, history: false })
  const masked = new Map(found.map((one) => [one.id, one.masked]))
  return records.map((record) => ({ ...record, ...masked.get(record.id) }))
}
