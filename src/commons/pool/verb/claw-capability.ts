// The verbs of who is there: tell what an agent can do, list the claws, ask who can do something.
import { z } from 'zod'
import type { CallPort } from '../../../core/capability/context.ts'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { PoolPort } from '../../../core/pool/pool-port.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { foldName } from '../../../core/text/fold-name.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { poolLimits } from '../../../shape/envelope.ts'
import { whoCan } from '../rule/capability-pattern.ts'
import { configFields, configId, type PoolConfig, readConfig } from '../pool-config.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'
import { sameClaw } from '../rule/claw-id.ts'
import { activeClaws, type ClawState, clawsHere, clawState } from '../rule/presence.ts'
import { isMember, isOpenPool, type Roll, standingOf } from '../take/member.ts'
import { type Needed, neededByMajority } from '../rule/quorum.ts'
import { present, sayCapabilities } from '../service/announce.ts'
import { clawFor, nameAsWritten, ownClaw, put, readClaw } from '../take/pool-context.ts'
import { checkLeaving } from './propose-capability.ts'
import { agentOf, sceneOf, text, voiceOf } from './shape.ts'
import { filterLimits } from '../../../core/filter/filter.ts'
import { bodyOf } from '../../../core/record.ts'
import { type ClawBody, clawBody } from '../pool-kind.ts'

interface Known {
  readonly claw: Said
  readonly state: ClawState
  readonly seenAt?: string
}

interface ClawParts {
  readonly call: CallPort
  readonly records: Pick<RecordReader, 'query' | 'rules'>
  readonly pool: PoolPort
}

/** Those that only their presence tells of: whoever votes without a word about itself counts as well. */
function silent({ call, pool }: ClawParts, known: readonly Said[], own: string): Said[] {
  // A guest sees the records that are in its reach, and nobody beside them.
  if (call.caller.role === 'guest') return []
  const names = new Set([own, ...known.map(({ claw }) => claw)].map((claw) => foldName(claw)))
  const others = pool.presence().filter(({ claw }) => !names.has(foldName(claw)))
  const byClaw = new Map(others.map((one) => [foldName(one.claw), one]))
  return [...byClaw.values()].map(({ claw, name, at }) => ({
    claw,
    ...(name === undefined ? {} : { display_name: name }),
    capabilities: [],
    announced_at: formatTime(at),
  }))
}

/** The claws that the caller sees, with whether they are there. */
function knownClaws(at: ClawParts, config: PoolConfig): Known[] {
  const now = parseTime(at.call.now) ?? 0
  const own = ownClaw(config, at.pool.self)
  const heard = Map.groupBy(at.pool.presence(), ({ claw }) => foldName(claw))
  const said = announcedIn({ records: at.records, group: config.group })
  return [...said, ...silent(at, said, own)].map((claw) => {
    if (sameClaw(claw.claw, own)) return { claw, state: 'active', seenAt: formatTime(now) }
    const presence = heard.get(foldName(claw.claw)) ?? []
    const state = clawState(presence, now)
    const last = Math.max(...presence.map(({ at: ms }) => ms))
    return { claw, state, ...(presence.length === 0 ? {} : { seenAt: formatTime(last) }) }
  })
}

function askingOf(pool: PoolPort) {
  return pool.applicants().map(({ claw, key, name, at }) => ({
    claw,
    ...(key === undefined ? {} : { key }),
    ...(name === undefined ? {} : { display_name: name }),
    seen_at: formatTime(at),
  }))
}

/** How many votes decide, as this book counts them. */
function neededNow({ quorum }: PoolConfig, active: number): Needed {
  if (quorum.rule === 'majority') return neededByMajority(active)
  return { yes: quorum.yes, no: quorum.no, least: quorum.min_pool }
}

