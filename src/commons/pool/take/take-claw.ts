// Takes in the presence and the capabilities of a claw.
// Invariant: an envelope signed with one of the claw's keys may announce more keys, because each device of an owner
// has its own key; no announcement brings back a revoked key.
import { type JsonObject, sameJson } from '../../../core/json/path.ts'
import { parseTime } from '../../../core/time.ts'
import type { ClawBody } from '../pool-kind.ts'
import { poolLimits } from '../../../shape/envelope.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { putRecord, readClaw, believableTime, type PoolContext } from './pool-context.ts'
import { acceptedVerdict, type EnvelopeOf, type Verdict } from './verdict.ts'
import { believableMs } from '../rule/presence.ts'

/** Unchanged capabilities are written again at most this often. */
const minRewriteIntervalMs = 3_600_000

export function takePresence(
  context: PoolContext,
  { clawId, instanceId, timestamp, payload }: EnvelopeOf<'presence'>,
): Verdict {
  const { pool, now } = context
  const { status, displayName: name, updatedAt = timestamp } = payload
  const at = believableMs(parseTime(updatedAt) ?? now, now)
  const entry = { claw: clawId, instance: instanceId, at, status, own: false, ...(name ? { name } : {}) }
  if (!pool.present(entry)) return { result: 'stale', reason: 'older_than_known' }
  return acceptedVerdict(status)
}

export function takeCapabilities(context: PoolContext, envelope: EnvelopeOf<'capabilities'>): Verdict {
  const { clawId: claw, timestamp, payload } = envelope
  const { displayName, model, capabilities, keys: announcedKeys, updatedAt = timestamp } = payload
  const at = believableTime(context, updatedAt)
  const stored = readClaw(context, claw)
  const signer = envelope.signature?.key
  // An envelope that is signed with a stored key announces the claw's other keys.
  const announcesKeys = announcedKeys !== undefined && signer !== undefined && stored?.keys?.includes(signer)
  const revoked = new Set(stored?.revoked)
  const allKeys = announcesKeys ? [...new Set([signer, ...announcedKeys])] : []
  const keys = announcesKeys
    ? allKeys.filter((key) => !revoked.has(key)).slice(0, poolLimits.keys)
    : stored?.keys
  // A claw that was only seen, or admitted, has a record without capabilities.
  const hasAnnounced =
    stored !== undefined && (stored.announcedAt !== stored.firstSeenAt || stored.capabilities.length > 0)
  if (hasAnnounced && stored.announcedAt > at) return { result: 'stale', reason: 'older_than_known' }
  const body: ClawBody = {
    claw,
    by: stored?.by ?? claw,
    group: context.config.group,
    ...(displayName ? { displayName } : {}),
    ...(model ? { model } : {}),
    capabilities,
    ...(keys ? { keys } : {}),
    ...(stored?.revoked ? { revoked: stored.revoked } : {}),
    ...(stored?.admission ? { admission: stored.admission } : {}),
    firstSeenAt: stored?.firstSeenAt ?? at,
    announcedAt: at,
  }
  const withoutTimes = (fields: ClawBody) => ({ ...fields, announcedAt: '', firstSeenAt: '' }) as JsonObject
  const isUnchanged = stored !== undefined && sameJson(withoutTimes(stored), withoutTimes(body))
  if (isUnchanged && (parseTime(at) ?? 0) - (parseTime(stored.announcedAt) ?? 0) < minRewriteIntervalMs)
    return acceptedVerdict('unchanged')
  putRecord(context, 'pool_claw', recordIds.claw(claw), body)
  return acceptedVerdict('capabilities')
}
