// Secrets of records on show: the page shows a mark in place of each, until the reader reveals them.
// Invariant: only copies for the eye are masked; acts take the record as it is.
import { signal } from '@preact/signals'
import type { Daybook } from '../../../src/index.ts'
import type { BookRecord, Version } from '../../kind/record-kind.ts'
import { onEmptied } from '../held.ts'

/** The id of the record whose secrets are revealed. */
export const revealed = signal<string | undefined>(undefined)
onEmptied(() => (revealed.value = undefined))

export interface ShownSecrets {
  /** The rules that found them, such as `github-token`. */
  readonly rules: readonly string[]
  readonly record: BookRecord
  readonly versions: readonly Version[]
}

const isSealed = ({ sensitivity }: BookRecord) => sensitivity === 'sensitive' || sensitivity === 'restricted'

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

/** The secrets of a record and its versions; undefined if it has none. */
export async function readSecrets(
  from: Daybook,
  record: BookRecord,
  versions: readonly Version[],
): Promise<ShownSecrets | undefined> {
  if (!isSealed(record)) return undefined
  const { found } = await from.records.scan({ ids: [record.id] })
  const ofRecord = found.filter(({ masked, outcome }) => masked !== undefined && outcome !== 'masked')
  if (ofRecord.length === 0) return undefined
  const current = ofRecord.find(({ version }) => version === undefined)?.masked
  return {
    rules: [...new Set(ofRecord.flatMap(({ secrets }) => secrets.map(({ rule }) => rule)))],
    record: { ...record, ...current },
    versions: versions.map((one, i) => {
      const isLast = i === versions.length - 1
      const masked = ofRecord.find(({ version }) => version === (isLast ? undefined : one.version))?.masked
      return masked && one.body ? { ...one, body: masked } : one
    }),
  }
}
