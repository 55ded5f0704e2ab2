// Checks the claw and the key of an envelope, and takes in presence and capabilities.
// Invariant: a claw has the key that the owner admitted, or its first signing key where every claw counts; an
// envelope signed with one of its keys may announce more keys, because each device of an owner has its own key; a
// revoked key never comes back.
import { defined } from '../../../core/defined.ts'
import type { Taken } from '../../../core/pool.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { type EnvelopeV1, poolLimits } from '../../../shape/envelope.ts'
import { isOpenPool } from './member.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { isCounted, putRecord, readClaw, claimedTime, type PoolContext } from './pool-context.ts'
import { notAdmitted, accepted, type EnvelopeOf, type Verdict } from './verdict.ts'
import { claimedAt } from '../rule/presence.ts'

/**
 * The refusal of an envelope whose claw does not count; undefined if it counts. A claw that does not count, or that
 * signs with an unknown key, becomes an applicant, unless a required signature is missing or wrong.
 */
export function admissionOf(
  context: PoolContext,
  { clawId: claw, signature, payload }: EnvelopeV1,
  isSigned: boolean | undefined,
): Taken | undefined {
  const { config, pool, now } = context
  const key = isSigned ? signature?.key : undefined
  const isListed = isCounted(context, claw)
  if (isListed && (key === undefined || isKnownKey(context, claw, key))) return undefined
  if (!isListed && config.verify === 'require' && !isSigned)
    return { result: 'rejected', reason: signature ? 'bad_signature' : 'signature_required' }
  if (key !== undefined || config.verify !== 'require') {
    const name = 'displayName' in payload ? String(payload.displayName ?? '') : ''
    pool.applied({ claw, at: now, ...defined({ key }), ...(name ? { name } : {}) })
  }
  return isListed ? undefined : { result: 'ignored', reason: notAdmitted }
}

/** True if the claw has this key, or has no key yet. */
function isKnownKey(context: PoolContext, claw: string, key: string): boolean {
  const keys = readClaw(context, claw)?.keys
  return keys === undefined || keys.includes(key)
}

/**
 * The reason to reject an envelope's signature; undefined if the envelope is trusted. Stores the first key of a
 * claw.
 */
export function trustIn(
  context: PoolContext,
  envelope: EnvelopeV1,
  isSigned: boolean | undefined,
): string | undefined {
  const { config } = context
  if (config.verify === 'off') return undefined
  const { clawId: claw, signature, timestamp } = envelope
  const stored = readClaw(context, claw)
  if (!signature || !isSigned) {
    const reason = signature ? 'bad_signature' : 'signature_required'
    // A claw with a key must sign.
    if (config.verify === 'require' || stored?.keys) return reason
    warn(context, envelope, signature ? 'warning: bad_signature' : 'warning: unsigned')
    return undefined
  }
  if (stored?.keys) return stored.keys.includes(signature.key) ? undefined : 'key_changed'
  if (stored?.revoked?.includes(signature.key)) return 'key_changed'
  // The claw is an agent of this book, on another device: sync or the owner brings its key.
  if (stored && stored.by !== stored.claw && !isOpenPool(context)) return 'key_changed'
  const at = claimedTime(context, timestamp)
  putRecord(context, 'pool_claw', recordIds.claw(claw), {
    ...(stored ?? {
      claw,
      by: claw,
      group: config.group,
      capabilities: [],
      firstSeenAt: at,
      announcedAt: at,
    }),
    keys: [signature.key],
  })
  return undefined
}

/** True if a device of the owner has signed an envelope of this book's claw, or if `verify` is off. */
export function isSignedByOwner(
  context: PoolContext,
  envelope: EnvelopeV1,
  isSigned: boolean | undefined,
): boolean {
  const { config, own } = context
  if (config.verify === 'off') return true
  const key = isSigned ? envelope.signature?.key : undefined
  return key !== undefined && readClaw(context, own)?.keys?.includes(key) === true
}

function warn({ pool, now }: PoolContext, envelope: EnvelopeV1, reason: string): void {
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

/** Unchanged capabilities are written again at most this often. */
const rewriteMs = 3_600_000

export function takePresence(
  context: PoolContext,
  { clawId, instanceId, timestamp, payload }: EnvelopeOf<'presence'>,
): Verdict {
  const { pool, now } = context
  const { status, displayName: name, updatedAt = timestamp } = payload
  const at = claimedAt(parseTime(updatedAt) ?? now, now)
  const entry = { claw: clawId, instance: instanceId, at, status, own: false, ...(name ? { name } : {}) }
  if (!pool.present(entry)) return { result: 'stale', reason: 'older_than_known' }
  return accepted(status)
}

export function takeCapabilities(context: PoolContext, envelope: EnvelopeOf<'capabilities'>): Verdict {
  const { clawId: claw, timestamp, payload } = envelope
  const { displayName, model, capabilities, keys: announced, updatedAt = timestamp } = payload
  const at = claimedTime(context, updatedAt)
  const stored = readClaw(context, claw)
  const signer = envelope.signature?.key
  // An envelope that is signed with a stored key announces the claw's other keys.
  const hasKeys = announced !== undefined && signer !== undefined && stored?.keys?.includes(signer)
  const revoked = new Set(stored?.revoked)
  const all = hasKeys ? [...new Set([signer, ...announced])] : []
  const keys = hasKeys ? all.filter((key) => !revoked.has(key)).slice(0, poolLimits.keys) : stored?.keys
  const hasAnnounced = stored !== undefined && stored.announcedAt !== stored.firstSeenAt
  if (hasAnnounced && stored.announcedAt > at) return { result: 'stale', reason: 'older_than_known' }
  const body = {
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
  const same = (one: object) => JSON.stringify({ ...one, announcedAt: '', firstSeenAt: '' })
  const isSame = stored !== undefined && same({ ...body, ...stored }) === same(body)
  if (isSame && (parseTime(at) ?? 0) - (parseTime(stored.announcedAt) ?? 0) < rewriteMs)
    return accepted('unchanged')
  putRecord(context, 'pool_claw', recordIds.claw(claw), body)
  return accepted('capabilities')
}
