// Records that no scope reaches (`guests: 'own'` of a kind): each agent has those that it made, and the owner all of them.
// Invariant: a guest reads and changes none that another made, whatever its token says.
import type { JsonObject } from '../../json/path.ts'
import type { PutRequest } from '../../put-request.ts'
import type { Stored } from '../../record.ts'
import type { RecordPage, RecordQuery } from './record-port.ts'

export type OwnQuery = Omit<RecordQuery, 'kind'> & { readonly kind: string }

export interface OwnReader {
  get(id: string): Stored<JsonObject> | undefined
  query(query: OwnQuery): RecordPage
  /** True where the caller may read all that `record` was made from: it may quote that. */
  isOpen(record: Stored<JsonObject>): boolean
  /** True where the caller may know that a field of record `id` had this value: the owner, and others while it has it. */
  mayKnow(id: string, field: string, value: string): boolean
  /** How many of the kind these filters let through. */
  count(kind: string, filters: object): number
  /** How many sealed ones of the kind, of those that the caller has, can't be read here. */
  unread(kind: string): number
}

/** Which records are counted, by their heads: sealed ones too. */
export interface OwnCount {
  readonly kind: string
  /** Made by this agent or by a delegate of it. */
  readonly agent?: string | undefined
  /** Made at this instant or later. */
  readonly since?: string | undefined
}

export interface OwnWriter extends OwnReader {
  /** Makes or changes one; of a guest in its own name. `forbidden` where the id is not of one that it made. */
  put(request: PutRequest & { readonly id: string }): string
  /** An id that nothing has and that says nothing. */
  newId(): string
  /** True when nothing stands under the id, nor did. */
  isFree(id: string): boolean
  /** How many there are whoever made them: for limits, never for answering. */
  countMade(count: OwnCount): number
  /** How many of the kind these filters let through, and those that can't be read here: for limits, never for answering. */
  countWhere(kind: string, filters: object): number
}
