// The verbs of the pool that are its owner's: how the book takes part, what comes in by hand, and what became of all that came.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { foldName } from '../../../core/text/fold-name.ts'
import { configFields, configId, configKind, quorumRule, readConfig } from '../pool-config.ts'
import { Flood } from '../rule/flood.ts'
import { receive, takeIn } from '../take/take-in.ts'
import { limit, sceneOf, taken, id } from './shape.ts'
import type { WriteContext } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import { poolLimits } from '../../../shape/envelope.ts'
import { type ClawBody, factBody, sourcesOfVersion } from '../pool-kind.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'
import { standingOf } from '../take/member.ts'
import { put, readClaw, rollOf, type Scene, isGone } from '../take/pool-context.ts'
import type { RecordWriter } from '../../../core/capability/port/record-port.ts'
import { tellAnew, tellAnewInput, tellAnewOutput } from '../../../shape/tell-anew.ts'

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

// The verbs by which the owner says whose word counts: admit a claw by its key, let one go, give one another key.
// Invariant: a claw of somebody else is admitted under a key that the owner has named, or that it alone has signed with.
const key = z
  .string()
  .max(200)
  .regex(
    /^did:key:z[1-9A-HJ-NP-Za-km-z]+$/,
    'is no did:key: pool.claws() shows the keys of those that ask in',
  )

const admitted = z.object({
  claw: z.string(),
  state: z.enum(['admitted', 'let_go']),
  /** The keys by which it is known. */
  keys: z.array(z.string()),
})

/** The claw of somebody else; throws for one of this book. */
function otherClaw(at: WriteContext<'records' | 'pool'>, named: string): { scene: Scene; claw: string } {
  const scene = sceneOf(at)
  const claw = foldName(named)
  if (standingOf(rollOf(scene), claw) !== 'own') return { scene, claw }
  throw new DaybookError(
    'invalid-input',
    `\`${claw}\` is of this book and always counts: revoke the token of its agent, or the device.`,
    { details: { path: 'claw' } },
  )
}

function decide(
  scene: Scene,
  claw: string,
  change: Pick<ClawBody, 'keys' | 'revoked' | 'admission' | 'display_name'>,
) {
  const { config, pool } = scene
  const known = readClaw(scene, claw)
  const at = change.admission?.at ?? ''
  const body: ClawBody = {
    claw,
    by: claw,
    group: config.group,
    capabilities: [],
    first_seen_at: at,
    announced_at: at,
    ...known,
    ...change,
  }
  put(scene, 'pool_claw', recordIds.claw(claw), body)
  pool.answered(claw)
  return { claw, state: change.admission?.state ?? 'admitted', keys: [...(body.keys ?? [])] }
}

/** The keys of a claw from now on, and those that are its own no longer. */
function keysAfter(known: ClawBody | undefined, keys: readonly string[]): Pick<ClawBody, 'keys' | 'revoked'> {
  const gone = [...(known?.revoked ?? []), ...(known?.keys ?? [])].filter((one) => !keys.includes(one))
  const revoked = [...new Set(gone)].slice(-poolLimits.revoked)
  return { keys: [...keys], ...(revoked.length > 0 || known?.revoked ? { revoked } : {}) }
}

/** The key under which a claw asks in. */
function keyAsked(scene: Scene, claw: string): string | undefined {
  const asked = scene.pool.applicants().filter((one) => one.claw === claw)
  const keys = [...new Set(asked.flatMap((one) => one.key ?? []))]
  if (keys.length < 2) return keys[0]
  throw new DaybookError(
    'conflict',
    `\`${claw}\` is claimed under ${keys.length} keys, and one of them at most is the right one: compare with what its owner says, and give \`key\`.`,
    { details: { path: 'key', reason: 'several_keys' } },
  )
}

