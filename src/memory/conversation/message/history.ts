// A stretch of conversation in the caller's format: accepts the common message formats, and converts them to `HistoryLine`.
import { z } from 'zod'
import { instant } from '../../../shape/field.ts'
import { type Source, sourceInput } from '../../../shape/source.ts'

/** Most messages of one history, and most characters of all its messages. */
export const historyLimits = { messages: 1000, characters: 400_000 } as const

/** Content as chat APIs write it: text, blocks of which those with text count, or nothing beside calls of tools. */
const historyContent = z
  .union([
    z.string().max(historyLimits.characters),
    z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).max(1000),
    z.null(),
  ])
  .transform((content) => {
    if (typeof content === 'string') return content
    const texts = (content ?? []).flatMap(({ type, text }) => (textBlocks.has(type) ? (text ?? []) : []))
    return texts.join('\n')
  })
const textBlocks = new Set(['text', 'input_text', 'output_text'])

/** Speakers of chat APIs that are no persons. */
const otherRoles: Readonly<Record<string, Source>> = {
  tool: { type: 'Agent', id: 'tool' },
  function: { type: 'Agent', id: 'function' },
  developer: { type: 'System' },
}

/** One message: `{ content, source, timestamp, id }`, or `{ role, content }` as in chat APIs. */
const historyItem = z
  .looseObject({
    id: z.string().max(1000).optional(),
    content: historyContent,
    source: sourceInput.optional(),
    role: z.string().max(200).optional(),
    timestamp: instant.optional(),
  })
  .transform(({ id, content, source, role, timestamp }, context) => {
    // A speaker of neither is unknown: the empty text becomes an empty source.
    const parsedSource = sourceInput.safeParse(source ?? otherRoles[role ?? ''] ?? role ?? '')
    if (!parsedSource.success) {
      context.addIssue({ code: 'custom', path: ['role'], message: 'is not a role' })
      return z.NEVER
    }
    return { id, content: content.trim(), source: parsedSource.data, timestamp } satisfies HistoryLine
  })

export const history = z
  .array(historyItem)
  .max(historyLimits.messages)
  .refine(
    (items) => items.reduce((sum, { content }) => sum + content.length, 0) <= historyLimits.characters,
    `is longer than ${historyLimits.characters} characters`,
  )

/** One message of a history, with trimmed content. */
export interface HistoryLine {
  readonly id?: string | undefined
  readonly content: string
  readonly source: Source
  readonly timestamp?: string | undefined
}

/** Display name of a speaker: the name, else the id, else the type. */
export function speakerName({ source }: HistoryLine): string {
  return source.name || source.id || source.type || 'Someone'
}

/** True for a person: any speaker that is neither an agent nor the system, also one without a type. */
export function isUser({ source }: HistoryLine): boolean {
  return source.type !== 'Agent' && source.type !== 'System'
}

/** Times of the first and the last message; empty if no message has a time. */
export function timeSpanOf(lines: readonly HistoryLine[]): { start_time?: string; end_time?: string } {
  const times = lines.flatMap(({ timestamp }) => timestamp ?? []).toSorted()
  const first = times[0]
  const last = times.at(-1)
  return first === undefined || last === undefined ? {} : { start_time: first, end_time: last }
}
