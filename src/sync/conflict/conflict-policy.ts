// Who wins when two changes were made on one version. Pure and total: the same answer wherever and whenever asked.
// What a policy can't decide without the content is left to the device.
import type { ConflictPolicy, Kind } from '../../core/kind.ts'
import type { Json } from '../../core/json/path.ts'
import { sameJson } from '../../core/json/same-json.ts'

/** For records of kinds that this side does not know. */
export const defaultPolicy: ConflictPolicy = 'last_write_wins'

/** One side of a conflict, as far as it is looked at here. */
export interface Edit {
  readonly op: 'put' | 'forget'
  readonly stamp: string
  readonly device: string
}

/** Decides between the edit that arrives and the one that is there; `device` means that it is not decided here. */
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

/** A record's end, as far as it is looked at here. */
export interface Removal extends Omit<Edit, 'op'> {
  readonly isPurge: boolean
}

/**
 * True when an edit that knew nothing of a removal, and of which that knew nothing, has the record live all the same: it is
 * later, and its kind says so. Nothing outlives a purge.
 */
export function outlives(kind: Kind | undefined, edit: Omit<Edit, 'op'>, removal: Removal): boolean {
  return kind?.laterEditRevives === true && !removal.isPurge && isLater(edit, removal)
}

/** True when `one` was made after `other`; the device decides between equal stamps. */
export function isLater(one: Omit<Edit, 'op'>, other: Omit<Edit, 'op'>): boolean {
  return one.stamp === other.stamp ? one.device > other.device : one.stamp > other.stamp
}

/** True for stamps of one edit, which may have come back to its device after the mirror put its time back. */
export function isSameEdit(stamp: string, came: string): boolean {
  // 12 digits of milliseconds, then what is of the device alone.
  return stamp.slice(12) === came.slice(12) && stamp >= came
}

/** What a change says, apart from who said it when. */
export interface Said {
  readonly op: 'put' | 'forget'
  readonly session?: string | undefined
  readonly resource?: string | undefined
  readonly sensitivity?: string | undefined
  readonly body?: unknown
  /** A sealed body: who has no key can only tell whether it is the very same. */
  readonly enc?: unknown
}

/** True when two changes say the same: then there is no conflict between them, whatever their versions. */
export function saysSame(one: Said, other: Said): boolean {
  if (one.op !== other.op || one.session !== other.session || one.resource !== other.resource) return false
  const a = one.body ?? one.enc
  const b = other.body ?? other.enc
  return (
    (one.sensitivity ?? 'standard') === (other.sensitivity ?? 'standard') && sameJson(a as Json, b as Json)
  )
}

/** Which of two edits is in a state that the other can't undo, whatever the policy; undefined when neither is, or both. */
export function finalWinner(
  kind: Kind | undefined,
  arriving: Said,
  present: Said,
): 'arriving' | 'present' | undefined {
  if (!kind?.isFinal || !arriving.body || !present.body) return undefined
  const one = kind.isFinal(arriving.body as object)
  const other = kind.isFinal(present.body as object)
  if (one === other) return undefined
  return one ? 'arriving' : 'present'
}

/** True when one of two edits is sealed and the other is in clear. */
export function isMixed(one: Said, other: Said): boolean {
  return one.op === 'put' && other.op === 'put' && (one.enc === undefined) !== (other.enc === undefined)
}
