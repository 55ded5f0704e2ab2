// The sync protocol, version 1: shape and limits of request and response.
// Invariant: a change of shape adds an entry to wire-history.ts, and recorded frames of all versions parse.
import { z } from 'zod'
import { DaybookError } from '../../core/errors.ts'
import { isRecordId } from '../../core/ids.ts'
import { checkJson, jsonLimits } from '../../core/json/json.ts'
import type { Kinds } from '../../core/kind.ts'
import { parseWith } from '../../core/schema.ts'
import {
  fitsHead,
  type SealedBody,
  type SealedHead,
  sealingAlgorithm,
  sensitivities,
} from '../../core/sealed.ts'
import { isStamp } from '../../core/stamp.ts'
import { canonicalTime } from '../../core/time.ts'
import { trustClasses } from '../../core/trusted.ts'
import { jsonObject } from '../../shape/field.ts'

export const wireVersion = 1

/**
 * Limits that every mirror supports. `opBytes` limits one op, `requestBytes` all ops of a request, of which one op may
 * be larger: JSON in UTF-8.
 */
export const wireLimits = {
  ops: 100,
  opBytes: 700_000,
  requestBytes: 700_000,
  pullRecords: 1000,
  pullBytes: 1_000_000,
} as const

/** Limits of the ops of one request. */
export interface RequestLimits {
  readonly ops: number
  readonly requestBytes: number
  /** Of one op. */
  readonly opBytes: number
}

/** Limits of this mirror. Each answer states them, so that a device may send more. */
export const mirrorLimits = {
  ops: 1000,
  requestBytes: 2_000_000,
  // No more than a record has: `maxRecordBytes` in store/record/record-store.ts.
  opBytes: 1_900_000,
} as const satisfies RequestLimits

/** Levels that a request adds around the input of the call that wrote an op. */
const envelopeDepth = 4

const count = z.number().int().min(0)
const deviceId = z.string().regex(/^d_[A-Za-z0-9]{1,60}$/)
const epochId = z.string().regex(/^e_[A-Za-z0-9]{1,60}$/)
const kindName = z.string().regex(/^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/)
const recordId = z.string().refine(isRecordId, 'is not a record id')
const stamp = z.string().refine(isStamp, 'is not a stamp')
const instant = z.string().refine((text) => canonicalTime(text) === text, 'is not a canonical UTC time')
const name = z
  .string()
  .min(1)
  .max(1000)
  .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')
const policy = z.enum(['local_wins', 'remote_wins', 'last_write_wins', 'merge', 'manual'])

/**
 * Fields of every change, in both directions. `at`: time of the change; `stamp` breaks ties: see
 * core/stamp.ts.
 */
const head = { kind: kindName, id: recordId, stamp, at: instant, agent: name }
/** A body sealed with a key that no mirror has: see core/sealed.ts. */
const enc = z.object({
  alg: z.literal(sealingAlgorithm),
  kid: z.string().regex(/^k_[0-9a-f]{16}$/),
  v: count,
  n: z.base64().length(16),
  ct: z.base64().min(24),
  head: z
    .object({
      stamp,
      session: name.optional(),
      resource: name.optional(),
      sensitivity: z.enum(sensitivities).optional(),
    })
    .optional(),
})

/** The record itself: its scope, and either its body in clear (`body`) or sealed (`enc`). */
const whole = {
  created_at: instant,
  session: name.optional(),
  resource: name.optional(),
  sensitivity: z.enum(sensitivities).optional(),
  trust: z.enum(trustClasses).optional(),
  body: jsonObject.optional(),
  enc: enc.optional(),
}
const hasOneBody = (put: { body?: unknown; enc?: unknown }) =>
  (put.body === undefined) !== (put.enc === undefined)
const hasMatchingHead = (put: SealedHead & { enc?: SealedBody | undefined }) =>
  !put.enc || fitsHead(put, put.enc)
const ownHead = { path: ['enc', 'head'], message: 'The record says something else than its body is bound to' }
const oneBody = { path: ['body'], message: 'Give either `body` or `enc`' }

/**
 * A change for the mirror. `mid`: the device's number of the op, from 1 without gaps. `base`: the mirror's
 * version that it changes, 0 for none. `policy`: conflict policy in place of the kind's. `instead`: the
 * device withdrew the bytes that it sent under this `mid`, because their record was forgotten, purged or
 * sealed; this op is the current record.
 */
