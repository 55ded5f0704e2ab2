// The verbs of the semantic cache: keep an answer with what it rests on, and get it again for the same question.
// Invariant: an answer is given only while every record it rests on is the version that it was, and still current: neither
// expired nor superseded nor outdated.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { ReadContext } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { isUnderstood } from '../../../core/capability/understood.ts'
import { recordId } from '../../../shape/record-id.ts'
import { scopeName } from '../../../shape/scope-name.ts'
import { type AnswerBody, answerKind, answerLimit } from './answer-kind.ts'
import { cosineOf, directionOf, particularsOf } from './question-direction.ts'
import { questionLikeness } from './question-likeness.ts'
import { fold } from '../../../core/text/fold.ts'
import { wordedRecord } from '../record-name.ts'
import { wordsOf } from '../../../core/text/content-word.ts'

/** From this likeness on, two questions are one. */
export const sameQuestion = 0.95

const question = z.string().trim().min(1).max(answerLimit.question)

function versionOf({ records }: Pick<ReadContext<'records'>, 'records'>, id: string): number | undefined {
  return records.get(id) ? records.history(id).at(-1)?.version : undefined
}

interface Kept {
  readonly id: string
  readonly body: AnswerBody
}

/** The answer whose question is most like it, of those that still hold. */
function bestOf(
  at: ReadContext<'records'>,
  kept: readonly Kept[],
  likeness: (body: AnswerBody) => number,
): (Kept & { readonly similarity: number }) | undefined {
  return kept
    .map((one) => ({ ...one, similarity: likeness(one.body) }))
    .filter(({ similarity, body }) => similarity >= sameQuestion && body.expires_at > at.call.now)
    .toSorted((a, b) => b.similarity - a.similarity)
    .find(({ body }) => stillHolds(at, body))
}

/** Whether all that an answer rests on stands as it stood. */
function stillHolds(at: Pick<ReadContext<'records'>, 'records'>, { rests_on }: AnswerBody): boolean {
  if (rests_on.length === 0) return true
  if (!rests_on.every(({ id, version }) => versionOf(at, id) === version)) return false
  const ids = rests_on.map(({ id }) => id)
  const current = at.records.query({ filters: { id: { in: ids } }, limit: ids.length }).records
  return current.length === ids.length
}

/** By vectors, where there are any: the embedder is asked only when words have found nothing. */
async function bestByMeaning(at: ReadContext<'records' | 'recall'>, kept: readonly Kept[], asked: string) {
  const particulars = particularsOf(asked)
  const comparable = kept.filter(
    ({ body: { direction, question: other } }) => direction && particularsOf(other) === particulars,
  )
  if (comparable.length === 0) return undefined
  const own = directionOf(await at.recall.questionVector(asked))
  return own && bestOf(at, comparable, ({ direction }) => (direction ? cosineOf(own, direction) : 0))
}

export const answerCapabilities = [
  defineCapability({
    id: 'ks:cache_answer',
    permission: 'write',
    methods: ['conversation.cacheAnswer'],
    summary: 'Keeps the answer to a question until a record that it rests on changes, or it is too old.',
    input: z.strictObject({
      agent_id: scopeName.optional(),
      question,
      answer: z.string().min(1).max(answerLimit.answer),
      /** The records that the answer was made from, such as the hits of a recall. */
      records: z.array(recordId).max(answerLimit.records).default([]),
      /** Seconds until it is too old; default a week. */
      ttl_seconds: z.number().min(1).max(31_622_400).default(604_800),
    }),
    output: z.object({ ok: z.boolean(), id: z.string() }),
    effect: 'task',
    repeatable: true,
    uses: ['records', 'recall'],
    async run({ agent_id, question: asked, answer, records: ids, ttl_seconds }, at) {
      const agent = agent_id ?? at.call.scope.agent
      const rests_on = [...new Set(ids)].map((id) => {
        const version = versionOf(at, id)
        if (version !== undefined) return { id, version }
        throw new DaybookError('not-found', `There is no record \`${id}\`.`, { details: { path: 'records' } })
      })
      const expires_at = formatTime((parseTime(at.call.now) ?? 0) + Math.round(ttl_seconds * 1000))
      const direction = directionOf(await at.recall.questionVector(asked))
      const body = {
        question: asked,
        answer,
        ...(direction ? { direction } : {}),
        answered_at: at.call.now,
        expires_at,
        rests_on,
      } as unknown as JsonObject
      const name = wordedRecord('answer', agent, [wordsOf(asked).map(fold).join(' ')])
      const known = at.records.find(name)?.id
      const older = {
        kind: 'answer',
        filters: { agent },
        orderBy: '-answered_at',
        offset: answerLimit.kept - 1,
      }
      const superfluous = at.records.query({ ...older, limit: 100 }).records
      const id = await at.records.write(({ records }) => {
        for (const one of superfluous) if (one.id !== known) records.forget(one.id)
        return records.put({ kind: 'answer', name, body, scope: { agent } })
      })
      return { ok: true, id }
    },
  }),
  defineCapability({
    id: 'ks:cached_answer',
    permission: 'read',
    methods: ['conversation.cachedAnswer'],
    summary:
      'Gives the answer to a question that was answered before, if what it rested on is unchanged and still holds.',
    input: z.strictObject({ agent_id: scopeName.optional(), question }),
    output: z.object({
      /** Null when the question is new, or its answer no longer holds. */
      answer: z.string().nullable(),
      id: z.string().optional(),
      /** As it was asked then. */
      question: z.string().optional(),
      answered_at: z.string().optional(),
      /** How alike the two questions are, 0.95 to 1. */
      similarity: z.number().optional(),
    }),
    effect: 'read',
    uses: ['records', 'recall'],
    async run({ agent_id, question: asked }, at) {
      const filters = { agent: agent_id ?? at.call.scope.agent }
      const { records } = at.records.query({
        kind: 'answer',
        filters,
        orderBy: '-answered_at',
        limit: answerLimit.kept,
      })
      const kept = records
        .filter((record) => isUnderstood(answerKind, record))
        .map((record) => ({ id: record.id, body: record as unknown as AnswerBody }))
      const byWords = bestOf(at, kept, ({ question: other }) => questionLikeness(asked, other))
      const best = byWords ?? (await bestByMeaning(at, kept, asked))
      if (!best) return { answer: null }
      const { answer, question: then, answered_at } = best.body
      return { answer, id: best.id, question: then, answered_at, similarity: best.similarity }
    },
  }),
] as const
