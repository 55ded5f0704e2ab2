// The owner's verbs of the pool: admit claws, configure, take in an envelope by hand, read the audit. Also the verb
// that updates records whose source is gone.
// Invariant: a foreign claw is admitted with a key that the owner gives, its stored key, or the only key that it has
// signed with. It is admitted without a key only if `verify` is `off`.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { foldName } from '../../../core/text/fold.ts'
import { configFields, configId, configKind, quorumRule, configOf } from '../pool-config.ts'
import { ClawRateLimiter } from '../rule/claw-rate-limiter.ts'
import { readIncoming, takeEnvelope } from '../take/take-envelope.ts'
import { poolContextOf, takeInResult, id } from './shape.ts'
import type { WriteContext } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import { poolLimits } from '../../../shape/envelope.ts'
import { type ClawBody, poolFactBody, sourcesOfVersion } from '../pool-kind.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { defined } from '../../../core/defined.ts'
import { assertNoSecret } from './propose-capability.ts'
import { clawStanding } from '../take/member.ts'
import {
  putRecord,
  readClaw,
  membershipOf,
  type PoolContext,
  isForgottenOrSealed,
} from '../take/pool-context.ts'
import type { RecordWriter } from '../../../core/capability/port/record-port.ts'
import { rebuildRecord, rebuildInput, rebuildOutput } from '../../../shape/rebuild.ts'
import { limit } from '../../../shape/page.ts'
import { fromDidKey } from '../../../shape/did.ts'

