// Decides which of two changes of one version wins. Pure and total, so device and mirror decide equally. If a policy
// needs sealed content or a merge, the device decides.
import type { ConflictPolicy, Kind } from '../../core/kind.ts'
import { type Json, type JsonObject, sameJson } from '../../core/json/path.ts'
import { isDaybookError } from '../../core/errors.ts'
import { parseWith } from '../../core/schema.ts'

/** Policy for kinds that this copy does not know. */
export const defaultPolicy: ConflictPolicy = 'last_write_wins'

/** The author and time of one side of a conflict. */
interface Edit {
  readonly stamp: string
  readonly device: string
}

/** Decides between the arriving and the present edit. `device`: only the device can decide. */
export function decideWinner(
  policy: ConflictPolicy,
  arriving: Edit,
  present: Edit,
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
interface Removal extends Edit {
  readonly isPurge: boolean
}

/**
 * True if an edit restores a record that was concurrently removed: the kind allows that, and the edit is later. No
 * edit restores a purged record.
 */
export function survivesRemoval(kind: Kind | undefined, edit: Edit, removal: Removal): boolean {
  return kind?.laterEditRevives === true && !removal.isPurge && isLater(edit, removal)
}

/** True if `one` was made after `other`. The device name breaks a tie. */
export function isLater(one: Edit, other: Edit): boolean {
  return one.stamp === other.stamp ? one.device > other.device : one.stamp > other.stamp
}

/** True if both stamps belong to one edit. The mirror may have set back the time of `returned`. */
export function isSameEdit(stamp: string, returned: string): boolean {
  // After 12 digits of milliseconds come the counter and the device, which the mirror doesn't change.
  return stamp.slice(12) === returned.slice(12) && stamp >= returned
}

/** The content of a change, without author and time. */
export interface EditContent {
  readonly op: 'put' | 'forget'
  readonly session?: string | undefined
  readonly resource?: string | undefined
  readonly sensitivity?: string | undefined
  readonly body?: unknown
  /** A sealed body. Without the key, only equality can be tested. */
  readonly enc?: unknown
}

/** True if two changes have equal content. Then they don't conflict, whatever their versions. */
export function hasSameContent(one: EditContent, other: EditContent): boolean {
  if (one.op !== other.op || one.session !== other.session || one.resource !== other.resource) return false
  const a = one.body ?? one.enc
  const b = other.body ?? other.enc
  return (
    (one.sensitivity ?? 'standard') === (other.sensitivity ?? 'standard') && sameJson(a as Json, b as Json)
  )
}

/** Returns the edit in a final state, which no policy undoes; undefined if neither or both are final. */
export function finalWinner(
  kind: Kind | undefined,
  arriving: EditContent,
  present: EditContent,
): 'arriving' | 'present' | undefined {
  if (!kind?.isFinal || !arriving.body || !present.body) return undefined
  const one = kind.isFinal(arriving.body as object, present.body as object)
  const other = kind.isFinal(present.body as object, arriving.body as object)
  if (one === other) return undefined
  return one ? 'arriving' : 'present'
}

/** True if exactly one of two puts is sealed. */
export function isOneSealed(one: EditContent, other: EditContent): boolean {
  return one.op === 'put' && other.op === 'put' && (one.enc === undefined) !== (other.enc === undefined)
}

/** True if the kind's schema accepts the body, or the kind is unknown. */
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
