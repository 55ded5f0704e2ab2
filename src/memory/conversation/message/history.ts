// A stretch of conversation as callers send it: messages in any of the usual forms, read into one.
import { z } from 'zod'
import { instant } from '../../../shape/instant.ts'
import { type Source, sourceInput } from '../../../shape/source.ts'

/** Most messages, and most characters of all of them, that are looked at together. */
export const historyLimit = { messages: 1000, characters: 400_000 } as const

/** One message of a history: `{ content, source, timestamp, id }`, or `{ role, content }` as chat programs have it. */
export const historyItem = z
  .looseObject({
    id: z.string().max(1000).optional(),
    content: z.string().max(historyLimit.characters),
    source: sourceInput.optional(),
    role: z.string().max(200).optional(),
    timestamp: instant.optional(),
  })
  .transform(({ id, content, source, role, timestamp }, context) => {
    const by = sourceInput.safeParse(source ?? role ?? '')
    if (!by.success) {
      context.addIssue({ code: 'custom', path: ['role'], message: 'is not a role' })
      return z.NEVER
    }
    return { id, content: content.trim(), source: by.data, timestamp } satisfies Line
  })

export const history = z
  .array(historyItem)
  .max(historyLimit.messages)
  .refine(
    (items) => items.reduce((sum, { content }) => sum + content.length, 0) <= historyLimit.characters,
    `is longer than ${historyLimit.characters} characters`,
  )

/** One message of a history, its content trimmed. */
export interface Line {
  readonly id?: string | undefined
  readonly content: string
  readonly source: Source
  readonly timestamp?: string | undefined
}

/** How a speaker is called: by name, by id, or by what it is. */
export function speakerOf({ source }: Line): string {
  return source.name || source.id || source.type || 'Someone'
}

/** True for what a person said: everything that neither an agent nor the system did. */
export function isUser({ source }: Line): boolean {
  return source.type !== 'Agent' && source.type !== 'System'
}

/** When a history began and ended, as far as its messages say. */
export function spanOf(lines: readonly Line[]): { start_time?: string; end_time?: string } {
  const times = lines.flatMap(({ timestamp }) => timestamp ?? []).toSorted()
  const first = times[0]
  const last = times.at(-1)
  return first === undefined || last === undefined ? {} : { start_time: first, end_time: last }
}