const { timeout, tagsAllowed, tagsDenied, floodPerSecond } = configFields
const configChanges = {
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

/** The rates of `pool:take_in`, by pool port: an engine has one. The envelopes of carriers have their own rates. */
const rateLimiters = new WeakMap<object, ClawRateLimiter>()
const rateLimiterOf = (poolPort: object) => {
  const rateLimiter = rateLimiters.get(poolPort) ?? new ClawRateLimiter()
  rateLimiters.set(poolPort, rateLimiter)
  return rateLimiter
}

const didKey = z
  .string()
  .max(200)
  .regex(/^did:key:z[1-9A-HJ-NP-Za-km-z]+$/, 'is not a did:key; pool.claws() shows the keys of applicants')
  .refine((text) => fromDidKey(text) !== undefined, 'is not a did:key of Ed25519')

const admissionResult = z.object({
  claw: z.string(),
  state: z.enum(['admitted', 'let_go']),
  keys: z.array(z.string()),
})

/** The pool context and the folded id of a foreign claw. Throws `invalid-input` for a claw of this book. */
function foreignClaw(
  at: WriteContext<'records' | 'pool'>,
  requestedClaw: string,
): { context: PoolContext; claw: string } {
  const context = poolContextOf(at)
  const claw = foldName(requestedClaw)
  if (clawStanding(membershipOf(context), claw) !== 'own') return { context, claw }
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
  pool.removeApplicant(claw)
  return { claw, state: change.admission?.state ?? 'admitted', keys: [...(body.keys ?? [])] }
}

/** The new keys of a claw; its other keys are revoked. A revoked key that the owner gives again is valid again. */
function replaceKeys(
  stored: ClawBody | undefined,
  keys: readonly string[],
): Pick<ClawBody, 'keys' | 'revoked'> {
  const formerKeys = [...(stored?.revoked ?? []), ...(stored?.keys ?? [])].filter(
    (one) => !keys.includes(one),
  )
  const revoked = [...new Set(formerKeys)].slice(-poolLimits.revoked)
  return { keys: [...keys], ...(revoked.length > 0 || stored?.revoked ? { revoked } : {}) }
}

/**
 * The only key that an applicant has signed with, revoked keys excluded; undefined without one. Throws `conflict` for
 * several keys.
 */
function onlyApplicantKey(
  context: PoolContext,
  claw: string,
  revoked: readonly string[] = [],
): string | undefined {
  const applicants = context.pool.applicants().filter((one) => one.claw === claw)
  const offered = applicants.flatMap((one) => one.key ?? [])
  const keys = [...new Set(offered)].filter((key) => !revoked.includes(key))
  if (keys.length < 2) return keys[0]
  throw new DaybookError(
    'conflict',
    `${keys.length} keys claim to be \`${claw}\`, and at most one is right. Ask the owner of the claw for its key, and give \`key\`.`,
    { details: { path: 'key', reason: 'several_keys' } },
  )
}

const rebuildableKinds = new Set(['pool_proposal', 'pool_ballot', 'pool_decision', 'pool_fact'])

/**
 * A fact without the versions whose source is gone. Undefined: forget the record, because its newest version is
 * gone, or because it is another kind or not a valid fact.
 */
function withoutGoneSources(records: RecordWriter, kind: string, body: object): JsonObject | undefined {
  const fact = kind === 'pool_fact' ? poolFactBody.safeParse(body).data : undefined
  if (!fact) return undefined
  const remaining = Object.entries(fact.versions).filter(
    ([, one]) => !sourcesOfVersion(one).some((source) => isForgottenOrSealed(records, source)),
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
      key: didKey.optional(),
    }),
    output: admissionResult,
    effect: 'write',
    uses: ['records', 'pool'],
    run({ claw: requestedClaw, key: requestedKey }, at) {
      const { context, claw } = foreignClaw(at, requestedClaw)
      const stored = readClaw(context, claw)
      const admittedKey =
        requestedKey ?? stored?.keys?.[0] ?? onlyApplicantKey(context, claw, stored?.revoked)
      if (admittedKey === undefined && context.config.verify !== 'off')
        throw new DaybookError(
          'invalid-input',
          `No signed envelope of \`${claw}\` has arrived yet. Give its \`key\`: pool.claws() shows it in the claw's own book.`,
          { details: { path: 'key' } },
        )
      const mustReplaceKeys = admittedKey !== undefined && stored?.keys?.includes(admittedKey) !== true
      const keys = mustReplaceKeys ? replaceKeys(stored, [admittedKey]) : {}
      // Use the name that the claw applied with under this key, until the claw announces a name.
      const applicantName = context.pool
        .applicants()
        .find((one) => one.claw === claw && one.key === admittedKey)?.name
      const nameChange =
        stored?.displayName === undefined && applicantName !== undefined ? { displayName: applicantName } : {}
      return writeAdmission(context, claw, {
        ...nameChange,
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
    output: admissionResult,
    effect: 'write',
    uses: ['records', 'pool'],
    run({ claw: requestedClaw }, at) {
      const { context, claw } = foreignClaw(at, requestedClaw)
      return writeAdmission(context, claw, { admission: { state: 'let_go', at: at.call.now } })
    },
  }),
  defineCapability({
    id: 'pool:re_key',
    runs: 'device',
    methods: ['pool.reKey'],
    summary: 'Gives an admitted claw a new key. Its old keys are refused until the owner gives one again.',
    input: z.strictObject({ claw: id, key: didKey }),
    output: admissionResult,
    effect: 'write',
    uses: ['records', 'pool'],
    run({ claw: requestedClaw, key: newKey }, at) {
      const { context, claw } = foreignClaw(at, requestedClaw)
      const stored = readClaw(context, claw)
      // A new key must not admit a claw where only admitted claws count.
      if (!stored || clawStanding(membershipOf(context), claw) === 'unknown')
        throw new DaybookError('not-found', `\`${claw}\` is not admitted. Admit it with its key first.`, {
          details: { path: 'claw' },
        })
      const state = stored.admission?.state ?? 'admitted'
      return writeAdmission(context, claw, {
        ...replaceKeys(stored, [newKey]),
        admission: { state, at: at.call.now },
      })
    },
  }),
  defineCapability({
    id: 'pool:configure',
    methods: ['pool.configure'],
    summary:
      'Sets how this book takes part in a pool of agents. Absent options stay as they are; null resets one.',
    input: z.strictObject(configChanges).prefault({}),
    output: z.object({ config: z.looseObject(configFields) }),
    effect: 'write',
    uses: ['records'],
    run(input, at) {
      const { group, claw, displayName, model } = input
      const sent = defined({ group, claw, displayName, model })
      // null resets an option.
      assertNoSecret(at, Object.fromEntries(Object.entries(sent).map(([name, text]) => [name, text ?? ''])))
      const before = at.records.get(configId)
      const changed = Object.entries(input).filter(([, value]) => value !== undefined)
      const config = { ...configOf(before), ...Object.fromEntries(changed) } as Record<string, unknown>
      for (const [name, value] of changed) if (value === null) delete config[name]
      // `exact` replaces the body, so that removed settings disappear.
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
    output: takeInResult,
    effect: 'task',
    uses: ['records', 'pool'],
    async run({ envelope }, at) {
      const text = typeof envelope === 'string' ? envelope : JSON.stringify(envelope)
      const incoming = await readIncoming(text, (signer, content, signature) =>
        at.pool.verify(signer, content, signature),
      )
      const rateLimiter = rateLimiterOf(at.pool)
      return at.records.write((write) => takeEnvelope(poolContextOf(write), incoming, rateLimiter))
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
        result: z
          .union([takeInResult.shape.result, z.array(takeInResult.shape.result).min(1).max(6)])
          .optional(),
        limit: limit(),
        /** The `cursor` of the previous page. */
        cursor: z
          .string()
          .regex(/^\d{1,15}$/, 'is not a cursor of this verb')
          .optional(),
      })
      .prefault({}),
    output: z.object({
      /**
       * `instance`: the sender's run. `key`: its idempotency key. `trace`: connects the envelopes about one proposal.
       */
      entries: z.array(
        z.object({
          n: z.number(),
          at: z.string(),
          type: z.string(),
          claw: z.string(),
          instance: z.string(),
          key: z.string(),
          trace: z.string(),
          result: takeInResult.shape.result,
          reason: z.string(),
          /** The carrier that delivered the envelope. Absent: it is of this book. */
          from: z.string().optional(),
          /** Number of successive equal entries. */
          count: z.number(),
        }),
      ),
      cursor: z.string().optional(),
    }),
    effect: 'read',
    uses: ['pool'],
    run({ cursor, limit: pageSize, result, ...query }, at) {
      const before = cursor === undefined ? undefined : Number(cursor)
      const entries = at.pool.audit({
        ...query,
        ...(query.claw === undefined ? {} : { claw: foldName(query.claw) }),
        results: result === undefined ? undefined : [result].flat(),
        before,
        limit: pageSize,
      })
      const last = entries.at(-1)
      return { entries, ...(entries.length === pageSize && last ? { cursor: String(last.n) } : {}) }
    },
  }),
  defineCapability({
    id: 'pool:rebuild',
    forAgents: true,
    methods: ['pool.rebuild'],
    summary:
      'Removes versions of a fact whose source is forgotten or sealed, or forgets the record. Runs by itself.',
    input: rebuildInput,
    output: rebuildOutput,
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    run: ({ id }, at) => rebuildRecord(at, { id, kinds: rebuildableKinds, bodyLeft: withoutGoneSources }),
  }),
] as const
