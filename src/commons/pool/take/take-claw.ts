// Whose envelope it is. Invariant: a claw is known by the key that the owner has admitted, or by which it was first seen to sign
// where anybody counts, and by no other but those of which an envelope under a known key has said that they are its own: each
// device of an owner has its key. A key that the owner has taken from it never comes back.
import type { Taken } from '../../../core/pool/pool-carrier.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { type EnvelopeV1, poolLimits } from '../../../shape/envelope.ts'
import { isOpenPool } from './member.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'
import { isCounted, put, readClaw, saidTime, type Scene } from './pool-context.ts'
import { notAdmitted, accepted, type Letter, type Verdict } from './verdict.ts'
import { saidAt } from '../rule/presence.ts'

/**
 * What becomes of an envelope whose claw does not count here: it goes no further, nothing of it is written, and the owner can
 * see who asks in, and under which key.
 */
export function admissionOf(
  scene: Scene,
  { clawId: claw, signature, payload }: EnvelopeV1,
  isSigned: boolean | undefined,
): Taken | undefined {
  const { config, pool, now } = scene
  const key = isSigned ? signature?.key : undefined
  const isListed = isCounted(scene, claw)
  if (isListed && (key === undefined || isKnownKey(scene, claw, key))) return undefined
  if (!isListed && config.verify === 'require' && !isSigned)
    return { result: 'rejected', reason: signature ? 'bad_signature' : 'signature_required' }
  if (key !== undefined || config.verify !== 'require') {
    const name = 'displayName' in payload ? String(payload.displayName ?? '') : ''
    pool.applied({ claw, at: now, ...(key === undefined ? {} : { key }), ...(name ? { name } : {}) })
  }
  return isListed ? undefined : { result: 'ignored', reason: notAdmitted }
}

/** False for another key than those of a claw that has some. */
function isKnownKey(scene: Scene, claw: string, key: string): boolean {
  const keys = readClaw(scene, claw)?.keys
  return keys === undefined || keys.includes(key)
}

/** Why an envelope is not to be trusted; undefined when it is, and then its key is known from now on. */
export function trustIn(
  scene: Scene,
  envelope: EnvelopeV1,
  isSigned: boolean | undefined,
): string | undefined {
  const { config } = scene
  if (config.verify === 'off') return undefined
  const { clawId: claw, signature, timestamp } = envelope
  const known = readClaw(scene, claw)
  if (!signature || !isSigned) {
    const reason = signature ? 'bad_signature' : 'signature_required'
    // Whoever is known to sign does.
    if (config.verify === 'require' || known?.keys) return reason
    warn(scene, envelope, signature ? 'warning: bad_signature' : 'warning: unsigned')
    return undefined
  }
  if (known?.keys) return known.keys.includes(signature.key) ? undefined : 'key_changed'
  if (known?.revoked?.includes(signature.key)) return 'key_changed'
  // An agent of this very book, which speaks through another device of it: its key comes with the sync, or the owner says it.
  if (known && known.by !== known.claw && !isOpenPool(scene)) return 'key_changed'
  const at = saidTime(scene, timestamp)
  put(scene, 'pool_claw', recordIds.claw(claw), {
    ...(known ?? {
      claw,
      by: claw,
      group: config.group,
      capabilities: [],
      first_seen_at: at,
      announced_at: at,
    }),
    keys: [signature.key],
  })
  return undefined
}

/** True for an envelope of a claw of this book that a device of its owner has signed. */
export function isOwnKey(scene: Scene, envelope: EnvelopeV1, isSigned: boolean | undefined): boolean {
  const { config, own } = scene
  if (config.verify === 'off') return true
  const key = isSigned ? envelope.signature?.key : undefined
  return key !== undefined && readClaw(scene, own)?.keys?.includes(key) === true
}

function warn({ pool, now }: Scene, envelope: EnvelopeV1, reason: string): void {
  const { type, clawId, instanceId, idempotencyKey, traceId } = envelope
  pool.note({
    at: formatTime(now),
    type,
    claw: clawId,
    instance: instanceId,
    key: idempotencyKey,
    trace: traceId,
    result: 'accepted',
    reason,
  })
}

// Taking in who is there and what it can do.
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
