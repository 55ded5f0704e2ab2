// The verbs of the pool that are its owner's: how the book takes part, what comes in by hand, and what became of all that came.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { foldName } from '../../../core/text/fold-name.ts'
import { configFields, configId, configKind, quorumRule, readConfig } from '../pool-config.ts'
import { Flood } from '../rule/flood.ts'
import { receive, takeIn } from '../take/take-in.ts'
import { limit, sceneOf, taken } from './shape.ts'

const { timeout, tags_allowed, tags_denied, flood_per_second } = configFields
const given = {
  group: configFields.group.unwrap().optional(),
  governance: z.boolean().optional(),
  claw: configFields.claw.unwrap().nullable().optional(),
  display_name: configFields.display_name.unwrap().nullable().optional(),
  model: configFields.model.unwrap().nullable().optional(),
  verify: configFields.verify.unwrap().optional(),
  admission: configFields.admission.unwrap().nullable().optional(),
  self_vote: z.boolean().optional(),
  compatibility: z.boolean().optional(),
  quorum: quorumRule.optional(),
  timeout: timeout.unwrap().optional(),
  tags_allowed: tags_allowed.unwrap().optional(),
  tags_denied: tags_denied.unwrap().optional(),
  flood_per_second: flood_per_second.unwrap().optional(),
}

/** Envelopes that come by the verb are counted by themselves. */
const floods = new WeakMap<object, Flood>()
const floodOf = (key: object) => {
  const flood = floods.get(key) ?? new Flood()
  floods.set(key, flood)
  return flood
}

export const takeInCapabilities = [
  defineCapability({
    id: 'pool:configure',
    methods: ['pool.configure'],
    summary:
      'Says how this book takes part in a pool of agents; what is left out stays, null takes a name away.',
    input: z.strictObject(given).prefault({}),
    output: z.object({ config: z.looseObject(configFields) }),
    effect: 'write',
    uses: ['records'],
    run(changes, at) {
      const before = at.records.get(configId)
      const changed = Object.entries(changes).filter(([, value]) => value !== undefined)
      const config = { ...readConfig(before), ...Object.fromEntries(changed) } as Record<string, unknown>
      for (const [name, value] of changed) if (value === null) delete config[name]
      if (changed.length > 0)
        at.records.put({ kind: configKind.name, id: configId, body: config as JsonObject, exact: true })
      return { config: config as never }
    },
  }),
  defineCapability({
    id: 'pool:take_in',
    runs: 'device',
    methods: ['pool.takeIn'],
    summary:
      'Takes in an envelope of another agent that came some other way than over a carrier; says what became of it.',
    input: z.strictObject({
      /** As an object or as the text that came. */
      envelope: z.union([z.string().max(1_000_000), z.record(z.string(), z.unknown())]),
    }),
    output: taken,
    effect: 'task',
    uses: ['records', 'pool'],
    async run({ envelope }, at) {
      const text = typeof envelope === 'string' ? envelope : JSON.stringify(envelope)
      const arrival = await receive(text, (key, said, signature) => at.pool.verify(key, said, signature))
      const flood = floodOf(at.pool)
      return at.records.write((write) => takeIn(sceneOf(write), arrival, flood))
    },
  }),
  defineCapability({
    id: 'pool:audit',
    runs: 'device',
    methods: ['pool.audit'],
    summary: 'What became of every envelope at this copy of the book, newest first, with the reason.',
    input: z
      .strictObject({
        claw: z.string().min(1).max(200).optional(),
        type: z.string().min(1).max(40).optional(),
        /** One of them, or several. */
        result: z.union([taken.shape.result, z.array(taken.shape.result).min(1).max(6)]).optional(),
        limit,
        /** The `cursor` of the page before. */
        cursor: z
          .string()
          .regex(/^\d{1,15}$/, 'is not one that was given')
          .optional(),
      })
      .prefault({}),
    output: z.object({
      entries: z.array(
        z.object({
          n: z.number(),
          at: z.string(),
          type: z.string(),
          claw: z.string(),
          instance: z.string(),
          key: z.string(),
          trace: z.string(),
          result: taken.shape.result,
          reason: z.string(),
          from: z.string().optional(),
          count: z.number(),
        }),
      ),
      cursor: z.string().optional(),
    }),
    effect: 'read',
    uses: ['pool'],
    run({ cursor, limit: most, result, ...query }, at) {
      const before = cursor === undefined ? undefined : Number(cursor)
      const entries = at.pool.audit({
        ...query,
        ...(query.claw === undefined ? {} : { claw: foldName(query.claw) }),
        results: result === undefined ? undefined : [result].flat(),
        before,
        limit: most,
      })
      const last = entries.at(-1)
      return { entries, ...(entries.length === most && last ? { cursor: String(last.n) } : {}) }
    },
  }),
] as const
