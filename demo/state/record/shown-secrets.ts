// The secrets of the open record and of its versions. Loaded with the first encrypted record that is opened.
import type { Daybook } from '../../../src/index.ts'
import type { BookRecord, Version } from '../../kind/record-kind.ts'

export interface ShownSecrets {
  /** The rules that found them, such as `github-token`. */
  readonly rules: readonly string[]
  readonly record: BookRecord
  readonly versions: readonly Version[]
}

/** The secrets of a record and its versions; undefined if it has none. */
export async function readSecrets(
  from: Daybook,
  record: BookRecord,
  versions: readonly Version[],
): Promise<ShownSecrets | undefined> {
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
