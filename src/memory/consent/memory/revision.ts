// Changes that approved proposals make to an existing memory, and how to undo them. Pure.
// Invariant: undoing a change restores only fields that still have the proposal's value; later changes stay.
import { type JsonObject, isJsonObject, sameJson } from '../../../core/json/path.ts'
import type { Memory, MemoryBody } from './memory-schema.ts'

/**
 * Most revisions stored with a memory. Older ones can't be undone: a review can be reopened for ten minutes only.
 */
const revisionLimit = 50
const fields = ['content', 'category', 'memory_type', 'confidence', 'labels', 'tags'] as const

export type Revised = Partial<Pick<MemoryBody, (typeof fields)[number]>>

export interface RevisedBy {
  readonly proposal: string
  /** Id under which the proposal ends the results of this round. */
  readonly as: string
  readonly at: string
}

/** Returns `body` with the fields of `revised`, and a note of the old values to undo the change. */
export function withRevision(
  body: MemoryBody,
  revised: Revised,
  { proposal, as, at }: RevisedBy,
): MemoryBody {
  const changed = fields.filter((name) => revised[name] !== undefined && !sameJson(body[name], revised[name]))
  const pick = (from: Revised) => Object.fromEntries(changed.map((name) => [name, from[name]]))
  const note = { proposal, at, before: pick(body), after: pick(revised) }
  const earlier = Object.entries(body.revised ?? {}).toSorted(([, one], [, other]) =>
    one.at < other.at ? -1 : 1,
  )
  const noted = earlier.slice(-revisionLimit + 1)
  return { ...body, ...pick(revised), revised: { ...Object.fromEntries(noted), [as]: note } }
}

/**
 * Returns `body` without the revisions that `isEnded` selects; the same object if it selects none. Accepts any JSON
 * object.
 */
export function withoutEndedRevisions(
  body: JsonObject,
  isEnded: (proposal: string, as: string) => boolean,
): JsonObject {
  const { revised } = body
  if (!isJsonObject(revised)) return body
  const ended = Object.entries(revised).flatMap(([as, note]) => {
    if (!isJsonObject(note)) return []
    const { proposal, at, before, after } = note
    const isNote = typeof proposal === 'string' && isJsonObject(before) && isJsonObject(after)
    return isNote && isEnded(proposal, as) ? [{ as, at: String(at), before, after }] : []
  })
  return ended.toSorted((one, other) => (one.at < other.at ? 1 : -1)).reduce(withoutOne, body)
}

interface Ended {
  readonly as: string
  readonly at: string
  readonly before: JsonObject
  readonly after: JsonObject
}

function withoutOne(body: JsonObject, { as, at, before, after }: Ended): JsonObject {
  const { [as]: _ended, ...revised } = body['revised'] as JsonObject
  const back = fields.filter((name) => after[name] !== undefined && sameJson(body[name], after[name]))
  const rest = Object.entries(body).filter(([name]) => !back.some((one) => one === name))
  const restored = back.flatMap((name) => (before[name] === undefined ? [] : [[name, before[name]] as const]))
  const { reclassified } = body
  const notes = Array.isArray(reclassified)
    ? reclassified.filter((one) => !isJsonObject(one) || one['by'] !== 'proposal' || one['at'] !== at)
    : undefined
  return {
    ...Object.fromEntries([...rest, ...restored]),
    revised,
    ...(notes ? { reclassified: notes } : {}),
  } as JsonObject
}

/** Returns the reclassifications of a memory, the last 50, with a new one to `next`. */
export function reclassifications(
  memory: Pick<Memory, 'memory_type' | 'category' | 'reclassified'>,
  next: Pick<Memory, 'memory_type' | 'category'>,
  change: { readonly at: string; readonly reason: string; readonly by: 'user' | 'proposal' | 'automatic' },
): MemoryBody['reclassified'] {
  const classOf = (one: { memory_type: string; category: string }) => `${one.memory_type} ${one.category}`
  const { at, ...why } = change
  const note = { at, from: classOf(memory), to: classOf(next), ...why }
  return [...(memory.reclassified ?? []), note].slice(-50)
}
