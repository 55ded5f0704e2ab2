// Taking in who is there and what it can do.
import { parseTime } from '../../../core/time.ts'
import { poolLimits } from '../../../shape/envelope.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'
import { saidAt } from '../rule/presence.ts'
import { put, readClaw, type Scene, saidTime } from './scene.ts'
import { accepted, type Letter, type Verdict } from './verdict.ts'

/** What a claw can do is written anew no more often than this while it stays the same. */
const rewriteMs = 3_600_000

export function takePresence(
  scene: Scene,
  { clawId, instanceId, timestamp, payload }: Letter<'presence'>,
): Verdict {
  const { pool, now } = scene
  const { status, displayName: name, updatedAt = timestamp } = payload
  const at = saidAt(parseTime(updatedAt) ?? now, now)
  const entry = { claw: clawId, instance: instanceId, at, status, own: false, ...(name ? { name } : {}) }
  if (!pool.present(entry)) return { result: 'stale', reason: 'older_than_known' }
  return accepted(status)
}

export function takeCapabilities(scene: Scene, envelope: Letter<'capabilities'>): Verdict {
  const { clawId: claw, timestamp, payload } = envelope
  const { displayName, model, capabilities, keys: said, updatedAt = timestamp } = payload
  const at = saidTime(scene, updatedAt)
  const known = readClaw(scene, claw)
  const signer = envelope.signature?.key
  // What is signed under a known key says which others there are.
  const isHeard = said !== undefined && signer !== undefined && known?.keys?.includes(signer)
  const lost = new Set(known?.revoked)
  const all = isHeard ? [...new Set([signer, ...said])] : []
  const keys = isHeard ? all.filter((key) => !lost.has(key)).slice(0, poolLimits.keys) : known?.keys
  const isSaid = known !== undefined && known.announced_at !== known.first_seen_at
  if (isSaid && known.announced_at > at) return { result: 'stale', reason: 'older_than_known' }
  const body = {
    claw,
    by: known?.by ?? claw,
    group: scene.config.group,
    ...(displayName ? { display_name: displayName } : {}),
    ...(model ? { model } : {}),
    capabilities,
    ...(keys ? { keys } : {}),
    ...(known?.revoked ? { revoked: known.revoked } : {}),
    ...(known?.admission ? { admission: known.admission } : {}),
    first_seen_at: known?.first_seen_at ?? at,
    announced_at: at,
  }
  const same = (one: object) => JSON.stringify({ ...one, announced_at: '', first_seen_at: '' })
  const isSame = known !== undefined && same({ ...body, ...known }) === same(body)
  if (isSame && (parseTime(at) ?? 0) - (parseTime(known.announced_at) ?? 0) < rewriteMs)
    return accepted('unchanged')
  put(scene, 'pool_claw', recordIds.claw(claw), body)
  return accepted('capabilities')
}
