// The verbs of claws: announce capabilities, list the claws, find claws with a capability.
// Invariant: every call reads records with the caller's rights; no answer is cached.
import { z } from 'zod'
import type { CallPort } from '../../../core/capability/context.ts'
import type { PoolPort } from '../../../core/pool.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { defined } from '../../../core/defined.ts'
import { foldName } from '../../../core/text/fold.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { poolLimits } from '../../../shape/envelope.ts'
import { coveringCapabilities } from '../rule/capability-pattern.ts'
import { configFields, configId, type PoolConfig, configOf } from '../pool-config.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { sameClaw } from '../rule/claw-id.ts'
import { activeClaws, type ClawState, activeSpellings, clawState } from '../rule/presence.ts'
import { isMemberIn, isOpenPool, type Membership, clawStanding } from '../take/member.ts'
import { type VotesNeeded, votesNeededByMajority } from '../rule/quorum.ts'
import { recordPresence, announceCapabilities } from '../service/announce.ts'
import { clawOfAgent, displayNameOf, clawOfBookAgent, putRecord, readClaw } from '../take/pool-context.ts'
import { assertNoSecret } from './propose-capability.ts'
import { callingAgent, poolContextOf, boundedText, votingAgent } from './shape.ts'
import { filterLimits } from '../../../core/filter/filter.ts'
import { bodyOf } from '../../../core/record.ts'
import { type ClawBody, clawBody } from '../pool-kind.ts'
import { readVerb, writeVerb } from '../../../shape/record-verbs.ts'

type AnnouncedClaw = Pick<
  ClawBody,
  'claw' | 'displayName' | 'model' | 'capabilities' | 'keys' | 'announcedAt'
>

interface ListedClaw {
  readonly claw: AnnouncedClaw
  readonly state: ClawState
  readonly seenAt?: string
}

interface ClawListContext {
  readonly call: CallPort
  readonly records: Pick<RecordReader, 'query' | 'rules'>
  readonly pool: PoolPort
}

/** Claws that are present but have not announced anything, so they have no record; none for a guest. */
function presentWithoutRecord(
  { call, pool }: ClawListContext,
  announced: readonly AnnouncedClaw[],
  ownClaw: string,
): AnnouncedClaw[] {
  // A guest sees only claws with a record in its reach.
  if (call.caller.role === 'guest') return []
  const names = new Set([ownClaw, ...announced.map(({ claw }) => claw)].map((claw) => foldName(claw)))
  const present = pool.presence().filter(({ claw }) => !names.has(foldName(claw)))
  const byClaw = new Map(present.map((one) => [foldName(one.claw), one]))
  return [...byClaw.values()].map(({ claw, name, at }) => ({
    claw,
    ...defined({ displayName: name }),
    capabilities: [],
    announcedAt: formatTime(at),
  }))
}

/** The claws that the caller may see, with their state. */
function listClaws(at: ClawListContext, config: PoolConfig): ListedClaw[] {
  const now = parseTime(at.call.now) ?? 0
  const ownClaw = clawOfBookAgent(config, at.pool.self)
  const presenceOf = Map.groupBy(at.pool.presence(), ({ claw }) => foldName(claw))
  const announced = readAnnouncedClaws({ records: at.records, group: config.group })
  return [...announced, ...presentWithoutRecord(at, announced, ownClaw)].map((claw) => {
    if (sameClaw(claw.claw, ownClaw)) return { claw, state: 'active', seenAt: formatTime(now) }
    const presence = presenceOf.get(foldName(claw.claw)) ?? []
    const state = clawState(presence, now)
    const lastSeenMs = Math.max(...presence.map(({ at: ms }) => ms))
    return { claw, state, ...(presence.length === 0 ? {} : { seenAt: formatTime(lastSeenMs) }) }
  })
}

function applicantsOf(pool: PoolPort) {
  return pool.applicants().map(({ claw, key, name, at }) => ({
    claw,
    ...defined({ key, displayName: name }),
    seenAt: formatTime(at),
  }))
}

/** The votes that decide now, by this book's quorum rule. */
function votesNeededNow({ quorum }: PoolConfig, active: number): VotesNeeded {
  if (quorum.rule === 'majority') return votesNeededByMajority(active)
  return { yes: quorum.yes, no: quorum.no, least: quorum.minPool }
}

