// Stores a thought once: the same text of the same persona and type within five minutes is a duplicate. Also derives
// the importance of a thought from the agent's words.
import type { TaskContext } from '../../../core/capability/context.ts'
import type { RecordWriter } from '../../../core/capability/port/record-port.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { Stored } from '../../../core/record.ts'
import type { Sensitivity } from '../../../core/sealed.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { personaFilter, type Persona, writingScope } from '../persona/persona.ts'
import type { ThoughtBody } from './thought-kind.ts'

/**
 * Phrases by importance; the first row with a match decides, so "not important" comes before "important". A match may
 * be anywhere in the context, in any case.
 */
const phrasesByImportance: readonly (readonly [importance: number, ...phrases: readonly string[]])[] = [
  [1, 'critical', 'crucial', 'life-changing', 'must remember', 'never forget', 'extremely'],
  [0, 'not important', 'unimportant'],
  [0.75, 'very important', 'very significant', 'very noteworthy', 'very notable'],
  [0.75, 'significant', 'important', 'matters', 'key', 'essential'],
  [0.5, 'worth remembering', 'interesting', 'notable', 'noteworthy', 'remember'],
  [0.25, 'routine', 'normal', 'everyday', 'regular', 'usual'],
  [0, 'trivial', 'fleeting', 'forget'],
]

/** Importance if no phrase matches. */
export const defaultImportance = 0.5
/** Importance of knowledge and decisions. */
export const highImportance = 0.75

/** Importance from 0 to 1, by the phrases in `context`. */
export function importanceOf(context: string): number {
  const text = context.toLowerCase()
  const match = phrasesByImportance.find(([, ...words]) => words.some((word) => text.includes(word)))
  return match?.[0] ?? defaultImportance
}

/** Milliseconds in which the same text is a duplicate. */
const duplicateWindowMs = 300_000

interface StoredThought {
  readonly id: string
  readonly result: 'stored' | 'skipped'
  /** Reason why nothing was stored. */
  readonly reason?: 'duplicate'
  readonly importance: number
}

/**
 * `type`: `experience`, `knowledge` or `decision`. `importance`: from 0 to 1. `context`: the agent's reason why the
 * thought matters.
 */
type NewThought = Pick<ThoughtBody, 'type' | 'content' | 'importance'> & {
  readonly context?: string | undefined
  readonly sensitivity?: Sensitivity | undefined
}

/** Throws `too-large` if the text at `path` of the input is longer than `maxLength` UTF-16 units. */
export function assertFits(text: string, maxLength: number, path: string): void {
  if (text.length <= maxLength) return
  throw new DaybookError('too-large', `\`${path}\`: At most ${maxLength} characters are allowed.`, {
    details: { path, limitCharacters: maxLength, characters: text.length },
  })
}

/** Stores `thought` for `persona`, unless it is a duplicate; of simultaneous calls, one stores it. */
export function storeThought(
  at: TaskContext<'records'>,
  persona: Persona,
  { sensitivity, context, ...thought }: NewThought,
): Promise<StoredThought> {
  const body = { ...thought, ...(context ? { context } : {}), timestamp: at.call.now }
  const scope = { ...writingScope(at, persona), sensitivity }
  return at.records.write(({ records }): StoredThought => {
    const duplicate = findDuplicate(records, persona, body)
    if (duplicate) {
      const importance = Number(duplicate['importance'])
      return { id: duplicate.id, result: 'skipped', reason: 'duplicate', importance }
    }
    const id = records.put({ kind: 'thought', body: body as unknown as JsonObject, scope })
    return { id, result: 'stored', importance: thought.importance }
  })
}

function findDuplicate(
  records: Pick<RecordWriter, 'query'>,
  persona: Persona,
  { type, content, timestamp }: Pick<ThoughtBody, 'type' | 'content' | 'timestamp'>,
): Stored<JsonObject> | undefined {
  const recent = records.query({
    kind: 'thought',
    filters: {
      ...personaFilter(persona),
      type,
      timestamp: { gte: formatTime((parseTime(timestamp) ?? 0) - duplicateWindowMs) },
    },
    include: { expired: true },
    limit: 1000,
  })
  return recent.records.find((record) => record['content'] === content)
}
