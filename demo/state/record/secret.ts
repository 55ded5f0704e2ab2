// Secrets of records on show: the page shows a mark in place of each, until the reader reveals them.
// Invariant: only copies for the eye are masked; acts take the record as it is.
import { signal } from '@preact/signals'
import type { CapabilityInput, Daybook } from '../../../src/index.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { onEmptied } from '../held.ts'

type Body = NonNullable<NonNullable<CapabilityInput<'secret:scan'>>['body']>

/** The id of the record, proposal or entry whose secrets are revealed. */
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

/** `texts` with marks in place of their secrets; the same object if it has none. */
export async function maskedCopy<Texts extends object>(from: Daybook, texts: Texts): Promise<Texts> {
  // As JSON has them: a field that is undefined is in no message to the book.
  const body = JSON.parse(JSON.stringify({ texts })) as Body
  const { masked } = await from.records.scan({ body })
  return masked ? (masked as unknown as { texts: Texts }).texts : texts
}

/** A record with its masked copy, which is shown until the reader reveals it. Absent: it has no secrets. */
export type WithSeen<One> = One & { readonly seen?: One }

/** `all`, each with a copy for the eye if it has secrets. */
export async function withSeen<One extends object>(
  from: Daybook,
  all: readonly One[],
): Promise<WithSeen<One>[]> {
  if (all.length === 0) return []
  const masked = await maskedCopy(from, all)
  return all.map((one, i) => {
    const seen = masked[i]
    return seen === undefined || JSON.stringify(seen) === JSON.stringify(one) ? one : { ...one, seen }
  })
}

export const shownOf = <One extends { readonly id: string }>(one: WithSeen<One>): One =>
  one.seen && revealed.value !== one.id ? one.seen : one
