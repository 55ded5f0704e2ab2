// Whose envelope it is. Invariant: a claw that was once seen to sign is known by that key, and by no other but those of which
// an envelope under a known key has said that they are its own: each device of an owner has its key.
import { formatTime } from '../../../core/time.ts'
import type { EnvelopeV1 } from '../../../shape/envelope.ts'
import { recordIds } from '../pool-kind.ts'
import { put, readClaw, saidTime, type Scene } from './scene.ts'

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
