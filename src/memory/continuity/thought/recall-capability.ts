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
import { personaRefInput } from '../persona/persona-kind.ts'
import { compareTexts } from '../digest/raw-record.ts'
import { requirePersona, personaFilter, type Persona } from '../persona/persona.ts'
import { defaultImportance } from './remember.ts'
import { readVerb } from '../../../shape/record-verbs.ts'
import { limit } from '../../../shape/page.ts'

/** Default limits of the verbs, and the default maximum age in days. */
export const recallDefaults = { relevant: 20, recent: 10, topic: 50, days: 30 } as const
/** Number of recent messages whose text `relevant` searches with if the caller passes no question. */
const subjectMessageCount = 10
const maxQuestionLength = 4000

const recalledRecord = z.object({
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
type RecalledRecord = z.output<typeof recalledRecord>

const narrowingInput = {
  persona: personaRefInput,
  minImportance: z.number().min(0).max(1).default(0),
  /** Maximum age in days. */
  maxAgeDays: z.number().positive().max(36_600).default(recallDefaults.days),
}
const questionText = z
  .string()
  .max(maxQuestionLength)
  .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')
const recallOutput = z.object({ records: z.array(recalledRecord), degraded: z.array(z.string()), sealed })

/**
 * Kinds of records to recall. Memories belong to the user: those that the persona proposed and the user approved
 * are included, as far as the caller's policies allow.
 */
const recalledKinds = ['thought', 'message', 'memory'] as const

const recallFilter = (persona: Persona) => ({
  or: [
    personaFilter(persona),
    { kind: 'memory', status: 'approved', 'source.agent': { in: [...persona.agents] } },
  ],
})

type RecallContext = ReadContext<'records' | 'recall'>

function importanceOf({ marks, ...record }: Stored<JsonObject>): number {
  const importance = marks?.importance ?? record['importance']
  return typeof importance === 'number' ? importance : defaultImportance
}

/** The record as callers see it, without a score. */
function toRecalled({ recall }: Pick<RecallContext, 'recall'>, record: Stored<JsonObject>): RecalledRecord {
  const { text, happenedAt } = recall.quote(record)
  const content = record['content']
  return {
    id: record.id,
    kind: record.kind,
    content: typeof content === 'string' ? content : text,
    ...(record.kind === 'thought' ? { type: String(record['type']) } : {}),
    importance: importanceOf(record),
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

/** Recalls the persona's records for a text, best first, and writes the recall to the log. */
async function recall(
  at: RecallContext,
  persona: Persona,
  { text, kinds, minImportance, maxAgeDays, isQuestion = true, ...search }: Search,
) {
  const oldestMs = maxAgeDays === undefined ? -Infinity : (parseTime(at.call.now) ?? 0) - maxAgeDays * dayMs
  // `best`: the hits are cut below, best first; and the text may come from records.
  const query = { text, want: 'best' as const, kinds, filters: recallFilter(persona) }
  // Requests three times the limit, because old and unimportant records are removed below. `degraded`: the
  // parts of recall that did not work.
  const {
    hits,
    degraded,
    sealed: sealedCount,
  } = await at.recall.ask({ ...query, limit: Math.min(1000, search.limit * 3) })
  const records = hits
    .map(({ record, score }) => ({ ...toRecalled(at, record), score }))
    .filter((hit) => hit.importance >= minImportance && (parseTime(hit.timestamp) ?? 0) >= oldestMs)
    .slice(0, search.limit)
  // The log of recalls shows the question: at most `hitLimit` hits, and no text that the caller did not write.
  const limited = { ...query, limit: Math.min(search.limit, hitLimit) }
  at.recall.note(recallNote(isQuestion ? limited : { ...limited, text: '' }, records))
  return { records, degraded, ...sealedField(sealedCount ?? 0) }
}

/** The persona's last subject: the focus of its last snapshot, and its last messages. */
function currentSubject({ records }: RecallContext, persona: Persona): string {
  const [snapshot] = records.query({
    kind: 'snapshot',
    filters: personaFilter(persona),
    orderBy: '-taken_at',
    limit: 1,
  }).records
  const messages = records.query({
    kind: 'message',
    filters: personaFilter(persona),
    orderBy: '-timestamp',
    limit: subjectMessageCount,
  }).records
  return [snapshot?.['focus'], ...messages.map(({ content }) => content)]
    .filter((text) => typeof text === 'string')
    .join('\n')
    .slice(0, maxQuestionLength)
    .toWellFormed()
    .trim()
}

/** The latest records, newest first, that are new and important enough. */
function recentRecords(
  at: RecallContext,
  persona: Persona,
  count: number,
  narrowing: { minImportance: number; maxAgeDays: number },
): RecalledRecord[] {
  const oldestMs = (parseTime(at.call.now) ?? 0) - narrowing.maxAgeDays * dayMs
  return recalledKinds
    .flatMap(
      (kind) =>
        at.records.query({ kind, filters: recallFilter(persona), limit: Math.min(1000, count * 3) }).records,
    )
    .map((record) => toRecalled(at, record))
    .filter(
      (record) =>
        record.importance >= narrowing.minImportance && (parseTime(record.timestamp) ?? 0) >= oldestMs,
    )
    .toSorted((a, b) => compareTexts(b.timestamp, a.timestamp))
    .slice(0, count)
}

export const thoughtRecallCapabilities = [
  readVerb({
    id: 'katra:recall_relevant',
    method: 'thoughts.relevant',
    summary:
      "Finds the persona's records for a question; without one, for the focus of its last snapshot and the last ten messages.",
    input: z
      .strictObject({
        query: questionText.optional(),
        limit: limit(recallDefaults.relevant),
        ...narrowingInput,
      })
      .prefault({}),
    output: recallOutput,
    uses: ['records', 'recall'],
    async run({ query = '', persona: personaRef, ...rest }, at) {
      const persona = requirePersona(at, personaRef)
      const text = query.trim() || currentSubject(at, persona)
      if (text === '') return { records: recentRecords(at, persona, rest.limit, rest), degraded: [] }
      const isQuestion = query.trim() !== ''
      return recall(at, persona, {
        text,
        isQuestion,
        kinds: [...recalledKinds, 'digest', 'pattern'],
        ...rest,
      })
    },
  }),
  readVerb({
    id: 'katra:recall_recent',
    method: 'thoughts.recent',
    summary: "Lists the persona's latest records and messages, newest first.",
    input: z.strictObject({ limit: limit(recallDefaults.recent), ...narrowingInput }).prefault({}),
    output: recallOutput,
    uses: ['records', 'recall'],
    run({ persona: personaRef, limit: count, ...rest }, at) {
      return { records: recentRecords(at, requirePersona(at, personaRef), count, rest), degraded: [] }
    },
  }),
  readVerb({
    id: 'katra:recall_topic',
    method: 'thoughts.topic',
    summary: "Finds the persona's records of a topic, of any age.",
    input: z.strictObject({
      topic: questionText.refine((text) => text.trim() !== '', 'is empty'),
      limit: limit(recallDefaults.topic),
      persona: personaRefInput,
      minImportance: narrowingInput.minImportance,
    }),
    output: recallOutput,
    uses: ['records', 'recall'],
    run: ({ topic, persona: personaRef, ...rest }, at) =>
      recall(at, requirePersona(at, personaRef), {
        text: topic.trim(),
        kinds: [...recalledKinds, 'digest', 'pattern'],
        ...rest,
      }),
  }),
] as const
