// Keeps a thought, each once: the same words of the same persona within five minutes are a slip, not a second thought.
import type { TaskContext, WriteContext } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { Sensitivity } from '../../../core/sealed.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { utf8Length } from '../../../core/text/utf8.ts'
import { ownedBy, type Persona, writingScope } from '../persona/persona.ts'
import type { ThoughtBody } from './thought-kind.ts'

/** Milliseconds in which the same words are a duplicate. */
export const duplicateMs = 300_000

export interface Kept {
  readonly id: string
  readonly result: 'stored' | 'skipped'
  /** Why nothing new was stored. */
  readonly reason?: 'duplicate'
  readonly importance: number
}

type NewThought = Pick<ThoughtBody, 'type' | 'content' | 'importance'> & {
  readonly context?: string | undefined
  readonly sensitivity?: Sensitivity | undefined
}

/** Throws `too-large` for a text at `path` that is longer than `limit` characters. */
export function needFit(text: string, limit: number, path: string): void {
  if (text.length <= limit) return
  throw new DaybookError('too-large', `\`${path}\`: At most ${limit} characters are kept.`, {
    details: { path, limitCharacters: limit, limitBytes: limit, bytes: utf8Length(text) },
  })
}

/** Keeps `thought` as one of `persona`'s. */
export async function keepThought(
  at: TaskContext<'records'>,
  persona: Persona,
  { sensitivity, context, ...thought }: NewThought,
): Promise<Kept> {
  const known = at.records.query({
    kind: 'thought',
    filters: {
      ...ownedBy(persona),
      type: thought.type,
      timestamp: { gte: formatTime((parseTime(at.call.now) ?? 0) - duplicateMs) },
    },
    include: { expired: true },
    limit: 1000,
  })
  const same = known.records.find(({ content }) => content === thought.content)
  if (same) {
    return { id: same.id, result: 'skipped', reason: 'duplicate', importance: Number(same['importance']) }
  }
  const body = { ...thought, ...(context ? { context } : {}), timestamp: at.call.now }
  const scope = { ...writingScope(at, persona), sensitivity }
  const put = ({ records }: WriteContext<'records'>) =>
    records.put({
      kind: 'thought',
      body: body as unknown as JsonObject,
      scope,
    })
  return { id: await at.records.write(put), result: 'stored', importance: thought.importance }
}
