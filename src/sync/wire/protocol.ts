// The wire between a device and its mirror, version 1: what a request and a response are, and how large.
// Invariant: what this file accepts changes only together with a line in wire-history.ts; recorded frames always parse.
import { z } from 'zod'
import { DaybookError } from '../../core/errors.ts'
import { isRecordId } from '../../core/ids.ts'
import { checkJson, jsonLimits } from '../../core/json/json.ts'
import type { Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
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

export const wireVersion = 1

/**
 * What every mirror takes in one request, and may be asked for in one. `opBytes` bounds one op, `requestBytes` all ops of a
 * request, in JSON as UTF-8.
 */
export const wireLimits = {
  ops: 100,
  opBytes: 700_000,
  requestBytes: 700_000,
  pullRecords: 1000,
  pullBytes: 1_000_000,
} as const

/** How many ops a request may have, and how many bytes they. */
export interface RequestLimits {
  readonly ops: number
  readonly requestBytes: number
}

/** What this mirror takes at once. It says so in each answer, and a device that has read it sends more. */
export const mirrorLimits = { ops: 1000, requestBytes: 2_000_000 } as const satisfies RequestLimits

/** A request puts ops, and an op its body, so much deeper than the input of the call that wrote it. */
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
const body = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>
const policy = z.enum(['local_wins', 'remote_wins', 'last_write_wins', 'merge', 'manual'])

/** Who changed what, and when: on both ways. */
const head = { kind: kindName, id: recordId, stamp, at: instant, agent: name }
/** A body under a key that no mirror has: see core/sealed.ts. It travels as it was sealed. */
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

/** The whole record, so that a second device has it as the first: its body in clear, or sealed. */
const whole = {
  created_at: instant,
  session: name.optional(),
  resource: name.optional(),
  sensitivity: z.enum(sensitivities).optional(),
  body: body.optional(),
  enc: enc.optional(),
}
const hasOneBody = (put: { body?: unknown; enc?: unknown }) =>
  (put.body === undefined) !== (put.enc === undefined)
const saysItsHead = (put: SealedHead & { enc?: SealedBody | undefined }) => !put.enc || fitsHead(put, put.enc)
const ownHead = { path: ['enc', 'head'], message: 'the record says something else than its body is bound to' }
const oneBody = { path: ['body'], message: 'either `body` or `enc` is wanted' }

/**
 * A change on its way to the mirror. `base` is the mirror's version it was made on, 0 for none; `policy` says who wins a
 * conflict, if not as the kind says. `instead`: the device has withdrawn the bytes that it sent under this mid, since their
 * record was forgotten, purged or sealed, and sends the record as it stands now.
 */
const sent = {
  mid: z.number().int().min(1),
  base: count,
  policy: policy.optional(),
  instead: z.literal(true).optional(),
  ...head,
}
/** The record is to be gone for good: no edit that did not know of this counts, and nothing of it may stay anywhere. */
const purge = z.literal(true).optional()
/** The record was sealed before it was forgotten: of edits that lose to this none stays in clear. */
const sealed = z.literal(true).optional()
/** Between the version that it was made on and this put its author had forgotten, or purged, what the record said. */
const anew = z.enum(['forget', 'purge']).optional()
/** `reseal`: it says what the version it was made on says, under another key, and yields to anything else. */
const reseal = z.literal(true).optional()
const wireOp = z.discriminatedUnion('op', [
  z
    .object({
      ...sent,
      op: z.literal('put'),
      reseal,
      anew,
      v: count.optional(),
      ...whole,
    })
    .refine(hasOneBody, oneBody)
    .refine(saysItsHead, ownHead),
  z.object({ ...sent, op: z.literal('forget'), purge, sealed }),
])

/** A record as the mirror has it: its version, its place in the sequence, the device that made it so. */
const had = {
  seq: z.number().int().min(1),
  ver: z.number().int().min(1),
  by: deviceId,
  /** The version in which it was last purged. */
  purged: count.optional(),
  ...head,
}
const wireChange = z.discriminatedUnion('op', [
  /** `gone`: the version in which it was last forgotten, which its author knew. */
  z
    .object({ ...had, op: z.literal('put'), gone: count.optional(), ...whole })
    .refine(hasOneBody, oneBody)
    .refine(saysItsHead, ownHead),
  z.object({ ...had, op: z.literal('forget'), sealed }),
])

/** The body of every answer that is not a success, and the reason of a rejection. */
export const wireError = z.object({
  code: z.string(),
  message: z.string(),
  retry: z.boolean(),
  details: z.record(z.string(), z.unknown()),
})

/** What a change said: without a head, for the version that an op had met. */
const said = z.discriminatedUnion('op', [
  z
    .object({
      op: z.literal('put'),
      session: name.optional(),
      resource: name.optional(),
      sensitivity: z.enum(sensitivities).optional(),
      body: body.optional(),
      enc: enc.optional(),
    })
    .refine(hasOneBody, oneBody),
  z.object({ op: z.literal('forget') }),
])

/**
 * With an answer that is given again: the version that the op met, where another one stands now. `logged`: the mirror has
 * decided, and logged what lost. `said`: what that version said, as long as the mirror has it.
 */
const met = z.object({ ver: count, logged: z.boolean(), said: said.optional() })

const wireResult = z.discriminatedUnion('s', [
  /**
   * Applied. `policy` is there when another change had come first and the policy decided for this one; `revived` when that was
   * a forget. `instead`: the op said so, and took effect itself; what was withdrawn never did. `purged`: the version in which the
   * record was purged after the op's base.
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
  /** Not applied: another change had come first, and `current` stays. */
  z.object({
    mid: z.number().int(),
    s: z.literal('conflict'),
    policy,
    current: wireChange,
    met: met.optional(),
  }),
  /** Never to be applied as it is. */
  z.object({ mid: z.number().int(), s: z.literal('rejected'), error: wireError }),
])

const mark = z.string().regex(/^[0-9a-f]{1,32}$/)

/** How many records, and a sum over their places: see digest.ts. */
const wireDigest = z.object({ seq: count, n: count, x: z.string().max(64) })

export const syncRequest = z.object({
  p: z.literal(wireVersion),
  device: deviceId,
  /** Null in a device's first request: any epoch will do. */
  epoch: epochId.nullable(),
  /** The last epoch that the device knew before it started over, until a mirror has named it another one. */
  formerEpoch: epochId.optional(),
  /** The device has the answers to its ops up to this one. */
  ackedMid: count,
  /** Grows with the kinds a device knows and their versions. */
  schema: count,
  ops: z.array(wireOp).max(mirrorLimits.ops),
  pull: z.object({
    cursor: count,
    limit: z.number().int().min(1).max(wireLimits.pullRecords),
    maxBytes: z.number().int().min(1).max(wireLimits.pullBytes),
    kinds: z.array(kindName).max(100).optional(),
    /** The device reads everything anew and sends nothing meanwhile: then it may read below the floor. */
    resync: z.boolean().optional(),
  }),
  /** The device has found a difference and asks for sums by range. */
  check: z.boolean().optional(),
  /** The mark at the highest place for which a mirror gave the device one. */
  mark: z.object({ seq: count, x: mark }).optional(),
})

const syncEnvelope = syncRequest.extend({ ops: z.array(z.unknown()).max(mirrorLimits.ops) })

export const syncResponse = z.object({
  p: z.literal(wireVersion),
  epoch: epochId,
  serverTime: instant,
  lastMid: count,
  results: z.array(wireResult),
  changes: z.array(wireChange),
  cursor: count,
  more: z.boolean(),
  floor: count,
  /** The sum of what the mirror has of the kinds that were asked for, on a last page. */
  digest: wireDigest.optional(),
  /** Sums of the ranges of places that end at each `seq`, in order. */
  ranges: z.array(wireDigest).max(1000).optional(),
  /** What this mirror takes in one request, where that is more than every mirror does. */
  limits: z.object({ ops: count, requestBytes: count }).optional(),
  /** The mark at the place of the cursor: see mark.ts. */
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

/** What a text says; throws `invalid-input` when it is no JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message repeats a piece of the text, so it stays here.
    throw new DaybookError('invalid-input', 'The request is not JSON.', { details: { path: '' } })
  }
}

/** Reads a request from outside, or throws `invalid-input`, `client-too-old` or `server-too-old`. */
export function parseSyncRequest(value: unknown): SyncRequest {
  checkJson(value, jsonLimits.depth + envelopeDepth)
  const p = versionOf(value)
  if (p !== undefined && p !== wireVersion) {
    throw new DaybookError(p < wireVersion ? 'client-too-old' : 'server-too-old', undefined, {
      details: { spoken: p, known: [wireVersion] },
    })
  }
  checkCount(value)
  const { ops, ...request } = parseWith(syncEnvelope, value)
  // One after the other: the first that is wrong is all that is said, and a request of nothing else costs no more than that.
  return { ...request, ops: ops.map((op, i) => parseWith(wireOp, op, 'invalid-input', `ops.${i}`)) }
}

/** Too many ops are no nonsense: fewer of them may come. */
function checkCount(value: unknown): void {
  const ops = typeof value === 'object' && value !== null && 'ops' in value ? value.ops : undefined
  if (!Array.isArray(ops) || ops.length <= mirrorLimits.ops) return
  throw new DaybookError('too-large', `A request has at most ${mirrorLimits.ops} ops.`, {
    details: { path: 'ops', limitOps: mirrorLimits.ops },
  })
}

/** Reads what a mirror answered, or throws `protocol-error`. */
export function parseSyncResponse(value: unknown): SyncResponse {
  return parseWith(syncResponse, value, 'protocol-error')
}

function versionOf(value: unknown): number | undefined {
  const p = typeof value === 'object' && value !== null && 'p' in value ? value.p : undefined
  return Number.isInteger(p) ? (p as number) : undefined
}

/** A number that grows whenever a kind is added or its version grows: the `schema` of a request. */
export function schemaNumber(kinds: Kinds): number {
  return [...kinds.values()].reduce((sum, kind) => sum + kind.version, 0)
}
