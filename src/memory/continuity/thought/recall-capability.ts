// The three recalls of a persona: relevant, recent, and by topic. Each returns only the persona's records, and
// approved memories that it proposed.
import { z } from 'zod'
import { recallNote } from '../../../core/capability/activity.ts'
import { hitLimit } from '../../../core/capability/port/recall-port.ts'
import type { ReadContext } from '../../../core/capability/context.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { Stored } from '../../../core/record.ts'
import { dayMs } from '../../../core/zone.ts'
import { parseTime } from '../../../core/time.ts'
import { sealedField, sealed } from '../../../shape/field.ts'
import { called } from '../persona/persona-kind.ts'
import { needPersona, ownedBy, type Persona } from '../persona/persona.ts'
import { usualImportance } from './remember.ts'
import { readVerb } from '../../../shape/record-verbs.ts'
import { limit } from '../../../shape/page.ts'

/** Default limits of the verbs, and the default maximum age in days. */
export const recallDefaults = { relevant: 20, recent: 10, topic: 50, days: 30 } as const
/** Number of recent messages whose text `relevant` searches with if the caller passes no question. */
const lastMessages = 10
const questionLength = 4000

const found = z.object({
  id: z.string(),
  kind: z.string(),
  content: z.string(),
  /** Only of a thought: experience, knowledge or decision. */
  type: z.string().optional(),
  importance: z.number(),
  timestamp: z.string(),
  /** Relevance, 0 to 1; a better hit has a higher score. Absent if nothing was searched. */
  score: z.number().optional(),
  marks: z.looseObject({}).optional(),
})
type Found = z.output<typeof found>

const narrowing = {
  persona: called,
  minImportance: z.number().min(0).max(1).default(0),
  /** Maximum age in days. */
  maxAgeDays: z.number().positive().max(36_600).default(recallDefaults.days),
}
const question = z
  .string()
  .max(questionLength)
  .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')
const answer = z.object({ records: z.array(found), degraded: z.array(z.string()), sealed })

/**
 * Kinds of records to recall. Memories belong to the user: those that the persona proposed and the user approved
 * are included, as far as the caller's policies allow.
 */
const own = ['thought', 'message', 'memory'] as const

const recallable = (persona: Persona) => ({
  or: [ownedBy(persona), { kind: 'memory', status: 'approved', 'source.agent': { in: [...persona.agents] } }],
})

type At = ReadContext<'records' | 'recall'>

function importanceIn({ marks, ...record }: Stored<JsonObject>): number {
  const importance = marks?.importance ?? record['importance']
  return typeof importance === 'number' ? importance : usualImportance
}

function shown({ recall }: Pick<At, 'recall'>, record: Stored<JsonObject>): Found {
  const { text, happenedAt } = recall.quote(record)
  const content = record['content']
  return {
    id: record.id,
    kind: record.kind,
    content: typeof content === 'string' ? content : text,
    ...(record.kind === 'thought' ? { type: String(record['type']) } : {}),
    importance: importanceIn(record),
    timestamp: happenedAt,
    ...(record.marks ? { marks: { ...record.marks } } : {}),
  }
}

interface Search {
  readonly text: string
  readonly kinds: readonly string[]
  readonly limit: number
  readonly minImportance: number
  readonly maxAgeDays?: number
  /** False: the text comes from other records, not from the caller. */
  readonly isQuestion?: boolean
}

async function recall(
  at: At,
  persona: Persona,
  { text, kinds, minImportance, maxAgeDays, isQuestion = true, ...search }: Search,
) {
  const oldest = maxAgeDays === undefined ? -Infinity : (parseTime(at.call.now) ?? 0) - maxAgeDays * dayMs
  const query = { text, kinds, filters: recallable(persona) }
  // Requests three times the limit, because old and unimportant records are removed below.
  const {
    hits,
    degraded,
    sealed: unread,
  } = await at.recall.ask({ ...query, limit: Math.min(1000, search.limit * 3) })
  const records = hits
    .map(({ record, score }) => ({ ...shown(at, record), score }))
    .filter((one) => one.importance >= minImportance && (parseTime(one.timestamp) ?? 0) >= oldest)
    .slice(0, search.limit)
  const limited = { ...query, limit: Math.min(search.limit, hitLimit) }
  at.recall.note(recallNote(isQuestion ? limited : { ...limited, text: '' }, records))
  return { records, degraded, ...sealedField(unread ?? 0) }
}

