// The answer of `recall.explain`: why a record is a hit of a question, or why it is not.
// Invariant: the outcomes and the codes of reasons and suggestions are closed lists. Each has a sentence (`says`).
import { wants } from '../../core/capability/port/recall-port.ts'
import { z } from 'zod'

const says = z.string()
const legName = z.enum(['text', 'window', 'session', 'name', 'vector'])
const scopeOption = z.enum(['kinds', 'agent', 'session', 'resource', 'filters', 'at', 'knownAt'])

/** One reason why a record is no hit. Ranks begin at 1; scores, coverages and shares are 0 to 1. */
const reason = z.discriminatedUnion('code', [
  // The record's own state.
  z.object({ code: z.literal('forgotten'), says }),
  z.object({ code: z.literal('sealed'), says }),
  /** `wholeKind`: recall returns no record of the kind. False: not this record, in its present state. */
  z.object({ code: z.literal('not-recalled'), says, wholeKind: z.boolean() }),
  /** `at`: canonical time. */
  z.object({ code: z.literal('not-yet-valid'), says, at: z.string() }),
  z.object({ code: z.literal('expired'), says, at: z.string().optional() }),
  /** `by`: ids of the records that supersede it, as far as the caller may see them. */
  z.object({ code: z.literal('superseded'), says, by: z.array(z.string()) }),
  z.object({ code: z.literal('outdated'), says }),
  // The scope of the question. `has`: the record's value; absent if it has none.
  z.object({ code: z.literal('out-of-scope'), says, option: scopeOption, has: z.string().optional() }),
  // The words of the question.
  z.object({ code: z.literal('no-words'), says }),
  z.object({ code: z.literal('no-common-word'), says, words: z.array(z.string()) }),
  z.object({ code: z.literal('not-all-words'), says, words: z.array(z.string()) }),
  z.object({ code: z.literal('off-subject'), says, words: z.array(z.string()) }),
  /** `value`, `needed`: coverage of the question, by weight. */
  z.object({
    code: z.literal('below-floor'),
    says,
    value: z.number(),
    needed: z.number(),
    words: z.array(z.string()),
  }),
  z.object({
    code: z.literal('out-of-candidates'),
    says,
    leg: legName,
    rank: z.number(),
    candidates: z.number(),
  }),
  // Vectors. `value`, `needed`: cosine similarity.
  /** `isComing`: false if no text of the record goes to an embedder. */
  z.object({ code: z.literal('no-vector'), says, isComing: z.boolean() }),
  z.object({ code: z.literal('less-similar'), says, value: z.number(), needed: z.number() }),
  /** `needed`: without words in common; absent for an embedder that never answers alone. */
  z.object({
    code: z.literal('needs-other-answer'),
    says,
    similarity: z.number(),
    needed: z.number().optional(),
  }),
  // The order and the options of the answer.
  /**
   * `rank`: its place among all answers, by score. `score`: its own; absent if it was not judged again. `lastScore`: the
   * lowest of a hit.
   */
  z.object({
    code: z.literal('below-others'),
    says,
    rank: z.number(),
    score: z.number().optional(),
    lastScore: z.number(),
    limit: z.number(),
  }),
  /** Of a whole answer. `needed`: a fixed share of the best score. */
  z.object({ code: z.literal('below-whole-floor'), says, score: z.number(), needed: z.number() }),
  /** `by`: the id of a later statement of the same person; it comes before, beside a further reason. */
  z.object({ code: z.literal('contradicted'), says, by: z.string() }),
  z.object({ code: z.literal('duplicate'), says, of: z.string() }),
  /** It only acknowledges or greets, or is output of a machine. */
  z.object({ code: z.literal('says-little'), says, sort: z.enum(['small-talk', 'output']) }),
  z.object({ code: z.literal('below-min-score'), says, score: z.number(), minScore: z.number() }),
  z.object({ code: z.literal('cut-sharp'), says, score: z.number(), lastScore: z.number() }),
  z.object({ code: z.literal('too-similar'), says, rank: z.number(), diversity: z.number() }),
  z.object({ code: z.literal('changed'), says }),
])

/**
 * One leg and the record. `rank`: its true place in the leg; absent if the leg does not find it. `isCandidate`: the
 * rank is within the candidates of the fusion. `isAnswer`: this leg makes it an answer, after what the others found. `value`: its coverage
 * (text, window), score (session) or similarity (vector); `needed`: the least value of an answer.
 */
const legSight = z.object({
  leg: legName,
  says,
  candidates: z.number(),
  rank: z.number().optional(),
  isCandidate: z.boolean(),
  isAnswer: z.boolean(),
  value: z.number().optional(),
  needed: z.number().optional(),
})

/**
 * A change of the question or of the book that helps. `set` and `remove`: options of the question; `rank`: the place
 * that the record then has, found by a recall with this change. Without `rank` the change was not tried.
 */
const suggestion = z.object({
  code: z.enum([
    'remove-filter',
    'other-time',
    'more-hits',
    'lower-score',
    'no-cut',
    'no-diversity',
    'with-duplicates',
    'add-word',
    'other-want',
    'all-of-these',
    'embedder',
    'wait-for-vectors',
    'unlock',
  ]),
  says,
  set: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  remove: z.array(z.string()).optional(),
  rank: z.number().optional(),
})

/** `want`: the sort of the answer, as given, else as the words of the question ask. */
const common = { id: z.string(), kind: z.string(), says, want: z.enum(wants) }

export const explanation = z.discriminatedUnion('outcome', [
  /** There is no such record, or the caller may not read it. */
  z.object({ outcome: z.literal('unknown-record'), id: z.string(), says }),
  /** `rank`: the place of the hit, from 1. `hits`: how many recall returns. */
  z.object({
    outcome: z.literal('found'),
    ...common,
    rank: z.number(),
    score: z.number(),
    hits: z.number(),
    legs: z.array(legSight),
  }),
  z.object({
    outcome: z.literal('missed'),
    ...common,
    hits: z.number(),
    reasons: z.array(reason),
    legs: z.array(legSight),
    suggestions: z.array(suggestion),
  }),
])

export type Explanation = z.output<typeof explanation>
export type Reason = z.output<typeof reason>
export type ReasonCode = Reason['code']
export type ReasonOf<Code extends ReasonCode> = Extract<Reason, { readonly code: Code }>
export type ScopeOption = z.output<typeof scopeOption>
export type LegSight = z.output<typeof legSight>
export type Suggestion = z.output<typeof suggestion>
