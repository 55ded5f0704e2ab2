// Announces presence and capabilities: of the book's agent, and of its other agents that have acted since the
// engine started.
import { defined } from '../../../core/defined.ts'
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

export function announcePresence(context: PoolContext, status: 'active' | 'stopping'): void {
  const { config, now } = context
  const updatedAt = formatTime(now)
  for (const claw of clawsToAnnounce(context)) {
    recordPresence(context, claw, status)
    const key = `knowledge:presence:${claw}:${context.pool.self.instance}:${Math.floor(now / 1000)}`
    sendEnvelope(context, {
      ...envelopeHead(context, { claw, key }),
      type: 'presence',
      payload: { group: config.group, status, displayName: readClaw(context, claw)?.displayName, updatedAt },
    })
  }
}

/** Notes the presence of an agent of this book. */
export function recordPresence(
  { pool, now }: PoolContext,
  claw: string,
  status: 'active' | 'stopping' = 'active',
): void {
  pool.own(claw)
  pool.present({ claw, instance: pool.self.instance, at: now, status, own: true })
}

/** Announces the claw `only`, or by default all claws of this engine. A claw without a record is skipped. */
export function announceCapabilities(context: PoolContext, only?: string): void {
  const { config, pool, now } = context
  for (const claw of only === undefined ? clawsToAnnounce(context) : [only]) {
    const stored = readClaw(context, claw)
    if (!stored) continue
    const key = `knowledge:capabilities:${claw}:${pool.self.instance}:${Math.floor(now / 1000)}`
    const { displayName, model, capabilities } = stored
    const keys = readClaw(context, context.ownClaw)?.keys
    const payload = { group: config.group, displayName, model, capabilities, updatedAt: formatTime(now) }
    sendEnvelope(context, {
      ...envelopeHead(context, { claw, key }),
      type: 'capabilities',
      payload: keys ? { ...payload, keys } : payload,
    })
  }
}

/** Writes the record of this book's claw with this device's key, unless the record has the group and the key. */
export function updateOwnClawRecord(context: PoolContext, key: string | undefined): void {
  const { ownClaw, config, now, pool } = context
  const stored = readClaw(context, ownClaw)
  const isUpToDate = stored?.group === config.group && (key === undefined || stored.keys?.includes(key))
  if (isUpToDate) return
  const at = formatTime(now)
  const name = config.displayName ?? displayNameOf(context, pool.self.agent)
  const body: ClawBody = stored ?? {
    claw: ownClaw,
    by: pool.self.agent,
    group: config.group,
    ...defined({ displayName: name, model: config.model }),
    capabilities: [],
    firstSeenAt: at,
    announcedAt: at,
  }
  const keys = key === undefined ? stored?.keys : [...new Set([...(stored?.keys ?? []), key])]
  putRecord(context, 'pool_claw', recordIds.claw(ownClaw), {
    ...body,
    group: config.group,
    ...(keys ? { keys } : {}),
  })
  pool.own(ownClaw)
}