export const clawCapabilities = [
  writeVerb({
    id: 'pool:announce',
    runs: 'device',
    method: 'pool.announce',
    summary: 'Announces the capabilities of the calling agent to the group, in place of earlier ones.',
    input: z.strictObject({
      /** Such as `logs.read:/var/log/app/*`, `db.read:orders,customers`, `incident.runbook:v2`. */
      capabilities: z.array(boundedText(poolLimits.capability)).max(poolLimits.capabilities),
      displayName: boundedText(poolLimits.id).optional(),
      model: boundedText(poolLimits.id).optional(),
    }),
    output: z.object({ claw: z.string(), capabilities: z.array(z.string()) }),
    uses: ['records', 'pool'],
    run({ capabilities, displayName, model }, at) {
      const context = poolContextOf(at)
      const agent = votingAgent(at.call)
      const claw = clawOfAgent(context, agent)
      const stored = readClaw(context, claw)
      const { config, pool } = context
      const isClawOfBookAgent = sameClaw(claw, context.ownClaw)
      // The owner's settings replace those of the agent.
      const settings = isClawOfBookAgent ? config : undefined
      const name =
        settings?.displayName ?? displayName ?? stored?.displayName ?? displayNameOf(context, agent)
      const chosenModel = settings?.model ?? model ?? stored?.model
      const uniqueCapabilities = [...new Set(capabilities)]
      assertNoSecret(at, {
        capabilities: uniqueCapabilities,
        ...defined({ displayName: name, model: chosenModel }),
      })
      putRecord(context, 'pool_claw', recordIds.claw(claw), {
        claw,
        by: agent,
        group: config.group,
        ...defined({ displayName: name, model: chosenModel }),
        capabilities: uniqueCapabilities,
        ...(stored?.keys ? { keys: stored.keys } : {}),
        ...(stored?.revoked ? { revoked: stored.revoked } : {}),
        firstSeenAt: stored?.firstSeenAt ?? at.call.now,
        announcedAt: at.call.now,
      })
      recordPresence(context, claw)
      if (pool.carrierNames.length > 0) announceCapabilities(context, claw)
      return { claw, capabilities: uniqueCapabilities }
    },
  }),
  readVerb({
    id: 'pool:claws',
    runs: 'device',
    method: 'pool.claws',
    summary:
      'The agents of the group that this book knows, with their capabilities and whether they are active.',
    input: z.strictObject({ active: z.boolean().optional() }).prefault({}),
    output: z.object({
      /** The claw of the agent that the book was opened for. */
      own: z.string(),
      /** The caller's claw. */
      you: z.string(),
      claws: z.array(
        z.object({
          claw: z.string(),
          displayName: z.string().optional(),
          model: z.string().optional(),
          capabilities: z.array(z.string()),
          active: z.boolean(),
          /** `stale`: silent for 135 s; `stopping`: it has announced its end. */
          state: z.enum(['active', 'stale', 'stopping']),
          seenAt: z.string().optional(),
          keys: z.array(z.string()),
          announcedAt: z.string(),
          /** `own`: an agent of this book; `open`: every claw counts here; `let_go`, `unknown`: it does not count. */
          standing: z.enum(['own', 'admitted', 'open', 'let_go', 'unknown']),
        }),
      ),
      /** `listed`: admitted claws count here. `anyone`: all claws count. */
      admission: z.enum(['listed', 'anyone']),
      /**
       * Applicants since this copy was opened: claws that are not admitted, or that sign with another key. For the
       * owner only.
       */
      asking: z
        .array(
          z.object({
            claw: z.string(),
            key: z.string().optional(),
            displayName: z.string().optional(),
            seenAt: z.string(),
          }),
        )
        .optional(),
      /** Number of active claws, including this book's own. */
      active: z.number(),
      /**
       * The votes of each kind that decide now. `least`: the fewest claws for that, active (by majority) or all (by
       * fixed numbers).
       */
      quorum: z.object({ yes: z.number(), no: z.number(), least: z.number() }),
      /** The carriers of this copy of the book. */
      carriers: z.array(z.string()),
      /** Number of unsent envelopes, by carrier. */
      unsent: z.record(z.string(), z.number()),
      /** The settings, see `pool.configure`. For the owner only. */
      config: z.looseObject(configFields).optional(),
    }),
    uses: ['records', 'pool'],
    run({ active: activeFilter }, at) {
      const now = parseTime(at.call.now) ?? 0
      const config = configOf(at.records.rules.get(configId))
      const own = clawOfBookAgent(config, at.pool.self)
      const membership: Membership = { config, ownClaw: own, pool: at.pool, rules: at.records.rules }
      const claws = listClaws(at, config)
        .filter(({ state }) => activeFilter === undefined || (state === 'active') === activeFilter)
        .map(({ claw, state, seenAt }) => ({
          claw: claw.claw,
          ...defined({ displayName: claw.displayName, model: claw.model }),
          capabilities: claw.capabilities,
          active: state === 'active',
          state,
          ...defined({ seenAt }),
          keys: claw.keys ?? [],
          announcedAt: claw.announcedAt,
          standing: clawStanding(membership, claw.claw),
        }))
      const activeOthers = activeClaws(at.pool.presence(), now).filter(
        (claw) => !sameClaw(claw, own) && isMemberIn(membership, claw),
      )
      const active = activeOthers.length + 1
      const you = clawOfAgent({ config, pool: at.pool }, callingAgent(at.call))
      const carriers = [...at.pool.carrierNames]
      const unsent = Object.fromEntries(carriers.map((name) => [name, at.pool.unsent(name)]))
      return {
        own,
        you,
        claws,
        admission: isOpenPool(membership) ? ('anyone' as const) : ('listed' as const),
        active,
        quorum: votesNeededNow(config, active),
        carriers,
        unsent,
        ...(at.call.caller.role === 'owner' ? { config: config as never } : {}),
        ...(at.call.caller.role === 'owner' ? { asking: applicantsOf(at.pool) } : {}),
      }
    },
  }),
  readVerb({
    id: 'pool:who_can',
    runs: 'device',
    method: 'pool.whoCan',
    summary: 'The active agents with a capability: `logs.read:/var/log/app/*`, `db.read:orders,customers`.',
    input: z.strictObject({ capability: boundedText(poolLimits.capability) }),
    output: z.object({
      claws: z.array(
        z.object({
          clawId: z.string(),
          displayName: z.string().optional(),
          /** The capabilities that match the request. */
          matched: z.array(z.string()),
          updatedAt: z.string(),
        }),
      ),
    }),
    uses: ['records', 'pool'],
    run({ capability }, at) {
      const { records, pool, call } = at
      const config = configOf(records.rules.get(configId))
      const own = clawOfBookAgent(config, pool.self)
      const membership: Membership = { config, ownClaw: own, pool, rules: records.rules }
      // Each name as its claw writes it: a filter compares names exactly.
      const activeNames = activeSpellings(pool.presence(), parseTime(call.now) ?? 0)
      const members = [...activeNames.filter((claw) => isMemberIn(membership, claw)), own]
      const announced = readNamedClaws({ records, group: config.group }, members)
      const claws = announced.flatMap(({ claw, displayName, capabilities, announcedAt }) => {
        const matched = coveringCapabilities(capabilities, capability)
        if (!matched) return []
        const name = defined({ displayName })
        return [{ clawId: claw, ...name, matched, updatedAt: announcedAt }]
      })
      return { claws }
    },
  }),
] as const

/** The records that the caller may see, and the group of the claws. */
interface Directory {
  readonly records: Pick<RecordReader, 'query'>
  readonly group: string
}

const pageSize = 1000

/** Announced claws, in order of id. */
function readAnnouncedClaws({ records, group }: Directory, filters?: object): AnnouncedClaw[] {
  const found: AnnouncedClaw[] = []
  let cursor: string | undefined
  do {
    const page = records.query({ kind: 'pool_claw', filters, orderBy: 'claw', limit: pageSize, cursor })
    for (const record of page.records) {
      const { data } = clawBody.safeParse(bodyOf(record))
      if (data?.group === group) found.push(data)
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  return found
}

/**
 * The records of the named claws, in order of id. Reads no other records, because most claws of a book are gone.
 */
function readNamedClaws(directory: Directory, claws: readonly string[]): AnnouncedClaw[] {
  const names = [...new Set(claws)].sort()
  const batches = Array.from({ length: Math.ceil(names.length / filterLimits.inValues) }, (_, i) =>
    names.slice(i * filterLimits.inValues, (i + 1) * filterLimits.inValues),
  )
  return batches.flatMap((part) => readAnnouncedClaws(directory, { claw: { in: part } }))
}