const sent = {
  mid: z.number().int().min(1),
  base: count,
  policy: policy.optional(),
  instead: z.literal(true).optional(),
  ...head,
}
/** True: a purge. Concurrent edits lose, and all content is removed everywhere. */
const purge = z.literal(true).optional()
/** True: the record was sealed before the forget. No edit that loses to this op stays in clear. */
const sealed = z.literal(true).optional()
/** For `anew`: the author forgot or purged the record between `base` and this put. */
const removedBefore = z.enum(['forget', 'purge']).optional()
/** True: the content of `base`, sealed with another key. Such a put yields to any other change. */
const reseal = z.literal(true).optional()
const wireOp = z.discriminatedUnion('op', [
  z
    .object({
      ...sent,
      op: z.literal('put'),
      reseal,
      anew: removedBefore,
      /** The version of the kind that the author checked the body by; 0: unchecked. */
      v: count.optional(),
      ...whole,
    })
    .refine(hasOneBody, oneBody)
    .refine(hasMatchingHead, ownHead),
  z.object({ ...sent, op: z.literal('forget'), purge, sealed }),
])

/**
 * A record at the mirror: its place in the sequence (`seq`), its version, and the device that last changed
 * it.
 */
const stored = {
  seq: z.number().int().min(1),
  ver: z.number().int().min(1),
  by: deviceId,
  /** The version in which the record was last purged. */
  purged: count.optional(),
  ...head,
}
const wireChange = z.discriminatedUnion('op', [
  /** `gone`: version of the last forget that the author knew. */
  z
    .object({ ...stored, op: z.literal('put'), gone: count.optional(), ...whole })
    .refine(hasOneBody, oneBody)
    .refine(hasMatchingHead, ownHead),
  z.object({ ...stored, op: z.literal('forget'), sealed }),
])

/** The body of every error answer, and the reason of a rejection. */
export const wireError = z.object({
  code: z.string(),
  message: z.string(),
  retry: z.boolean(),
  details: z.record(z.string(), z.unknown()),
})

/** Content of the version that an op conflicted with, without its head. */
const content = z.discriminatedUnion('op', [
  z
    .object({
      op: z.literal('put'),
      session: name.optional(),
      resource: name.optional(),
      sensitivity: z.enum(sensitivities).optional(),
      trust: z.enum(trustClasses).optional(),
      body: jsonObject.optional(),
      enc: enc.optional(),
    })
    .refine(hasOneBody, oneBody),
  z.object({ op: z.literal('forget') }),
])

/**
 * In a repeated answer: the version that the op conflicted with, if the record has a later one. `logged`: the mirror
 * decided, and logged the losing side. `said`: the content of that version, if the mirror still has it.
 */
const met = z.object({ ver: count, logged: z.boolean(), said: content.optional() })

const wireResult = z.discriminatedUnion('s', [
  /**
   * The op was applied. `policy`: another change came first, and the policy decided for this op. `revived`: that
   * change was a forget. `instead`: this `instead` op took effect, and the withdrawn bytes never did. `purged`:
   * version in which the record was purged after the op's base.
   */
  z.object({
    mid: z.number().int(),
    s: z.literal('ok'),
    ver: count,
    seq: count,
    policy: policy.optional(),
    revived: z.literal(true).optional(),
    instead: z.literal(true).optional(),
    purged: count.optional(),
  }),
  /** The op was not applied: another change came first, and `current` stays. */
  z.object({
    mid: z.number().int(),
    s: z.literal('conflict'),
    policy,
    current: wireChange,
    met: met.optional(),
  }),
  /** The op was refused finally. */
  z.object({ mid: z.number().int(), s: z.literal('rejected'), error: wireError }),
])

const mark = z.string().regex(/^[0-9a-f]{1,32}$/)

/** `n` records up to the place `seq`, and a sum `x` over their places: see agreement.ts. */
const wireDigest = z.object({ seq: count, n: count, x: z.string().max(64) })

