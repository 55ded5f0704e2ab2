// Decides which of two changes of one version wins. Pure and total: device and mirror get the same answer.
// If a policy needs content that is sealed or must be merged, the device decides.
import type { ConflictPolicy, Kind } from '../../core/kind.ts'
import { type Json, type JsonObject, sameJson } from '../../core/json/path.ts'
import { isDaybookError } from '../../core/errors.ts'
import { parseWith } from '../../core/schema.ts'

/** For kinds that this side does not know. */
export const defaultPolicy: ConflictPolicy = 'last_write_wins'

/** One side of a conflict. */
interface Edit {
  readonly op: 'put' | 'forget'
  readonly stamp: string
  readonly device: string
}

/** Decides between the arriving and the present edit; `device`: the device must decide. */
export function decide(
  policy: ConflictPolicy,
  arriving: Omit<Edit, 'op'>,
  present: Omit<Edit, 'op'>,
): 'arriving' | 'present' | 'device' {
  switch (policy) {
    case 'local_wins':
      return 'arriving'
    case 'remote_wins':
      return 'present'
    case 'last_write_wins':
      return isLater(arriving, present) ? 'arriving' : 'present'
    case 'merge':
    case 'manual':
      return 'device'
  }
}

/** A forget or purge of a record. */
interface Removal extends Omit<Edit, 'op'> {
  readonly isPurge: boolean
}

/**
 * True when an edit revives a record that was removed concurrently: the edit is later, and its kind allows it. Nothing
 * outlives a purge.
 */
export function outlives(kind: Kind | undefined, edit: Omit<Edit, 'op'>, removal: Removal): boolean {
  return kind?.laterEditRevives === true && !removal.isPurge && isLater(edit, removal)
}

/** True when `one` was made after `other`; device names break ties. */
export function isLater(one: Omit<Edit, 'op'>, other: Omit<Edit, 'op'>): boolean {
  return one.stamp === other.stamp ? one.device > other.device : one.stamp > other.stamp
}

/** True for stamps of one edit, though the mirror may have set its time back. */
export function isSameEdit(stamp: string, returned: string): boolean {
  // 12 digits of milliseconds, then a part of the device alone.
  return stamp.slice(12) === returned.slice(12) && stamp >= returned
}

/** The content of a change, without author and time. */
export interface EditContent {
  readonly op: 'put' | 'forget'
  readonly session?: string | undefined
  readonly resource?: string | undefined
  readonly sensitivity?: string | undefined
  readonly body?: unknown
  /** A sealed body. Without the key only identity can be tested. */
  readonly enc?: unknown
}

/** True when two changes have the same content: then they don't conflict, whatever their versions. */
export function saysSame(one: EditContent, other: EditContent): boolean {
  if (one.op !== other.op || one.session !== other.session || one.resource !== other.resource) return false
  const a = one.body ?? one.enc
  const b = other.body ?? other.enc
  return (
    (one.sensitivity ?? 'standard') === (other.sensitivity ?? 'standard') && sameJson(a as Json, b as Json)
  )
}

/** The only one of two edits that is in a final state, which no policy undoes; undefined for neither or both. */
export function finalWinner(
  kind: Kind | undefined,
  arriving: EditContent,
  present: EditContent,
): 'arriving' | 'present' | undefined {
  if (!kind?.isFinal || !arriving.body || !present.body) return undefined
  const one = kind.isFinal(arriving.body as object)
  const other = kind.isFinal(present.body as object)
  if (one === other) return undefined
  return one ? 'arriving' : 'present'
}

/** True when one of two edits is sealed and the other is not. */
export function isMixed(one: EditContent, other: EditContent): boolean {
  return one.op === 'put' && other.op === 'put' && (one.enc === undefined) !== (other.enc === undefined)
}

/** True for a body that the kind's schema accepts. Bodies of unknown kinds fit. */
export function fitsKind(kind: Kind | undefined, body: JsonObject): boolean {
  if (!kind) return true
  try {
    parseWith(kind.schema, body)
    return true
  } catch (error) {
    if (isDaybookError(error)) return false
    throw error
  }
}