export const admissionCapabilities = [
  defineCapability({
    id: 'pool:admit',
    runs: 'device',
    methods: ['pool.admit'],
    summary:
      'Lets the word of another claw count in this book, under the key that it signs with; on all devices of its owner.',
    input: z.strictObject({
      claw: id,
      /** As its owner gives it. Default the key by which it is known, or the only one under which it asks in. */
      key: key.optional(),
    }),
    output: admitted,
    effect: 'write',
    uses: ['records', 'pool'],
    run({ claw: named, key: given }, at) {
      const { scene, claw } = otherClaw(at, named)
      const known = readClaw(scene, claw)
      const own = given ?? known?.keys?.[0] ?? keyAsked(scene, claw)
      if (own === undefined && scene.config.verify !== 'off')
        throw new DaybookError(
          'invalid-input',
          `Nothing that \`${claw}\` has signed has come yet: give its \`key\`, as pool.claws() shows it in its own book.`,
          { details: { path: 'key' } },
        )
      const isKnown = known?.keys !== undefined && (given === undefined || known.keys.includes(given))
      const keys = isKnown || own === undefined ? {} : keysAfter(known, [own])
      // It says its name again some day; until then it has the one under which it asked in with this key.
      const name = scene.pool.applicants().find((one) => one.claw === claw && one.key === own)?.name
      const naming = known?.display_name === undefined && name !== undefined ? { display_name: name } : {}
      return decide(scene, claw, { ...naming, ...keys, admission: { state: 'admitted', at: at.call.now } })
    },
  }),
  defineCapability({
    id: 'pool:let_go',
    runs: 'device',
    methods: ['pool.letGo'],
    summary:
      'Lets the word of another claw count no more: neither its presence, nor its votes, nor what it decides.',
    input: z.strictObject({ claw: id }),
    output: admitted,
    effect: 'write',
    uses: ['records', 'pool'],
    run({ claw: named }, at) {
      const { scene, claw } = otherClaw(at, named)
      return decide(scene, claw, { admission: { state: 'let_go', at: at.call.now } })
    },
  }),
  defineCapability({
    id: 'pool:re_key',
    runs: 'device',
    methods: ['pool.reKey'],
    summary:
      'Gives an admitted claw another key; those that it had are refused from now on, and never come back.',
    input: z.strictObject({ claw: id, key }),
    output: admitted,
    effect: 'write',
    uses: ['records', 'pool'],
    run({ claw: named, key: given }, at) {
      const { scene, claw } = otherClaw(at, named)
      const known = readClaw(scene, claw)
      if (!known)
        throw new DaybookError('not-found', `No claw \`${claw}\` is known here: admit it under its key.`, {
          details: { path: 'claw' },
        })
      const state = known.admission?.state ?? 'admitted'
      return decide(scene, claw, { ...keysAfter(known, [given]), admission: { state, at: at.call.now } })
    },
  }),
] as const

// The verb that sees to what is left in the pool of a record or a proposal that is gone or sealed now. Invariant: nothing that
// it leaves quotes that, so it may be run twice.
const kinds = new Set(['pool_proposal', 'pool_ballot', 'pool_decision', 'pool_fact'])

/** A fact without the versions that are gone; undefined where the last one is, and for all else: it says nothing else. */
function bodyLeft(records: RecordWriter, kind: string, body: object): JsonObject | undefined {
  const fact = kind === 'pool_fact' ? factBody.safeParse(body).data : undefined
  if (!fact) return undefined
  const left = Object.entries(fact.versions).filter(
    ([, one]) => !sourcesOfVersion(one).some((id) => isGone(records, id)),
  )
  const versions = Object.fromEntries(left)
  return versions[String(fact.version)] ? ({ ...fact, versions } as object as JsonObject) : undefined
}

export const tellAnewCapabilities = [
  defineCapability({
    id: 'pool:tell_anew',
    forAgents: true,
    methods: ['pool.tellAnew'],
    summary:
      'Takes the versions out of a fact that say what is forgotten or sealed now, or forgets what says nothing else. Runs by itself.',
    input: tellAnewInput,
    output: tellAnewOutput,
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    run: ({ id }, at) => tellAnew(at, { id, kinds, bodyLeft }),
  }),
] as const
