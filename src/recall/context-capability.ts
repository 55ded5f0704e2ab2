// The verbs around a recall: packing what was recalled for a prompt, and telling what was used of it.
import { z } from 'zod'
import { askedOf } from '../core/capability/activity.ts'
import { defineCapability } from '../core/capability/capability.ts'
import { estimateTokens, lanes, pack } from './pack.ts'
import { recallInput, unread } from './recall-capability.ts'

const name = z.string().min(1).max(1000)
const tokens = z.number().int().min(0).max(1_000_000)
const laneCounts = z.object({
  thread: z.number(),
  resource: z.number(),
  agent: z.number(),
  pool: z.number(),
  other: z.number(),
})

export const contextCapabilities = [
  defineCapability({
    id: 'recall:context',
    permission: 'read',
    methods: ['context'],
    summary:
      'Recalls, and packs what was found into a prompt: quoted evidence, lane by lane, within a budget.',
    input: z.strictObject({
      ...recallInput,
      limit: recallInput.limit.unwrap().default(50),
      /** For the whole text, by the stated estimate. */
      budgetTokens: tokens.default(1500),
      /** For the whole text, in characters: in place of tokens, and `caps` are then characters as well. */
      budgetCharacters: tokens.optional(),
      /** Most of each lane; default the whole budget. What a lane is sure of, whatever the others hold, is its share of it. */
      caps: z
        .strictObject({
          thread: tokens.optional(),
          resource: tokens.optional(),
          agent: tokens.optional(),
          pool: tokens.optional(),
          other: tokens.optional(),
        })
        .default({}),
      /** Most tokens of one record. */
      itemTokens: tokens.min(8).default(300),
      /** Whose lanes they are; default the book's own. What is asked for is not narrowed by them. */
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
          happened_at: z.string(),
          lane: z.enum(lanes),
          score: z.number(),
          tokens: z.number(),
          cut: z.boolean(),
        }),
      ),
      tokens: z.number(),
      overflow: z.object({ hits: z.number(), lanes: laneCounts }),
      degraded: z.array(z.string()),
      sealed: unread,
    }),
    effect: 'read',
    uses: ['recall'],
    async run(asked, at) {
      const { budgetTokens, budgetCharacters, caps, itemTokens, lane, ...query } = asked
      const { hits, degraded, sealed } = await at.recall.ask(query)
      const packed = pack(
        hits.map((hit) => ({ hit, ...at.recall.quote(hit.record, hit.because.passage) })),
        {
          ...(budgetCharacters === undefined
            ? { budget: budgetTokens, itemLimit: itemTokens, measure: estimateTokens }
            : {
                budget: budgetCharacters,
                itemLimit: itemTokens * 4,
                measure: (text: string) => text.length,
              }),
          caps,
          session: lane.session ?? at.call.scope.session,
          resource: lane.resource ?? at.call.scope.resource,
          agent: lane.agent ?? at.call.scope.agent,
        },
      )
      at.recall.note({
        sort: 'context',
        asked: askedOf(asked),
        hits: packed.items.map(({ id, kind, score }) => ({ id, kind, score })),
        packed: { text: packed.text, tokens: packed.tokens },
      })
      return { ...packed, degraded, ...(sealed === undefined ? {} : { sealed }) }
    },
  }),
  defineCapability({
    id: 'recall:use',
    permission: 'write',
    methods: ['use'],
    summary:
      'Tells that records were of use, so that recall prefers them a little; counted on this device only.',
    input: z.strictObject({ ids: z.array(name).min(1).max(200) }),
    output: z.object({ counted: z.number() }),
    effect: 'write',
    uses: ['records'],
    run: ({ ids }, at) => ({ counted: at.records.use(ids) }),
  }),
] as const
