// Announces the presence and the capabilities of claws: of the book's agent, and of its other agents that have acted
// since the engine started.
import { defined } from '../../../core/defined.ts'
import type { PoolWritePort } from '../../../core/pool.ts'
import { nameHash } from '../../../core/text/text-key.ts'
import { formatTime } from '../../../core/time.ts'
import {
  type PoolContext,
  envelopeHead,
  displayNameOf,
  putRecord,
  readClaw,
  sendEnvelope,
} from '../take/pool-context.ts'
import { type ClawBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/text/name-id.ts'

/** The claws that this engine announces: the book's agent, and agents of the book with presence here. */
function clawsToAnnounce({ pool, ownClaw }: PoolContext): string[] {
  const here = pool.presence().filter((one) => one.own && one.instance === pool.self.instance)
  return [...new Set([ownClaw, ...here.map(({ claw }) => claw)])]
}

/** The idempotency key of an announcement: one for each second and payload. */
export function announcementKey(
  { pool, now }: { readonly pool: Pick<PoolWritePort, 'self'>; readonly now: number },
  type: 'presence' | 'capabilities',
  claw: string,
  payload: object,
): string {
  const second = Math.floor(now / 1000)
  return `knowledge:${type}:${claw}:${pool.self.instance}:${second}:${nameHash(JSON.stringify(payload))}`
}

/** Sends the presence of each claw that this engine announces. */
export function announcePresence(context: PoolContext): void {
  const { config, now } = context
  const updatedAt = formatTime(now)
  for (const claw of clawsToAnnounce(context)) {
    recordPresence(context, claw)
    const displayName = readClaw(context, claw)?.displayName
    const payload = { group: config.group, status: 'active' as const, displayName, updatedAt }
    const key = announcementKey(context, 'presence', claw, payload)
    sendEnvelope(context, { ...envelopeHead(context, { claw, key }), type: 'presence', payload })
  }
}

/** Notes the presence of an agent of this book. */
export function recordPresence({ pool, now }: PoolContext, claw: string): void {
  pool.own(claw)
  pool.present({ claw, instance: pool.self.instance, at: now, status: 'active', own: true })
}

/** Announces the claw `only`, or by default all claws of this engine. A claw without a record is skipped. */
export function announceCapabilities(context: PoolContext, only?: string): void {
  const { config, now } = context
  for (const claw of only === undefined ? clawsToAnnounce(context) : [only]) {
    const stored = readClaw(context, claw)
    if (!stored) continue
    const { displayName, model, capabilities } = stored
    // The device signs for all agents of the book, so they have the keys of the book's agent.
    const keys = readClaw(context, context.ownClaw)?.keys
    const updatedAt = formatTime(now)
    const payload = { group: config.group, displayName, model, capabilities, updatedAt, ...defined({ keys }) }
    const key = announcementKey(context, 'capabilities', claw, payload)
    sendEnvelope(context, { ...envelopeHead(context, { claw, key }), type: 'capabilities', payload })
  }
}

/**
 * Writes the record of this book's claw with this device's key, unless the record is up to date. A name and a model
 * in the config replace those of the record.
 */
export function updateOwnClawRecord(context: PoolContext, key: string | undefined): void {
  const { ownClaw, config, now, pool } = context
  const stored = readClaw(context, ownClaw)
  const displayName = config.displayName ?? stored?.displayName
  const model = config.model ?? stored?.model
  const isUpToDate =
    stored?.group === config.group &&
    stored.displayName === displayName &&
    stored.model === model &&
    (key === undefined || stored.keys?.includes(key))
  if (isUpToDate) return
  const at = formatTime(now)
  const body: ClawBody = stored ?? {
    claw: ownClaw,
    by: pool.self.agent,
    group: config.group,
    ...defined({ displayName: displayNameOf(context, pool.self.agent) }),
    capabilities: [],
    firstSeenAt: at,
    announcedAt: at,
  }
  const keys = key === undefined ? stored?.keys : [...new Set([...(stored?.keys ?? []), key])]
  putRecord(context, 'pool_claw', recordIds.claw(ownClaw), {
    ...body,
    group: config.group,
    ...defined({ displayName, model }),
    ...(keys ? { keys } : {}),
  })
  pool.own(ownClaw)
}
