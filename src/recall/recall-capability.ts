// The verbs of recall: recall, context and use.
import { questionOf, recallNote } from '../core/capability/activity.ts'
import { defineChapter } from '../core/capability/chapter.ts'
import { hitLimit, usualLimits, wants } from '../core/capability/port/recall-port.ts'
import { defined } from '../core/defined.ts'
import type { JsonObject } from '../core/json/path.ts'
import type { Stored } from '../core/record.ts'
import { rulesForPrompt } from '../core/standing-rule.ts'
import { estimateTokens } from '../core/text/estimate-tokens.ts'
import { usualRuleTokens } from '../core/text/pack-rules.ts'
import { trustClasses } from '../core/trusted.ts'
import { embedCapabilities } from './embed/embed-capability.ts'
import { lanes, pack, quotedShare } from './pack.ts'
import { packedRules } from '../shape/packed-rules.ts'
import { filters, readVerb, writeVerb } from '../shape/record-verbs.ts'
import { limit } from '../shape/page.ts'
import { timeInZone } from '../shape/field.ts'
import { z } from 'zod'

const name = z.string().min(1).max(1000)
const record = z.looseObject({ id: z.string(), kind: z.string() }) as unknown as z.ZodType<Stored<JsonObject>>

/** Words of the question, as they are written there. */
const words = z.array(z.string())

/** Sealed records in scope that can't be read here and weren't searched. Absent: none. */
export const unreadCount = z.number().int().min(1).optional()

/**
 * The question of recall and of verbs based on it. `at`: recall as the world was at this time. `knownAt`: as the book
 * knew at this time. A bare date means the end of its day. `distinct`: only the best of nearly equal records.
 * `diversity`: how much hits must differ from each other.
 */
export const recallInput = {
  text: z.string().max(10_000),
  /**
   * `best`: the best hits. A whole answer: `all` that answers, by session; `order`: in the order of time; `summary`: with
   * the exchanges of a talk. Default: as the words of the question ask.
   */
  want: z.enum(wants).optional(),
  kinds: z.array(name).min(1).max(50).optional(),
  agent: name.optional(),
  session: name.optional(),
  resource: name.optional(),
  filters,
  /** Default: 10 for the best hits, 40 for a whole answer. */
  limit: limit(usualLimits.best, hitLimit).unwrap().optional(),
  at: timeInZone.optional(),
  knownAt: timeInZone.optional(),
  distinct: z.boolean().default(true),
  diversity: z.number().min(0).max(1).default(0),
  /** `sharp`: only hits before the largest drop in score. */
  cut: z.enum(['none', 'sharp']).default('none'),
  minScore: z.number().min(0).max(1).default(0),
  /** Compares every vector, also in a very large book. */
  exact: z.boolean().default(false),
}

export const recallCapabilities = [
  readVerb({
    id: 'daybook:recall',
    method: 'recall',
    summary:
      'Recalls the records relevant to a question in plain words, with the reasons; may return nothing.',
    input: z.strictObject(recallInput),
    output: z.object({
      hits: z.array(
        z.object({
          record,
          /**
           * 0 to 1, as `coverage` (the share of the question's words, by weight) and the factors `recency` to `pin`.
           */
          score: z.number(),
          /** Of a whole answer. */
          happenedAt: z.string().optional(),
          because: z.object({
            text: z
              .object({
                rank: z.number(),
                bm25: z.number(),
                coverage: z.number(),
                words,
                matches: z.array(z.object({ question: z.string(), record: z.string() })),
                corrections: z.record(z.string(), z.string()).optional(),
              })
              .optional(),
            window: z.object({ rank: z.number(), bm25: z.number(), coverage: z.number(), words }).optional(),
            name: z.object({ rank: z.number(), name: z.string() }).optional(),
            session: z.object({ rank: z.number(), score: z.number(), words }).optional(),
            date: z.object({ day: z.string(), words }).optional(),
            later: z.string().optional(),
            also: z.array(z.string()).optional(),
            vector: z.object({ rank: z.number(), similarity: z.number() }).optional(),
            passage: z.object({ path: z.string(), from: z.number(), to: z.number() }).optional(),
            recency: z.number(),
            importance: z.number(),
            confidence: z.number(),
            use: z.number(),
            pin: z.number(),
            pool: z
              .object({ votes: z.object({ yes: z.number(), no: z.number() }), version: z.number() })
              .optional(),
          }),
        }),
      ),
      want: z.enum(wants),
      /** Of a whole answer with hits: the returned share of what answers, by weight, 0 to 1; an estimate. */
      complete: z.number().optional(),
      /** How many candidates each search found. */
      legs: z.record(z.string(), z.number()),
      degraded: z.array(z.string()),
      /** The words of the question, and how many of the caller's records have each. */
      words: z.array(z.object({ word: z.string(), records: z.number() })),
      /** How many records the caller can read in the index; 0 when none has a word of the question. */
      indexed: z.number(),
      durationMs: z.number(),
      sealed: unreadCount,
    }),
    uses: ['recall'],
    async run(query, at) {
      const found = await at.recall.ask(query)
      const hits = found.hits.map(({ record: { id, kind }, score }) => ({ id, kind, score }))
      at.recall.note(recallNote(query, hits))
      return found
    },
  }),
] as const