export const clawCapabilities = [
  defineCapability({
    id: 'pool:announce',
    permission: 'write',
    runs: 'device',
    methods: ['pool.announce'],
    summary: 'Tells the group what the agent that calls can do, in place of what it said before.',
    input: z.strictObject({
      /** `logs.read:/var/log/app/*`, `db.read:orders,customers`, `incident.runbook:v2`. */
      capabilities: z.array(text(poolLimits.capability)).max(poolLimits.capabilities),
      display_name: text(poolLimits.id).optional(),
      model: text(poolLimits.id).optional(),
    }),
    output: z.object({ claw: z.string(), capabilities: z.array(z.string()) }),
    effect: 'write',
    uses: ['records', 'pool'],
    run({ capabilities, display_name, model }, at) {
      const scene = sceneOf(at)
      const agent = voiceOf(at.call)
      const claw = clawFor(scene, agent)
      const known = readClaw(scene, claw)
      const { config, pool } = scene
      const isMain = sameClaw(claw, scene.own)
      const said = display_name ?? known?.display_name ?? (isMain ? config.display_name : undefined)
      const name = said ?? nameAsWritten(scene, agent)
      const runs = model ?? known?.model ?? (isMain ? config.model : undefined)
      const can = [...new Set(capabilities)]
      checkLeaving(at, { capabilities: can, ...(name === undefined ? {} : { display_name: name }) })
      put(scene, 'pool_claw', recordIds.claw(claw), {
        claw,
        by: agent,
        group: config.group,
        ...(name === undefined ? {} : { display_name: name }),
        ...(runs === undefined ? {} : { model: runs }),
        capabilities: can,
        ...(known?.keys ? { keys: known.keys } : {}),
        ...(known?.revoked ? { revoked: known.revoked } : {}),
        first_seen_at: known?.first_seen_at ?? at.call.now,
        announced_at: at.call.now,
      })
      present(scene, claw)
      if (pool.carriers.length > 0) sayCapabilities(scene, claw)
      return { claw, capabilities: can }
    },
  }),
  defineCapability({
    id: 'pool:claws',
    permission: 'read',
    runs: 'device',
    methods: ['pool.claws'],
    summary: 'The agents of the group that are known here: what they can do, and whether they are there.',
    input: z.strictObject({ active: z.boolean().optional() }).prefault({}),
    output: z.object({
      /** The claw of the agent that the book was opened for, and the one in whose name the caller speaks. */
      own: z.string(),
      you: z.string(),
      claws: z.array(
        z.object({
          claw: z.string(),
          display_name: z.string().optional(),
          model: z.string().optional(),
          capabilities: z.array(z.string()),
          active: z.boolean(),
          /** `stale`: not heard of for 135 s; `stopping`: it has said that it goes. */
          state: z.enum(['active', 'stale', 'stopping']),
          seen_at: z.string().optional(),
          keys: z.array(z.string()),
          announced_at: z.string(),
          /** `own`: of this book; `open`: anybody counts here; `let_go`, `unknown`: its word does not count. */
          standing: z.enum(['own', 'admitted', 'open', 'let_go', 'unknown']),
        }),
      ),
      /** Whose word counts here: of those that are admitted, or anybody's. */
      admission: z.enum(['listed', 'anyone']),
      /** Who asks in, and is not admitted or signs with another key, since this copy was opened; told to its owner alone. */
      asking: z
        .array(
          z.object({
            claw: z.string(),
            key: z.string().optional(),
            display_name: z.string().optional(),
            seen_at: z.string(),
          }),
        )
        .optional(),
      /** How many are there, this book's own included. */
      active: z.number(),
      /**
       * How many votes of a kind decide now, and for that how many claws must be there (by majority) or known (by fixed
       * numbers).
       */
      quorum: z.object({ yes: z.number(), no: z.number(), least: z.number() }),
      /** The ways to other claws that this copy of the book was opened with. */
      carriers: z.array(z.string()),
      /** How many envelopes wait to be sent over each of them. */
      unsent: z.record(z.string(), z.number()),
      /** How this book takes part, see `pool.configure`; told to its owner alone. */
      config: z.looseObject(configFields).optional(),
    }),
    effect: 'read',
    uses: ['records', 'pool'],
    run({ active: wanted }, at) {
      const now = parseTime(at.call.now) ?? 0
      const config = readConfig(at.records.rules.get(configId))
      const own = ownClaw(config, at.pool.self)
      const roll: Roll = { config, own, pool: at.pool, rules: at.records.rules }
      const claws = knownClaws(at, config)
        .filter(({ state }) => wanted === undefined || (state === 'active') === wanted)
        .map(({ claw, state, seenAt }) => ({
          claw: claw.claw,
          ...(claw.display_name === undefined ? {} : { display_name: claw.display_name }),
          ...(claw.model === undefined ? {} : { model: claw.model }),
          capabilities: claw.capabilities,
          active: state === 'active',
          state,
          ...(seenAt === undefined ? {} : { seen_at: seenAt }),
          keys: claw.keys ?? [],
          announced_at: claw.announced_at,
          standing: standingOf(roll, claw.claw),
        }))
      const there = activeClaws(at.pool.presence(), now).filter(
        (claw) => !sameClaw(claw, own) && isMember(roll, claw),
      )
      const active = there.length + 1
      const you = clawFor({ config, pool: at.pool }, agentOf(at.call))
      const carriers = [...at.pool.carriers]
      const unsent = Object.fromEntries(carriers.map((name) => [name, at.pool.unsent(name)]))
      return {
        own,
        you,
        claws,
        admission: isOpenPool(roll) ? ('anyone' as const) : ('listed' as const),
        active,
        quorum: neededNow(config, active),
        carriers,
        unsent,
        ...(at.call.caller.role === 'owner' ? { config: config as never } : {}),
        ...(at.call.caller.role === 'owner' ? { asking: askingOf(at.pool) } : {}),
      }
    },
  }),
  defineCapability({
    id: 'pool:who_can',
    permission: 'read',
    runs: 'device',
    methods: ['pool.whoCan'],
    summary:
      'The agents that are there and can do what is asked: `logs.read:/var/log/app/*`, `db.read:orders,customers`.',
    input: z.strictObject({ capability: text(poolLimits.capability) }),
    output: z.object({
      claws: z.array(
        z.object({
          clawId: z.string(),
          displayName: z.string().optional(),
          /** Those of its capabilities by which it can. */
          matched: z.array(z.string()),
          updatedAt: z.string(),
        }),
      ),
    }),
    effect: 'read',
    uses: ['records', 'pool'],
    run({ capability }, at) {
      const { records, pool, call } = at
      const config = readConfig(records.rules.get(configId))
      const own = ownClaw(config, pool.self)
      const roll: Roll = { config, own, pool, rules: records.rules }
      const here = clawsHere(pool.presence(), parseTime(call.now) ?? 0)
      const there = [...here.filter((claw) => isMember(roll, claw)), own]
      const known = announcedBy({ records, group: config.group }, there)
      const claws = known.flatMap(({ claw, display_name, capabilities, announced_at }) => {
        const matched = whoCan(capabilities, capability)
        if (!matched) return []
        const name = display_name === undefined ? {} : { displayName: display_name }
        return [{ clawId: claw, ...name, matched, updatedAt: announced_at }]
      })
      return { claws }
    },
  }),
] as const

