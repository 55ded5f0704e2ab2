// The verbs of the semantic cache: store an answer with its sources, and return it for the same question.
// Invariant: an answer is returned only while every source has the same version, and no source is expired, superseded
// or outdated.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { ReadContext } from '../../../core/capability/context.ts'
import { notFound } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { isUnderstood } from '../../../core/capability/understood.ts'
import { recordId, scopeName } from '../../../shape/field.ts'
import { type AnswerBody, answerKind, answerLimits } from './answer-kind.ts'
import { contentRecordName } from '../message/conversation-scope.ts'
import { cosineOf, toDirection, distinguishingWords, questionForm } from './question-similarity.ts'
import { readVerb } from '../../../shape/record-verbs.ts'

/** Least similarity, 0 to 1, at which two questions count as the same. */
export const minQuestionSimilarity = 0.95

const questionText = z.string().trim().min(1).max(answerLimits.question)

/** Number of the current version of a record; undefined if the caller can't read the record. */
function versionOf({ records }: Pick<ReadContext<'records'>, 'records'>, id: string): number | undefined {
  return records.get(id) ? records.history(id).at(-1)?.version : undefined
}

interface CachedAnswer {
  readonly id: string
  readonly body: AnswerBody
}

/** The valid answer with the most similar question; undefined without one. */
function findBest(
  at: ReadContext<'records'>,
  answers: readonly CachedAnswer[],
  similarityTo: (body: AnswerBody) => number,
): (CachedAnswer & { readonly similarity: number }) | undefined {
  return answers
    .map((answer) => ({ ...answer, similarity: similarityTo(answer.body) }))
    .filter(({ similarity, body }) => similarity >= minQuestionSimilarity && body.expires_at > at.call.now)
    .toSorted((a, b) => b.similarity - a.similarity)
    .find(({ body }) => areSourcesCurrent(at, body))
}

/** True if all sources of the answer are unchanged and current. */
function areSourcesCurrent(at: Pick<ReadContext<'records'>, 'records'>, { rests_on }: AnswerBody): boolean {
  if (rests_on.length === 0) return true
  if (!rests_on.every(({ id, version }) => versionOf(at, id) === version)) return false
  const ids = rests_on.map(({ id }) => id)
  // A query leaves out expired, superseded and outdated records.
  const current = at.records.query({ filters: { id: { in: ids } }, limit: ids.length }).records
  return current.length === ids.length
}

/** Name of the answer of `agent` to a question: all spellings of the question share it. */
const answerName = (agent: string, question: string) =>
  contentRecordName('answer', agent, [questionForm(question)])

/**
 * Finds an answer by vectors, among the questions with the same numbers, negations, names and signs. Use it only if
 * the comparison of words finds nothing.
 */
async function findByVector(
  at: ReadContext<'records' | 'recall'>,
  answers: readonly CachedAnswer[],
  { agent, question: text }: { readonly agent: string; readonly question: string },
) {
  const particulars = distinguishingWords(text)
  const comparable = answers.filter(
    ({ id, body: { direction, question: cachedQuestion } }) =>
      direction &&
      distinguishingWords(cachedQuestion) === particulars &&
      // An earlier version named answers otherwise: such an answer may have a newer one beside it.
      at.records.find(answerName(agent, cachedQuestion))?.id === id,
  )
  if (comparable.length === 0) return undefined
  const ownDirection = toDirection(await at.recall.questionVector(text))
  return (
    ownDirection &&
    findBest(at, comparable, ({ direction }) => (direction ? cosineOf(ownDirection, direction) : 0))
  )
}

export const answerCapabilities = [
  defineCapability({
    id: 'ks:cache_answer',
    permission: 'write',
    methods: ['conversation.cacheAnswer'],
    summary: 'Caches the answer to a question until a source record changes, or it is too old.',
    input: z.strictObject({
      agent: scopeName.optional(),
      question: questionText,
      answer: z.string().min(1).max(answerLimits.answer),
      /** Ids of the sources of the answer, such as the hits of a recall. */
      records: z.array(recordId).max(answerLimits.records).default([]),
      /** Seconds until the answer expires; default a week. */
      ttlSeconds: z.number().min(1).max(31_622_400).default(604_800),
    }),
    output: z.object({ ok: z.boolean(), id: z.string() }),
    effect: 'task',
    repeatable: true,
    // recall: the vector of the question.
    uses: ['records', 'recall'],
    async run({ agent: agentName, question: text, answer, records: ids, ttlSeconds }, at) {
      const agent = agentName ?? at.call.scope.agent
      const rests_on = [...new Set(ids)].map((id) => {
        const version = versionOf(at, id)
        if (version !== undefined) return { id, version }
        throw notFound('record', id, `records.${ids.indexOf(id)}`)
      })
      const expires_at = formatTime((parseTime(at.call.now) ?? 0) + Math.round(ttlSeconds * 1000))
      const direction = toDirection(await at.recall.questionVector(text))
      const body = {
        question: text,
        answer,
        ...(direction ? { direction } : {}),
        answered_at: at.call.now,
        expires_at,
        rests_on,
      } as unknown as JsonObject
      const name = answerName(agent, text)
      // The id derives from the form of the question: the same question replaces its answer.
      const current = at.records.find(name)?.id
      // The answers after the newest `maxAnswers - 1`: the new one takes their place.
      const evictionQuery = {
        kind: 'answer',
        filters: { agent },
        orderBy: '-answered_at',
        offset: answerLimits.maxAnswers - 1,
      }
      const evicted = at.records.query({ ...evictionQuery, limit: 100 }).records
      const id = await at.records.write(({ records }) => {
        for (const record of evicted) if (record.id !== current) records.forget(record.id)
        return records.put({ kind: 'answer', name, body, scope: { agent } })
      })
      return { ok: true, id }
    },
  }),
  readVerb({
    id: 'ks:cached_answer',
    method: 'conversation.cachedAnswer',
    summary: 'Returns the cached answer to a question, if its source records are unchanged and current.',
    input: z.strictObject({ agent: scopeName.optional(), question: questionText }),
    output: z.object({
      /** Null if there is no answer, or it is no longer valid. */
      answer: z.string().nullable(),
      id: z.string().optional(),
      /** The question under which the answer was stored. */
      question: z.string().optional(),
      answered_at: z.string().optional(),
      /** Similarity of the two questions, 0.95 to 1. */
      similarity: z.number().optional(),
    }),
    uses: ['records', 'recall'],
    async run({ agent: agentName, question: text }, at) {
      const agent = agentName ?? at.call.scope.agent
      const { records } = at.records.query({
        kind: 'answer',
        filters: { agent },
        orderBy: '-answered_at',
        limit: answerLimits.maxAnswers,
      })
      const answers = records
        .filter((record) => isUnderstood(answerKind, record))
        .map((record) => ({ id: record.id, body: record as unknown as AnswerBody }))
      const namedId = at.records.find(answerName(agent, text))?.id
      // Compare the forms too: an earlier version named other questions alike.
      const same = answers.filter(
        ({ id, body }) => id === namedId && questionForm(body.question) === questionForm(text),
      )
      const best = findBest(at, same, () => 1) ?? (await findByVector(at, answers, { agent, question: text }))
      if (!best) return { answer: null }
      const { answer, question: storedQuestion, answered_at } = best.body
      return { answer, id: best.id, question: storedQuestion, answered_at, similarity: best.similarity }
    },
  }),
] as const