/** The persona's last subject: the focus of its last snapshot, and its last messages. */
function lastWords({ records }: At, persona: Persona): string {
  const [snapshot] = records.query({
    kind: 'snapshot',
    filters: ownedBy(persona),
    orderBy: '-taken_at',
    limit: 1,
  }).records
  const messages = records.query({
    kind: 'message',
    filters: ownedBy(persona),
    orderBy: '-timestamp',
    limit: lastMessages,
  }).records
  return [snapshot?.['focus'], ...messages.map(({ content }) => content)]
    .filter((text) => typeof text === 'string')
    .join('\n')
    .slice(0, questionLength)
    .toWellFormed()
    .trim()
}

/** The latest records, newest first, that are new and important enough. */
function recent(
  at: At,
  persona: Persona,
  count: number,
  narrowed: { minImportance: number; maxAgeDays: number },
): Found[] {
  const oldest = (parseTime(at.call.now) ?? 0) - narrowed.maxAgeDays * dayMs
  return own
    .flatMap(
      (kind) =>
        at.records.query({ kind, filters: recallable(persona), limit: Math.min(1000, count * 3) }).records,
    )
    .map((record) => shown(at, record))
    .filter((one) => one.importance >= narrowed.minImportance && (parseTime(one.timestamp) ?? 0) >= oldest)
    .toSorted((a, b) => (a.timestamp === b.timestamp ? 0 : a.timestamp < b.timestamp ? 1 : -1))
    .slice(0, count)
}

export const thoughtRecallCapabilities = [
  readVerb({
    id: 'katra:recall_relevant',
    method: 'thoughts.relevant',
    summary:
      "Finds the persona's records for a question; without one, for the focus of its last snapshot and the last ten messages.",
    input: z
      .strictObject({ query: question.optional(), limit: limit(recallDefaults.relevant), ...narrowing })
      .prefault({}),
    output: answer,
    uses: ['records', 'recall'],
    async run({ query = '', persona: named, ...rest }, at) {
      const persona = needPersona(at, named)
      const text = query.trim() || lastWords(at, persona)
      if (text === '') return { records: recent(at, persona, rest.limit, rest), degraded: [] }
      const isQuestion = query.trim() !== ''
      return recall(at, persona, { text, isQuestion, kinds: [...own, 'digest', 'pattern'], ...rest })
    },
  }),
  readVerb({
    id: 'katra:recall_recent',
    method: 'thoughts.recent',
    summary: "Lists the persona's latest records and messages, newest first.",
    input: z.strictObject({ limit: limit(recallDefaults.recent), ...narrowing }).prefault({}),
    output: answer,
    uses: ['records', 'recall'],
    run({ persona: named, limit: count, ...rest }, at) {
      return { records: recent(at, needPersona(at, named), count, rest), degraded: [] }
    },
  }),
  readVerb({
    id: 'katra:recall_topic',
    method: 'thoughts.topic',
    summary: "Finds the persona's records of a topic, of any age.",
    input: z.strictObject({
      topic: question.refine((text) => text.trim() !== '', 'is empty'),
      limit: limit(recallDefaults.topic),
      persona: called,
      minImportance: narrowing.minImportance,
    }),
    output: answer,
    uses: ['records', 'recall'],
    run: ({ topic, persona: named, ...rest }, at) =>
      recall(at, needPersona(at, named), {
        text: topic.trim(),
        kinds: [...own, 'digest', 'pattern'],
        ...rest,
      }),
  }),
] as const
