// The verbs of perceptions: store, get by subject, query, update.
import { z } from 'zod'
import { endingOf } from '../../core/calendar/day.ts'
import type { Zone } from '../../core/calendar/zone.ts'
import { defineCapability } from '../../core/capability/capability.ts'
import type { RecordQuery } from '../../core/capability/port/record-port.ts'
import type { ReadContext } from '../../core/capability/context.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf } from '../../core/record.ts'
import { recordId } from '../../shape/record-id.ts'
import { isStored } from './known-id.ts'
import { splitScope } from './own-scope.ts'
import { type Perception, perception, perceptionInput, perceptionUpdates } from './perception-schema.ts'
import { name, page, receipt, recordPage, recordQuery } from './record-schema.ts'

function read(at: ReadContext<'records'>, query: Omit<RecordQuery, 'kind'>) {
  const found = at.records.query({ ...query, kind: 'perception' })
  return { ...found, records: found.records as unknown as Perception[] }
}

/** A bare date in `valid_until` lasts to the end of its day. */
function withEnd<Input extends { valid_until?: string | null | undefined }>(input: Input, zone: Zone): Input {
  const { valid_until: until } = input
  return typeof until === 'string' ? { ...input, valid_until: endingOf(until, zone) } : input
}

/** Past its `valid_until` a perception is left out, unless this is true. */
const include_expired = z.boolean().default(false)

export const perceptionCapabilities = [
  defineCapability({
    id: 'kstar:store_perception',
    permission: 'write',
    methods: ['perceptions.store'],
    summary:
      'Stores something noticed or believed about a subject, how surely, on what evidence, until when.',
    input: perceptionInput,
    output: receipt,
    effect: 'write',
    uses: ['records'],
    run(input, at) {
      const { scope, rest } = splitScope(input)
      const { id: given, replace, ...said } = withEnd(rest, at.call.zone)
      const body = said as JsonObject
      const isKnown = isStored({ id: given, body, scope, replace, path: 'id' }, at)
      if (given !== undefined && isKnown)
        return { id: given, stored_at: at.call.now, durability: at.call.durability }
      const id = at.records.put({
        kind: 'perception',
        ...(given ? { id: given } : {}),
        body,
        scope,
        checked: true,
      })
      return { id, stored_at: at.call.now, durability: at.call.durability }
    },
  }),
  defineCapability({
    id: 'kstar:get_perceptions',
    permission: 'read',
    methods: ['perceptions.get'],
    summary: 'Lists what is held about a subject, the surest first.',
    input: z.strictObject({
      subject: name,
      min_confidence: z.number().min(0).max(1).default(0),
      include_expired,
      ...page,
    }),
    output: recordPage(perception),
    effect: 'read',
    uses: ['records'],
    run: ({ subject, min_confidence, include_expired: expired, ...query }, at) =>
      read(at, {
        ...query,
        filters: { subject, ...(min_confidence > 0 ? { confidence: { gte: min_confidence } } : {}) },
        orderBy: ['-confidence', '-updated_at'],
        include: { expired },
      }),
  }),
  defineCapability({
    id: 'kstar:query_perceptions',
    permission: 'read',
    methods: ['perceptions.query'],
    summary: 'Lists perceptions by filters and order, newest first unless asked otherwise.',
    input: recordQuery.extend({ include_expired }).prefault({}),
    output: recordPage(perception),
    effect: 'read',
    uses: ['records'],
    run: ({ order_by: orderBy, include_expired: expired, ...query }, at) =>
      read(at, { ...query, orderBy, include: { expired } }),
  }),
  defineCapability({
    id: 'kstar:update_perception',
    permission: 'write',
    methods: ['perceptions.update'],
    summary: 'Changes some fields of a perception; the version before stays in its history.',
    input: z.strictObject({ id: recordId, updates: perceptionUpdates }),
    output: z.object({
      id: z.string(),
      /** False when there is no such perception. */
      updated: z.boolean(),
    }),
    effect: 'write',
    uses: ['records'],
    run({ id, updates }, at) {
      const found = at.records.get(id)
      if (found?.kind !== 'perception') return { id, updated: false }
      const changed = Object.entries({ ...bodyOf(found), ...withEnd(updates, at.call.zone) })
      const body = Object.fromEntries(changed.filter(([, value]) => value !== null && value !== undefined))
      at.records.put({ kind: 'perception', id, body: body as JsonObject })
      return { id, updated: true }
    },
  }),
] as const
