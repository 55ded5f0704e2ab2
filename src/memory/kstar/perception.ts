// Perceptions, which are declarative memory: an agent's observations and beliefs about a subject, with confidence and
// evidence. Shape, kind and verbs.
import { z } from 'zod'
import { recordHead } from '../../shape/record-head.ts'
import { recordId, timeInZone } from '../../shape/field.ts'
import { name, receipt, scope, text } from './record-schema.ts'
import { type Kind, whenField } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf } from '../../core/record.ts'
import { isAlreadyStored, splitScope } from './store-record.ts'
import { page, readVerb, recordQuery, recordVerbs, writeVerb } from '../../shape/record-verbs.ts'
import { storedNow } from '../../shape/receipt.ts'
import { assertValidity, canonicalValidity, validityFields, validityInput } from './validity.ts'

const confidence = z.number().min(0).max(1)
const evidence = z.array(recordId).max(1000)
const content = text(200_000).min(1)

/** Input of `perceptions.store`. `evidence`: ids of the supporting traces. */
const perceptionInput = z.strictObject({
  id: recordId.optional(),
  type: name.default('observation'),
  subject: name.optional(),
  content,
  confidence: confidence.default(1),
  evidence: evidence.default([]),
  ...validityInput,
  /** True: replaces the perception of the same id; its earlier version stays in the history. */
  replace: z.boolean().default(false),
  ...scope,
})

/** Fields to change; null removes a field. */
const perceptionUpdates = z.strictObject({
  type: name.optional(),
  subject: name.nullable().optional(),
  content: content.optional(),
  confidence: confidence.optional(),
  evidence: evidence.optional(),
  valid_from: timeInZone.nullable().optional(),
  valid_until: timeInZone.nullable().optional(),
})

const perceptionBody = z.looseObject({
  type: name,
  subject: name.optional(),
  content,
  confidence,
  evidence,
  ...validityFields,
})

type PerceptionBody = z.output<typeof perceptionBody>

const perception = z.looseObject({
  ...perceptionBody.shape,
  ...recordHead,
  kind: z.literal('perception'),
})

export type Perception = z.output<typeof perception>

export const perceptionKind: Kind<'perception', PerceptionBody> = {
  name: 'perception',
  // Adds the required fields to a body that another program wrote.
  complete: (body) => ({ type: 'observation', confidence: 1, evidence: [], ...body }),
  summary:
    'Something noticed or believed about a subject: how surely, on what evidence, from when, until when.',
  version: 1,
  schema: perceptionBody,
  text: [whenField, 'type', 'subject', 'content'],
  fact: 'content',
  facets: { subject: 'subject', confidence: 'confidence' },
  scopedBy: 'subject',
  // Two devices may each add evidence or raise the confidence: both changes are merged.
  policy: 'merge',
  begins: 'valid_from',
  expires: 'valid_until',
  links: ['evidence'],
  // A perception loses its ground with its last evidence: a cascading forget then forgets it too. `rests`:
  // see `Citation` in core/kind.ts.
  cites: [{ path: 'evidence', rests: () => true }],
}

const verbs = recordVerbs('perception', perception)

/** True: includes perceptions outside their validity. */
const includeExpired = z.boolean().default(false)

export const perceptionCapabilities = [
  writeVerb({
    id: 'kstar:store_perception',
    method: 'perceptions.store',
    summary: 'Stores a belief about a subject, with confidence, evidence and the time of its validity.',
    input: perceptionInput,
    output: receipt,
    run(input, at) {
      const { scope, rest } = splitScope(input)
      const { id: givenId, replace, ...fields } = canonicalValidity(rest, at.call.zone)
      assertValidity(fields, 'valid_until')
      const body = fields as JsonObject
      const isSame = isAlreadyStored({ id: givenId, body, scope, replace, path: 'id' }, at)
      if (givenId !== undefined && isSame) return { id: givenId, ...storedNow(at.call) }
      const id = at.records.put({
        kind: 'perception',
        ...(givenId ? { id: givenId } : {}),
        body,
        scope,
        checked: true,
      })
      return { id, ...storedNow(at.call) }
    },
  }),
  readVerb({
    id: 'kstar:get_perceptions',
    method: 'perceptions.get',
    summary: 'Lists the beliefs about a subject, most confident first.',
    input: z.strictObject({ subject: name, minConfidence: confidence.default(0), includeExpired, ...page }),
    output: verbs.page,
    run: ({ subject, minConfidence, includeExpired: expired, ...query }, at) =>
      verbs.pageOf(at, {
        ...query,
        filters: { subject, ...(minConfidence > 0 ? { confidence: { gte: minConfidence } } : {}) },
        orderBy: ['-confidence', '-updated_at'],
        include: { expired },
      }),
  }),
  readVerb({
    id: 'kstar:query_perceptions',
    method: 'perceptions.query',
    summary: 'Lists perceptions by filters and order, newest first unless asked otherwise.',
    input: recordQuery.extend({ includeExpired }).prefault({}),
    output: verbs.page,
    run: ({ orderBy, includeExpired: expired, ...query }, at) =>
      verbs.pageOf(at, { ...query, orderBy, include: { expired } }),
  }),
  writeVerb({
    id: 'kstar:update_perception',
    method: 'perceptions.update',
    summary: 'Changes some fields of a perception; the version before stays in its history.',
    input: z.strictObject({ id: recordId, updates: perceptionUpdates }),
    output: z.object({
      id: z.string(),
      /** False if there is no such perception. */
      updated: z.boolean(),
    }),
    run({ id, updates }, at) {
      const record = at.records.get(id)
      if (record?.kind !== 'perception') return { id, updated: false }
      const changes = canonicalValidity(updates, at.call.zone)
      const changed = Object.entries({ ...bodyOf(record), ...changes })
      const body = Object.fromEntries(changed.filter(([, value]) => value !== null && value !== undefined))
      if (changes.valid_from ?? changes.valid_until) assertValidity(body, 'updates.valid_until')
      at.records.put({ kind: 'perception', id, body: body as JsonObject })
      return { id, updated: true }
    },
  }),
] as const
