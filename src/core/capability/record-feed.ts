// A service that announces records of one kind, from a call or by sync.
// Invariant: each state of a record is announced once in a run of the engine, as long as the record is among the last
// that were announced; a record that can't be read here is not announced.
import { isDaybookError } from '../errors.ts'
import type { JsonObject } from '../json/path.ts'
import type { Stored } from '../record.ts'
import type { Service, ServiceParts } from './chapter.ts'

/** Most records whose last announced state is cached; the oldest is dropped first. */
const announcedLimit = 1000

export interface RecordFeed {
  readonly name: string
  readonly kind: string
  /** The state to announce, and how; undefined if there is nothing to announce. */
  read(record: Stored<JsonObject>): { readonly state: string; announce(): void } | undefined
}

export function createRecordFeed(
  { records }: Pick<ServiceParts, 'records'>,
  { name, kind: ofKind, read }: RecordFeed,
): Service {
  const announced = new Map<string, string>()
  const readable = (id: string) => {
    try {
      return records.get(id)
    } catch (error) {
      if (isDaybookError(error, 'locked')) return undefined
      throw error
    }
  }
  return {
    name,
    changed(id, kind) {
      if (kind !== ofKind) return
      const record = readable(id)
      const found = record?.kind === ofKind ? read(record) : undefined
      if (!found || announced.get(id) === found.state) return
      if (announced.size >= announcedLimit) announced.delete(announced.keys().next().value ?? '')
      announced.set(id, found.state)
      found.announce()
    },
  }
}
