// Completes a record of a bundle that another program wrote. What it leaves out of its head is as the bundle says, what it
// leaves out of its body as its kind says: stated defaults, and nothing that stands there is changed but the id of a record
// that is known by its name.
import type { Kind } from '../../core/kind.ts'
import { type JsonObject, readPath } from '../../core/json/path.ts'
import { isSealedRecord } from './sealed-record.ts'

/** What the bundle itself says. */
export interface Origin {
  readonly agent: string
  readonly exported_at: string
}

/** True when the bundle's own words are not needed to complete `record`. */
export function isComplete({ created_at, updated_at, agent }: JsonObject): boolean {
  return created_at !== undefined && updated_at !== undefined && agent !== undefined
}

/** The time a record says of itself: when it happened, was made or was changed. */
function ownTime({ facets }: Kind, record: JsonObject): unknown {
  const happened = facets.happened_at === undefined ? undefined : readPath(record, facets.happened_at)
  return record['created_at'] ?? happened ?? record['updated_at']
}

/**
 * `record` with the head of a record: made when it says that it happened, else when it was changed, else when the bundle was
 * written; changed when it was made; by the agent of the bundle.
 */
export function completed(kind: Kind, record: JsonObject, { agent, exported_at }: Origin): JsonObject {
  const made = (ownTime(kind, record) ?? exported_at) as string
  const whole: JsonObject = { created_at: made, updated_at: made, agent, ...record }
  const body = kind.complete && !isSealedRecord(record) ? kind.complete(whole) : whole
  const isNamed = kind.idPrefix !== undefined && String(body['id']).startsWith(kind.idPrefix)
  return kind.idOf && !isNamed && typeof body['name'] === 'string' ? { ...body, id: kind.idOf(body) } : body
}
