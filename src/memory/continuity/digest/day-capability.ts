// The verbs of days: sunrise, sundown, list digests, consolidate.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import { isDateOnly } from '../../../core/time.ts'
import { sealed } from '../../../shape/field.ts'
import { personaRefInput } from '../persona/persona-kind.ts'
import { consolidate, planConsolidation } from './consolidate.ts'
import { digestKind, periods } from './digest-kind.ts'
import { retentionReasons } from './archive-record.ts'
import { digestOutput, buildSunrise, sunriseOutput } from './sunrise.ts'
import { dayOf, writeDays } from './write-day.ts'
import { requirePersona, personaFilter, parseRecords } from '../persona/persona.ts'
import { cursor, limit } from '../../../shape/page.ts'
import { readVerb } from '../../../shape/record-verbs.ts'

const dayText = z.string().refine(isDateOnly, 'is not a day such as 2026-01-31')
const personaOnlyInput = z.strictObject({ persona: personaRefInput }).prefault({})

export const dayCapabilities = [
  readVerb({
    id: 'katra:sunrise',
    method: 'days.sunrise',
    summary:
      "Reads the persona's start of the day: yesterday, or the last day with a digest, open questions, and the talk in the room.",
    input: personaOnlyInput,
    output: sunriseOutput,
    // room: the messages of others.
    uses: ['records', 'room'],
    run: ({ persona }, at) => buildSunrise(at, requirePersona(at, persona)),
  }),
  defineCapability({
    id: 'katra:sundown',
    permission: 'write',
    methods: ['days.sundown'],
    summary: "Writes today's digest of the persona, and missing ones of earlier days.",
    input: personaOnlyInput,
    output: z.object({
      day: z.string(),
      /** Null if nothing happened today. */
      digest: digestOutput.nullable(),
      /** Days whose digests this call wrote. */
      written: z.array(z.string()),
      /** Reasons why digests are extractive although there is a model. */
      degraded: z.array(z.string()),
    }),
    effect: 'task',
    repeatable: true,
    // recall: its language model.
    uses: ['records', 'recall'],
    async run({ persona: personaRef }, at) {
      const persona = requirePersona(at, personaRef)
      const today = dayOf(persona, at.call.now)
      const written = await writeDays(at, persona, today)
      const filters = { ...personaFilter(persona), period: 'day', period_id: today }
      const [digest] = parseRecords(
        digestKind,
        at.records.query({ kind: 'digest', filters, limit: 1 }).records,
      )
      return {
        day: today,
        digest: digest ?? null,
        written: written.map((writtenDay) => writtenDay.day),
        degraded: [...new Set(written.flatMap(({ degraded }) => degraded ?? []))],
      }
    },
  }),
  readVerb({
    id: 'katra:list_digests',
    method: 'days.list',
    summary: 'Lists the digests of the persona, newest first: days, or weeks.',
    input: z
      .strictObject({
        persona: personaRefInput,
        period: z.enum(periods).default('day'),
        /** First and last day, both included. */
        from: dayText.optional(),
        to: dayText.optional(),
        limit: limit(),
        cursor,
      })
      .prefault({}),
    output: z.object({ digests: z.array(digestOutput), cursor: z.string().optional(), sealed }),
    run({ persona: personaRef, period, from, to, limit, cursor }, at) {
      const persona = requirePersona(at, personaRef)
      const { zone } = persona
      const bounds = {
        ...(from === undefined ? {} : { gte: new Date(zone.startOfDay(from)).toISOString() }),
        ...(to === undefined ? {} : { lt: new Date(zone.endOfDay(to)).toISOString() }),
      }
      const periodFilter = Object.keys(bounds).length === 0 ? {} : { from: bounds }
      const { records, ...page } = at.records.query({
        kind: 'digest',
        filters: { ...personaFilter(persona), period, ...periodFilter },
        orderBy: '-from',
        limit,
        cursor,
      })
      return { ...page, digests: parseRecords(digestKind, records) }
    },
  }),
  defineCapability({
    id: 'katra:consolidate',
    permission: 'write',
    methods: ['days.consolidate'],
    summary:
      "Writes the persona's missing digests, weeks and patterns, and archives their source records; a dry run only reports.",
    input: z.strictObject({ dryRun: z.boolean().default(false), persona: personaRefInput }).prefault({}),
    output: z.object({
      // `ConsolidationResult` explains the fields.
      digests: z.array(z.string()),
      patterns: z.array(z.string()),
      archived: z.number(),
      retained: z.partialRecord(z.enum(retentionReasons), z.number()),
      degraded: z.array(z.string()),
      sealed,
      dryRun: z.boolean(),
    }),
    effect: 'task',
    repeatable: true,
    // recall: its language model.
    uses: ['records', 'recall'],
    async run({ dryRun, persona: personaRef }, at) {
      const persona = requirePersona(at, personaRef)
      const result = dryRun ? planConsolidation(at, persona) : await consolidate(at, persona)
      return { ...result, dryRun }
    },
  }),
] as const
