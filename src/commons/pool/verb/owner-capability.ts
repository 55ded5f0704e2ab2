// The owner's verbs of the pool: admit claws, configure, take in an envelope by hand, read the audit. Also the verb
// that updates records whose source is gone.
// Invariant: a foreign claw is admitted with a key that the owner named, its stored key, or the only key that it
// has signed with; without a key only if `verify` is off.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { foldName } from '../../../core/text/fold.ts'
import { configFields, configId, configKind, quorumRule, readConfig } from '../pool-config.ts'
import { Flood } from '../rule/flood.ts'
import { receive, takeEnvelope } from '../take/take-envelope.ts'
import { contextOf, taken, id } from './shape.ts'
import type { WriteContext } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import { poolLimits } from '../../../shape/envelope.ts'
import { type ClawBody, poolFactBody, sourcesOfVersion } from '../pool-kind.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { clawStanding } from '../take/member.ts'
import { putRecord, readClaw, rollOf, type PoolContext, isGone } from '../take/pool-context.ts'
import type { RecordWriter } from '../../../core/capability/port/record-port.ts'
import { rebuildRecord, rebuildInput, rebuildOutput } from '../../../shape/rebuild.ts'
import { limit } from '../../../shape/page.ts'

const { timeout, tagsAllowed, tagsDenied, floodPerSecond } = configFields
const changes = {
  group: configFields.group.unwrap().optional(),
  governance: z.boolean().optional(),
  claw: configFields.claw.unwrap().nullable().optional(),
  displayName: configFields.displayName.unwrap().nullable().optional(),
  model: configFields.model.unwrap().nullable().optional(),
  verify: configFields.verify.unwrap().optional(),
  admission: configFields.admission.unwrap().nullable().optional(),
  selfVote: z.boolean().optional(),
  compatibility: z.boolean().optional(),
  quorum: quorumRule.optional(),
  timeout: timeout.unwrap().optional(),
  tagsAllowed: tagsAllowed.unwrap().optional(),
  tagsDenied: tagsDenied.unwrap().optional(),
  floodPerSecond: floodPerSecond.unwrap().optional(),
}

/** By pool port: the rates of `pool:take_in`, apart from those of the carriers. */
const floods = new WeakMap<object, Flood>()
const floodOf = (key: object) => {
  const flood = floods.get(key) ?? new Flood()
  floods.set(key, flood)
  return flood
}

const key = z
  .string()
  .max(200)
  .regex(/^did:key:z[1-9A-HJ-NP-Za-km-z]+$/, 'is not a did:key; pool.claws() shows the keys of applicants')

const admitted = z.object({
  claw: z.string(),
  state: z.enum(['admitted', 'let_go']),
  keys: z.array(z.string()),
})

/** The pool context and the folded id of a foreign claw. Throws `invalid-input` for a claw of this book. */
function otherClaw(
  at: WriteContext<'records' | 'pool'>,
  named: string,
): { context: PoolContext; claw: string } {
  const context = contextOf(at)
  const claw = foldName(named)
  if (clawStanding(rollOf(context), claw) !== 'own') return { context, claw }
  throw new DaybookError(
    'invalid-input',
    `\`${claw}\` belongs to this book and always counts. Revoke the token of its agent, or the device.`,
    { details: { path: 'claw' } },
  )
}

function writeAdmission(
  context: PoolContext,
  claw: string,
  change: Pick<ClawBody, 'keys' | 'revoked' | 'admission' | 'displayName'>,
) {
  const { config, pool } = context
  const stored = readClaw(context, claw)
  const at = change.admission?.at ?? ''
  const body: ClawBody = {
    claw,
    by: claw,
    group: config.group,
    capabilities: [],
    firstSeenAt: at,
    announcedAt: at,
    ...stored,
    ...change,
  }
  putRecord(context, 'pool_claw', recordIds.claw(claw), body)
  pool.answered(claw)
  return { claw, state: change.admission?.state ?? 'admitted', keys: [...(body.keys ?? [])] }
}

/** The new keys of a claw; its other keys are revoked. */
function keysAfter(
  stored: ClawBody | undefined,
  keys: readonly string[],
): Pick<ClawBody, 'keys' | 'revoked'> {
  const gone = [...(stored?.revoked ?? []), ...(stored?.keys ?? [])].filter((one) => !keys.includes(one))
  const revoked = [...new Set(gone)].slice(-poolLimits.revoked)
  return { keys: [...keys], ...(revoked.length > 0 || stored?.revoked ? { revoked } : {}) }
}

/** The only key that an applicant has signed with; undefined without one. Throws `conflict` for several keys. */
function applicantKey(context: PoolContext, claw: string): string | undefined {
  const applicants = context.pool.applicants().filter((one) => one.claw === claw)
  const keys = [...new Set(applicants.flatMap((one) => one.key ?? []))]
  if (keys.length < 2) return keys[0]
  throw new DaybookError(
    'conflict',
    `${keys.length} keys claim to be \`${claw}\`, and at most one is right. Ask the owner of the claw for its key, and give \`key\`.`,
    { details: { path: 'key', reason: 'several_keys' } },
  )
}

const kinds = new Set(['pool_proposal', 'pool_ballot', 'pool_decision', 'pool_fact'])

/**
 * A fact without the versions whose source is gone. Undefined: forget the record, because its newest version is
 * gone or it is no fact.
 */