export const syncRequest = z.object({
  p: z.literal(wireVersion),
  device: deviceId,
  /** Epoch that the device knows. Null in a device's first request: any epoch fits. */
  epoch: epochId.nullable(),
  /** The last epoch before starting over, until a mirror answers. */
  formerEpoch: epochId.optional(),
  /** The device has the answers up to this `mid`. */
  ackedMid: count,
  /** Ascends with the device's kinds and their versions. */
  schema: count,
  ops: z.array(wireOp).max(mirrorLimits.ops),
  pull: z.object({
    cursor: count,
    limit: z.number().int().min(1).max(wireLimits.pullRecords),
    maxBytes: z.number().int().min(1).max(wireLimits.pullBytes),
    kinds: z.array(kindName).max(100).optional(),
    /** True: the device reads everything again and sends no ops meanwhile, so it may read below the floor. */
    resync: z.boolean().optional(),
  }),
  /** True: the device found a difference and requests sums by range. */
  check: z.boolean().optional(),
  /** The device's mark with the highest place: `seq` is the place, `x` the mark. */
  mark: z.object({ seq: count, x: mark }).optional(),
})

const syncEnvelope = syncRequest.extend({ ops: z.array(z.unknown()).max(mirrorLimits.ops) })

export const syncResponse = z.object({
  p: z.literal(wireVersion),
  epoch: epochId,
  serverTime: instant,
  /** The highest `mid` that the mirror has answered. */
  lastMid: count,
  results: z.array(wireResult),
  changes: z.array(wireChange),
  /** The place up to which the device has read with this answer. */
  cursor: count,
  /** True: another page follows. */
  more: z.boolean(),
  /** Tombstones at places up to this one are collected: a device with a lower cursor must read everything again. */
  floor: count,
  /** On the last page: the mirror's sum over the requested kinds. */
  digest: wireDigest.optional(),
  /** With the sum, for a guest: the kinds that it may fetch of those requested. Only these are counted and sent. */
  kinds: z.array(kindName).max(100).optional(),
  /** Sums by range. Each range ends at its `seq`; in order. */
  ranges: z.array(wireDigest).max(1000).optional(),
  /** Limits of this mirror, if larger than `wireLimits`. */
  limits: z.object({ ops: count, requestBytes: count, opBytes: count.optional() }).optional(),
  /** The mark at the cursor: see agreement.ts. */
  mark: mark.optional(),
})

export type WireOp = z.output<typeof wireOp>
export type WireChange = z.output<typeof wireChange>
export type WireResult = z.output<typeof wireResult>
export type WireMet = z.output<typeof met>
export type WireError = z.output<typeof wireError>
export type WireDigest = z.output<typeof wireDigest>
export type SyncRequest = z.output<typeof syncRequest>
export type SyncResponse = z.output<typeof syncResponse>

/** Parses JSON. Throws `invalid-input`. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message quotes the text, so it must not be included.
    throw new DaybookError('invalid-input', 'The request is not JSON.', { details: { path: '' } })
  }
}

/** Parses a request from outside. Throws `invalid-input`, `too-large`, `client-too-old` or `server-too-old`. */
export function parseSyncRequest(value: unknown): SyncRequest {
  checkJson(value, jsonLimits.depth + envelopeDepth)
  const p = versionOf(value)
  if (p !== undefined && p !== wireVersion) {
    throw new DaybookError(p < wireVersion ? 'client-too-old' : 'server-too-old', undefined, {
      details: { spoken: p, known: [wireVersion] },
    })
  }
  assertOpCount(value)
  const { ops, ...request } = parseWith(syncEnvelope, value)
  // One op at a time, up to the first invalid op, so that an invalid request is cheap.
  return { ...request, ops: ops.map((op, i) => parseWith(wireOp, op, 'invalid-input', `ops.${i}`)) }
}

/** Throws `too-large` for too many ops: a limit, not a fault, so the device may send fewer. */
function assertOpCount(value: unknown): void {
  const ops = typeof value === 'object' && value !== null && 'ops' in value ? value.ops : undefined
  if (!Array.isArray(ops) || ops.length <= mirrorLimits.ops) return
  throw new DaybookError('too-large', `A request has at most ${mirrorLimits.ops} ops.`, {
    details: { path: 'ops', limitOps: mirrorLimits.ops },
  })
}

/** Parses a mirror's answer. Throws `protocol-error`. */
export function parseSyncResponse(value: unknown): SyncResponse {
  return parseWith(syncResponse, value, 'protocol-error')
}

function versionOf(value: unknown): number | undefined {
  const p = typeof value === 'object' && value !== null && 'p' in value ? value.p : undefined
  return Number.isInteger(p) ? (p as number) : undefined
}

/** Returns the `schema` of a request. The number ascends with each new kind or version. */
export function schemaNumber(kinds: Kinds): number {
  return [...kinds.values()].reduce((sum, kind) => sum + kind.version, 0)
}
