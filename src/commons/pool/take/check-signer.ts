// Checks who signed an envelope: its claw must be a member, and its key one of the claw's keys.
// Invariant: a claw has the key that the owner admitted, or its first signing key where every claw counts; only the
// owner brings back a revoked key.
import { defined } from '../../../core/defined.ts'
import type { Taken } from '../../../core/pool.ts'
import { formatTime } from '../../../core/time.ts'
import type { EnvelopeV1 } from '../../../shape/envelope.ts'
import { isOpenPool } from './member.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { isMember, putRecord, readClaw, believableTime, type PoolContext } from './pool-context.ts'
import { notAdmittedReason } from './verdict.ts'

/**
 * Returns why the sender is not a member; undefined if it is. A claw that is not a member, or that signs with
 * an unknown key, becomes an applicant, unless a required signature is missing or wrong. `hasValidSignature`
 * undefined: no signature.
 */
export function admissionRefusal(
  context: PoolContext,
  { clawId: claw, signature, payload }: EnvelopeV1,
  hasValidSignature: boolean | undefined,
): Taken | undefined {
  const { config, pool, now } = context
  const key = hasValidSignature ? signature?.key : undefined
  const isMemberClaw = isMember(context, claw)
  if (isMemberClaw && (key === undefined || isKnownOrFirstKey(context, claw, key))) return undefined
  if (!isMemberClaw && config.verify === 'require' && !hasValidSignature)
    return { result: 'rejected', reason: signature ? 'bad_signature' : 'signature_required' }
  if (key !== undefined || config.verify !== 'require') {
    const name = 'displayName' in payload ? String(payload.displayName ?? '') : ''
    pool.addApplicant({ claw, at: now, ...defined({ key }), ...(name ? { name } : {}) })
  }
  return isMemberClaw ? undefined : { result: 'ignored', reason: notAdmittedReason }
}

/** True if the claw has this key, or has no key yet. */
function isKnownOrFirstKey(context: PoolContext, claw: string, key: string): boolean {
  const keys = readClaw(context, claw)?.keys
  return keys === undefined || keys.includes(key)
}

/**
 * Returns the reason to reject an envelope's signature; undefined if the envelope is trusted. Trusts on first use: a
 * claw without keys gets this one, which is stored.
 */
export function checkSigner(
  context: PoolContext,
  envelope: EnvelopeV1,
  hasValidSignature: boolean | undefined,
): string | undefined {
  const { config } = context
  if (config.verify === 'off') return undefined
  const { clawId: claw, signature } = envelope
  const stored = readClaw(context, claw)
  if (!signature || !hasValidSignature) {
    const reason = signature ? 'bad_signature' : 'signature_required'
    // A claw with a key must sign.
    if (config.verify === 'require' || stored?.keys) return reason
    logWarning(context, envelope, signature ? 'warning: bad_signature' : 'warning: unsigned')
    return undefined
  }
  if (stored?.keys) return stored.keys.includes(signature.key) ? undefined : 'key_changed'
  if (stored?.revoked?.includes(signature.key)) return 'key_changed'
  // The claw is an agent of this book, on another device: sync or the owner brings its key.
  if (stored && stored.by !== stored.claw && !isOpenPool(context)) return 'key_changed'
  storeFirstKey(context, envelope, signature.key)
  return undefined
}

function storeFirstKey(context: PoolContext, { clawId: claw, timestamp }: EnvelopeV1, key: string): void {
  const at = believableTime(context, timestamp)
  const newClaw = {
    claw,
    by: claw,
    group: context.config.group,
    capabilities: [],
    firstSeenAt: at,
    announcedAt: at,
  }
  const stored = readClaw(context, claw) ?? newClaw
  putRecord(context, 'pool_claw', recordIds.claw(claw), { ...stored, keys: [key] })
}

/** True if a device of the owner has signed an envelope of this book's claw, or if `verify` is off. */
export function isSignedByOwner(
  context: PoolContext,
  envelope: EnvelopeV1,
  hasValidSignature: boolean | undefined,
): boolean {
  const { config, ownClaw } = context
  if (config.verify === 'off') return true
  const key = hasValidSignature ? envelope.signature?.key : undefined
  return key !== undefined && readClaw(context, ownClaw)?.keys?.includes(key) === true
}

function logWarning({ pool, now }: PoolContext, envelope: EnvelopeV1, reason: string): void {
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
