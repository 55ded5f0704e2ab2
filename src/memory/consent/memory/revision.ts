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
  const { revised } = body
  if (!isJsonObject(revised)) return body
  const ended = Object.entries(revised).flatMap(([revisionKey, revision]) => {
    if (!isJsonObject(revision)) return []
    const { proposal, at, before, after } = revision
    const isRevision = typeof proposal === 'string' && isJsonObject(before) && isJsonObject(after)
    return isRevision && isEnded(proposal, revisionKey)
      ? [{ as: revisionKey, at: String(at), before, after }]
      : []
  })
  // Undo the latest first: its old values are those that the revision before it set.
  return ended.toSorted((a, b) => (a.at < b.at ? 1 : -1)).reduce(undoRevision, body)
}

interface EndedRevision {
  /** The revision key. */
  readonly as: string
  readonly at: string
  readonly before: JsonObject
  readonly after: JsonObject
}

/** Restores the fields that still have the proposal's value, and removes the proposal's reclassification. */
function undoRevision(body: JsonObject, ended: EndedRevision): JsonObject {
  const { as: revisionKey, at, before, after } = ended
  const { [revisionKey]: _ended, ...revised } = body['revised'] as JsonObject
  const changedFields = revisableFields.filter((name) => after[name] !== undefined)
  const restorableFields = changedFields.filter((name) => sameJson(body[name], after[name]))
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
    ...withFieldsOf(before, restorableFields, body),
    revised: changedFields.reduce((rest, name) => withoutAfter(rest, name, ended), revised),
    ...(remainingReclassifications ? { reclassified: remainingReclassifications } : {}),
  } as JsonObject
}

/** Returns `target` with the fields `names` of `from`. A field absent in `from` is removed. */
function withFieldsOf(from: JsonObject, names: readonly string[], target: JsonObject): JsonObject {
  const rest = Object.entries(target).filter(([name]) => !names.includes(name))
  const taken = names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]] as const]))
  return Object.fromEntries([...rest, ...taken]) as JsonObject
}

/**
 * Returns the revisions `revised`, in which the first change of a field after the ended one has the old value of the
 * ended one: undoing that change later must not restore the value that was undone.
 */
function withoutAfter(revised: JsonObject, name: string, { at, before, after }: EndedRevision): JsonObject {
  const [next] = Object.entries(revised)
    .flatMap(([key, revision]) =>
      isJsonObject(revision) &&
      isJsonObject(revision['before']) &&
      isJsonObject(revision['after']) &&
      revision['after'][name] !== undefined &&
      String(revision['at']) >= at
        ? [{ key, revision, before: revision['before'] }]
        : [],
    )
    .toSorted((a, b) => (String(a.revision['at']) < String(b.revision['at']) ? -1 : 1))
  if (!next || !sameJson(next.before[name], after[name])) return revised
  return { ...revised, [next.key]: { ...next.revision, before: withFieldsOf(before, [name], next.before) } }
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