// The claws that have told the group what they can do.
// Invariant: who may read a record is asked at every call; nothing of an answer is kept for the next one.
export type Said = Pick<
  ClawBody,
  'claw' | 'display_name' | 'model' | 'capabilities' | 'keys' | 'announced_at'
>

/** The records as the caller sees them, and the group whose claws are meant. */
interface Directory {
  readonly records: Pick<RecordReader, 'query'>
  readonly group: string
}

const pageLimit = 1000

function read({ records, group }: Directory, filters?: object): Said[] {
  const found: Said[] = []
  let cursor: string | undefined
  do {
    const page = records.query({ kind: 'pool_claw', filters, orderBy: 'claw', limit: pageLimit, cursor })
    for (const record of page.records) {
      const { data } = clawBody.safeParse(bodyOf(record))
      if (data?.group === group) found.push(data)
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  return found
}

/** All of them, in the order of their ids. */
export function announcedIn(directory: Directory): Said[] {
  return read(directory)
}

/** Those of them that are named, in the order of their ids. The records of all others are left alone: most claws ever met have gone. */
export function announcedBy(directory: Directory, claws: readonly string[]): Said[] {
  const names = [...new Set(claws)].sort()
  const parts = Array.from({ length: Math.ceil(names.length / filterLimits.inValues) }, (_, i) =>
    names.slice(i * filterLimits.inValues, (i + 1) * filterLimits.inValues),
  )
  return parts.flatMap((part) => read(directory, { claw: { in: part } }))
}
