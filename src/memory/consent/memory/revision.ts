// Changes that approved proposals make to an existing memory, and how to undo them. Pure.
// Invariant: undo restores a field only if it still has the value that the proposal set. A later change of
// the field stays.
import { type JsonObject, isJsonObject, sameJson } from '../../../core/json/path.ts'
import type { Memory, MemoryBody } from './memory-schema.ts'

/**
 * Most revisions stored with a memory. Older ones are dropped and can't be undone. That is harmless: a review
 * can be reopened for ten minutes only.
 */
const maxRevisions = 50
const revisableFields = ['content', 'category', 'memory_type', 'confidence', 'labels', 'tags'] as const

export type RevisedFields = Partial<Pick<MemoryBody, (typeof revisableFields)[number]>>

export interface RevisionOrigin {
  /** Id of the proposal. */
  readonly proposal: string
  /**
   * Key of the change in `revised`: `approvedMemoryId` (proposal-state.ts) of the proposal and its round (a
   * review; reopening begins the next). Rejecting or reopening that round undoes the change.
   */
  readonly revisionKey: string
  /** Also the `at` of the reclassification of the same approval; undo finds it by this time. */
  readonly at: string
}

/** Returns `body` with the fields of `revised`, and a note of the old values to undo the change. */
export function withRevision(
  body: MemoryBody,
  revised: RevisedFields,
  { proposal, revisionKey, at }: RevisionOrigin,
): MemoryBody {
  const changed = revisableFields.filter(
    (name) => revised[name] !== undefined && !sameJson(body[name], revised[name]),
  )
  const pick = (from: RevisedFields) => Object.fromEntries(changed.map((name) => [name, from[name]]))
  const revision = { proposal, at, before: pick(body), after: pick(revised) }
  const earlier = Object.entries(body.revised ?? {}).toSorted(([, a], [, b]) => (a.at < b.at ? -1 : 1))
  const latestRevisions = earlier.slice(-maxRevisions + 1)
  return {
    ...body,
    ...pick(revised),
    revised: { ...Object.fromEntries(latestRevisions), [revisionKey]: revision },
  }
}

/**
 * Returns `body` without the revisions that `isEnded` selects: their round was rejected or reopened. Returns
 * the same object if it selects none. Accepts any JSON object.
 */
export function withoutEndedRevisions(
  body: JsonObject,
  isEnded: (proposal: string, revisionKey: string) => boolean,
): JsonObject {
  return revisionsOf(body)
    .filter(({ key, proposal }) => isEnded(proposal, key))
    .reduce(undoRevision, body)
}

interface StoredRevision {
  /** The revision key. */
  readonly key: string
  readonly proposal: string
  readonly at: string
  readonly before: JsonObject
  readonly after: JsonObject
}

/** The revisions in `body`, the latest time first. */
function revisionsOf({ revised }: JsonObject): StoredRevision[] {
  return Object.entries(isJsonObject(revised) ? revised : {})
    .flatMap(([key, revision]) => {
      if (!isJsonObject(revision)) return []
      const { proposal, at, before, after } = revision
      return typeof proposal === 'string' && isJsonObject(before) && isJsonObject(after)
        ? [{ key, proposal, at: String(at), before, after }]
        : []
    })
    .toSorted((a, b) => (a.at > b.at || (a.at === b.at && a.key > b.key) ? -1 : 1))
}

/**
 * The revisions that changed the field `name`, last first. Clocks of devices differ, so the values decide the order: the
 * last revision set the present value, each earlier one the value that the next one replaced. If an edit hides that, the
 * last is one whose value no other replaced. Of several, the latest by time is the last.
 */
function changesOf(body: JsonObject, name: string): StoredRevision[] {
  const changes: StoredRevision[] = []
  let remaining = revisionsOf(body).filter(({ after }) => after[name] !== undefined)
  let value = body[name]
  while (remaining.length > 0) {
    const last =
      remaining.find(({ after }) => sameJson(after[name], value)) ??
      remaining.find(({ after }) => !remaining.some(({ before }) => sameJson(before[name], after[name]))) ??
      remaining[0]
    if (!last) break
    changes.push(last)
    value = last.before[name]
    remaining = remaining.filter((change) => change !== last)
  }
  return changes
}

/** Undoes a revision: its fields, and its reclassification. */
function undoRevision(body: JsonObject, { key, at }: StoredRevision): JsonObject {
  const undone = revisableFields.reduce((rest, name) => undoField(rest, name, key), body)
  const { [key]: _ended, ...revised } = undone['revised'] as JsonObject
  const { reclassified } = body
  const remainingReclassifications = Array.isArray(reclassified)
    ? reclassified.filter(
        (reclassification) =>
          !isJsonObject(reclassification) ||
          reclassification['by'] !== 'proposal' ||
          reclassification['at'] !== at,
      )
    : undefined
  return {
    ...undone,
    revised,
    ...(remainingReclassifications ? { reclassified: remainingReclassifications } : {}),
  } as JsonObject
}

/**
 * Restores the field `name` if the revision `key` was the last to change it and nobody edited it since. Else the next
 * revision, if it replaced the undone value, gets the old value instead: undoing that one later must not restore the
 * undone value.
 */
function undoField(body: JsonObject, name: string, key: string): JsonObject {
  const changes = changesOf(body, name)
  const at = changes.findIndex((change) => change.key === key)
  const [ended, next] = [changes[at], changes[at - 1]]
  if (!ended || !sameJson(next ? next.before[name] : body[name], ended.after[name])) return body
  if (!next) return withFieldOf(ended.before, name, body)
  const revised = body['revised'] as JsonObject
  const nextBefore = withFieldOf(ended.before, name, next.before)
  const changed = { ...(revised[next.key] as JsonObject), before: nextBefore }
  return { ...body, revised: { ...revised, [next.key]: changed } }
}

/** Returns `target` with the field `name` of `from`, removed if it is absent there. */
function withFieldOf(from: JsonObject, name: string, target: JsonObject): JsonObject {
  const { [name]: _old, ...rest } = target
  return from[name] === undefined ? rest : { ...rest, [name]: from[name] }
}

/** Most reclassifications stored with a memory. */
const maxReclassifications = 50

/** Returns the latest reclassifications of a memory, with a new one to `next`. */
export function reclassifications(
  memory: Pick<Memory, 'memory_type' | 'category' | 'reclassified'>,
  next: Pick<Memory, 'memory_type' | 'category'>,
  change: { readonly at: string; readonly reason: string; readonly by: 'user' | 'proposal' | 'automatic' },
): MemoryBody['reclassified'] {
  const classOf = (classified: { memory_type: string; category: string }) =>
    `${classified.memory_type} ${classified.category}`
  const { at, ...reasonAndAuthor } = change
  const reclassification = { at, from: classOf(memory), to: classOf(next), ...reasonAndAuthor }
  return [...(memory.reclassified ?? []), reclassification].slice(-maxReclassifications)
}