const tokenCount = z.number().int().min(0).max(1_000_000)
const laneCounts = z.object({
  thread: z.number(),
  resource: z.number(),
  agent: z.number(),
  pool: z.number(),
  other: z.number(),
})

export const contextCapabilities = [
  readVerb({
    id: 'recall:context',
    method: 'context',
    summary:
      'Recalls, and packs a prompt: the standing rules, then quoted evidence within a budget, lane by lane, a whole answer by time.',
    input: z.strictObject({
      ...recallInput,
      limit: recallInput.limit.unwrap().default(50),
      /** Largest size of the quoted evidence in tokens, by `estimateTokens`. */
      budgetTokens: tokenCount.default(1500),
      /** Largest size of the standing rules, in tokens, beside the other budget. */
      ruleTokens: tokenCount.default(usualRuleTokens),
      /** The budget in characters instead of tokens; `caps` are then characters too. */
      budgetCharacters: tokenCount.optional(),
      /** Largest size of each lane; default: the whole budget. Each lane has a reserved share, from 10 to 40 %. */
      caps: z
        .strictObject({
          thread: tokenCount.optional(),
          resource: tokenCount.optional(),
          agent: tokenCount.optional(),
          pool: tokenCount.optional(),
          other: tokenCount.optional(),
        })
        .default({}),
      /** Most tokens of one record. With `budgetCharacters`, one token counts as four characters. */
      itemTokens: tokenCount.min(8).default(300),
      /**
       * The scope that decides the lane of a record; default: the scope of the call. The hits are not filtered by it.
       */
      lane: z
        .strictObject({ session: name.optional(), resource: name.optional(), agent: name.optional() })
        .default({}),
    }),
    output: z.object({
      text: z.string(),
      items: z.array(
        z.object({
          id: z.string(),
          kind: z.string(),
          happenedAt: z.string(),
          lane: z.enum(lanes),
          trust: z.enum(trustClasses).optional(),
          score: z.number(),
          tokens: z.number(),
          cut: z.boolean(),
        }),
      ),
      tokens: z.number(),
      overflow: z.object({ hits: z.number(), lanes: laneCounts }),
      /** The rules at the start of `text`. */
      rules: packedRules,
      want: z.enum(wants),
      /** As in `recall`, of what is quoted; `overflow` counts what did not fit. */
      complete: z.number().optional(),
      degraded: z.array(z.string()),
      sealed: unreadCount,
    }),
    uses: ['recall', 'records'],
    async run(input, at) {
      const { budgetTokens, budgetCharacters, ruleTokens, caps, itemTokens, lane, ...query } = input
      const { hits, degraded, sealed, want, complete } = await at.recall.ask(query)
      const isWhole = want !== 'best'
      const inTokens = budgetCharacters === undefined
      const measure = inTokens ? estimateTokens : (text: string) => text.length
      const scope = {
        session: lane.session ?? at.call.scope.session,
        resource: lane.resource ?? at.call.scope.resource,
        agent: lane.agent ?? at.call.scope.agent,
      }
      const rules = rulesForPrompt(at, { lane, budget: inTokens ? ruleTokens : ruleTokens * 4, measure })
      const evidence = pack(
        hits.map((hit) => ({ hit, ...at.recall.quote(hit.record, hit.because.passage) })),
        {
          budget: budgetCharacters ?? budgetTokens,
          itemLimit: inTokens ? itemTokens : itemTokens * 4,
          measure,
          isWhole,
          caps,
          ...scope,
        },
      )
      const packed = {
        ...evidence,
        text: [rules?.text, evidence.text].filter((text) => text).join('\n\n'),
        tokens: (rules?.tokens ?? 0) + evidence.tokens,
      }
      at.recall.note({
        sort: 'context',
        question: questionOf(input),
        hits: packed.items.map(({ id, kind, score }) => ({ id, kind, score })),
        context: { text: packed.text, tokens: packed.tokens },
      })
      return {
        ...packed,
        want,
        degraded,
        ...defined({ complete: quotedShare(complete, hits, packed.items), rules, sealed }),
      }
    },
  }),
  writeVerb({
    id: 'recall:use',
    method: 'use',
    summary:
      'Reports that records were useful, so that recall prefers them a little; counted on this device only.',
    input: z.strictObject({ ids: z.array(name).min(1).max(200) }),
    output: z.object({ counted: z.number() }),
    run: ({ ids }, at) => ({ counted: at.records.use(ids) }),
  }),
] as const

export const recall = defineChapter({
  name: 'recall',
  capabilities: [...recallCapabilities, ...contextCapabilities, ...embedCapabilities],
  kinds: [],
})
