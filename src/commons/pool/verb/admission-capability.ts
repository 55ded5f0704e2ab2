// The verbs by which the owner says whose word counts: admit a claw by its key, let one go, give one another key.
// Invariant: a claw of somebody else is admitted under a key that the owner has named, or that it alone has signed with.
import { z } from 'zod'
import type { WriteContext } from '../../../core/capability/context.ts'
import { defineCapability } from '../../../core/capability/capability.ts'
import { DaybookError } from '../../../core/errors.ts'
import { foldName } from '../../../core/text/fold-name.ts'
import { poolLimits } from '../../../shape/envelope.ts'
import { type ClawBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'
import { standingOf } from '../take/member.ts'
import { put, readClaw, rollOf, type Scene } from '../take/scene.ts'
import { id, sceneOf } from './shape.ts'

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