function bodyLeft(records: RecordWriter, kind: string, body: object): JsonObject | undefined {
  const fact = kind === 'pool_fact' ? poolFactBody.safeParse(body).data : undefined
  if (!fact) return undefined
  const remaining = Object.entries(fact.versions).filter(
    ([, one]) => !sourcesOfVersion(one).some((source) => isGone(records, source)),
  )
  const versions = Object.fromEntries(remaining)
  return versions[String(fact.version)] ? ({ ...fact, versions } as object as JsonObject) : undefined
}

export const ownerCapabilities = [
  defineCapability({
    id: 'pool:admit',
    runs: 'device',
    methods: ['pool.admit'],
    summary:
      'Admits another claw with its signing key, on all devices of the owner: its votes and decisions count.',
    input: z.strictObject({
      claw: id,
      /** The key from the claw's owner. Default: its stored key, or the only key that it has signed with. */
      key: key.optional(),
    }),
    output: admitted,
    effect: 'write',
    uses: ['records', 'pool'],
    run({ claw: named, key: namedKey }, at) {
      const { context, claw } = otherClaw(at, named)
      const stored = readClaw(context, claw)
      const own = namedKey ?? stored?.keys?.[0] ?? applicantKey(context, claw)
      if (own === undefined && context.config.verify !== 'off')
        throw new DaybookError(
          'invalid-input',
          `No signed envelope of \`${claw}\` has arrived yet. Give its \`key\`: pool.claws() shows it in the claw's own book.`,
          { details: { path: 'key' } },
        )
      const hasKey = stored?.keys !== undefined && (namedKey === undefined || stored.keys.includes(namedKey))
      const keys = hasKey || own === undefined ? {} : keysAfter(stored, [own])
      // Use the name that the claw applied with under this key, until the claw announces a name.
      const name = context.pool.applicants().find((one) => one.claw === claw && one.key === own)?.name
      const naming = stored?.displayName === undefined && name !== undefined ? { displayName: name } : {}
      return writeAdmission(context, claw, {
        ...naming,
        ...keys,
        admission: { state: 'admitted', at: at.call.now },
      })
    },
  }),
  defineCapability({
    id: 'pool:let_go',
    runs: 'device',
    methods: ['pool.letGo'],
    summary: 'Ends the admission of a claw: its presence, votes and decisions no longer count.',
    input: z.strictObject({ claw: id }),
    output: admitted,
    effect: 'write',
    uses: ['records', 'pool'],
    run({ claw: named }, at) {
      const { context, claw } = otherClaw(at, named)
      return writeAdmission(context, claw, { admission: { state: 'let_go', at: at.call.now } })
    },
  }),
  defineCapability({
    id: 'pool:re_key',
    runs: 'device',
    methods: ['pool.reKey'],
    summary: 'Gives an admitted claw a new key. Its old keys are refused forever.',
    input: z.strictObject({ claw: id, key }),
    output: admitted,
    effect: 'write',
    uses: ['records', 'pool'],
    run({ claw: named, key: newKey }, at) {
      const { context, claw } = otherClaw(at, named)
      const stored = readClaw(context, claw)
      if (!stored)
        throw new DaybookError(
          'not-found',
          `This book has no claw \`${claw}\`. Admit it with its key first.`,
          {
            details: { path: 'claw' },
          },
        )
      const state = stored.admission?.state ?? 'admitted'
      return writeAdmission(context, claw, {
        ...keysAfter(stored, [newKey]),
        admission: { state, at: at.call.now },
      })
    },
  }),
  defineCapability({
    id: 'pool:configure',
    methods: ['pool.configure'],
    summary:
      'Sets how this book takes part in a pool of agents. Absent options stay as they are; null removes a name.',
    input: z.strictObject(changes).prefault({}),
    output: z.object({ config: z.looseObject(configFields) }),
    effect: 'write',
    uses: ['records'],
    run(input, at) {
      const before = at.records.get(configId)
      const changed = Object.entries(input).filter(([, value]) => value !== undefined)
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
    summary: 'Takes in an envelope of another agent that no carrier brought, and returns the result.',
    input: z.strictObject({
      /** An envelope as an object, or its JSON text. */
      envelope: z.union([z.string().max(1_000_000), z.record(z.string(), z.unknown())]),
    }),
    output: taken,
    effect: 'task',
    uses: ['records', 'pool'],
    async run({ envelope }, at) {
      const text = typeof envelope === 'string' ? envelope : JSON.stringify(envelope)
      const received = await receive(text, (signer, content, signature) =>
        at.pool.verify(signer, content, signature),
      )
      const flood = floodOf(at.pool)
      return at.records.write((write) => takeEnvelope(contextOf(write), received, flood))
    },
  }),
  defineCapability({
    id: 'pool:audit',
    runs: 'device',
    methods: ['pool.audit'],
    summary: 'The result and the reason of every envelope at this copy of the book, newest first.',
    input: z
      .strictObject({
        claw: z.string().min(1).max(200).optional(),
        type: z.string().min(1).max(40).optional(),
        /** One result, or several. */
        result: z.union([taken.shape.result, z.array(taken.shape.result).min(1).max(6)]).optional(),
        limit: limit(),
        /** The `cursor` of the previous page. */
        cursor: z
          .string()
          .regex(/^\d{1,15}$/, 'is not a cursor of this verb')
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
  defineCapability({
    id: 'pool:tell_anew',
    forAgents: true,
    methods: ['pool.tellAnew'],
    summary:
      'Removes versions of a fact whose source is forgotten or sealed, or forgets the record. Runs by itself.',
    input: rebuildInput,
    output: rebuildOutput,
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    run: ({ id }, at) => rebuildRecord(at, { id, kinds, bodyLeft }),
  }),
] as const
