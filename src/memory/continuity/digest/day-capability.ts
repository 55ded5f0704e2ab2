// The verbs of days: sunrise, sundown, the digests there are, and consolidation.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import { isDateOnly } from '../../../core/time.ts'
import { sealed } from '../../../shape/sealed-count.ts'
import { called } from '../persona/text-shape.ts'
import { readable } from '../persona/readable.ts'
import { needPersona, ownedBy } from '../persona/persona.ts'
import { consolidate, planConsolidation } from './consolidate.ts'
import { digestKind, periods } from './digest-kind.ts'
import { keptReasons } from './archive-score.ts'
import { digestShown, sunriseOf, sunriseShape } from './sunrise.ts'
import { dayOf, tellDays } from './tell-day.ts'

const day = z.string().refine(isDateOnly, 'is not a day such as 2026-01-31')
const own = z.strictObject({ persona: called }).prefault({})

export const dayCapabilities = [
  defineCapability({
    id: 'katra:sunrise',
    permission: 'read',
    methods: ['days.sunrise'],
    summary:
      'What the persona wakes up to: yesterday, or the last day that has a digest, open questions, and what others said in the room.',
    input: own,
    output: sunriseShape,
    effect: 'read',
    uses: ['records', 'room'],
    run: ({ persona }, at) => sunriseOf(at, needPersona(at, persona)),
  }),
  defineCapability({
    id: 'katra:sundown',
    permission: 'write',
    methods: ['days.sundown'],
    summary: "Tells today's digest of the persona, and those of earlier days that are missing.",
    input: own,
    output: z.object({
      day: z.string(),
      /** Null when nothing happened today. */
      digest: digestShown.nullable(),
      /** Days whose digests were told by this call. */
      told: z.array(z.string()),
      degraded: z.array(z.string()),
    }),
    effect: 'task',
    repeatable: true,
    uses: ['records', 'recall'],
    async run({ persona: asked }, at) {
      const persona = needPersona(at, asked)
      const today = dayOf(persona, at.call.now)
      const told = await tellDays(at, persona, today)
      const filters = { ...ownedBy(persona), period: 'day', period_id: today }
      const [digest] = readable(digestKind, at.records.query({ kind: 'digest', filters, limit: 1 }).records)
      return {
        day: today,
        digest: digest ?? null,
        told: told.map((one) => one.day),
        degraded: [...new Set(told.flatMap(({ degraded }) => degraded ?? []))],
      }
    },
  }),
  defineCapability({
    id: 'katra:list_digests',
    permission: 'read',
    methods: ['days.list'],
    summary: 'Lists the digests of the persona, newest first: days, or weeks.',
    input: z
      .strictObject({
        persona: called,
        period: z.enum(periods).default('day'),
        /** Days, both counted in. */
        from: day.optional(),
        to: day.optional(),
        limit: z.number().int().min(1).max(1000).default(100),
        cursor: z.string().max(40_000).optional(),
      })
      .prefault({}),
    output: z.object({ digests: z.array(digestShown), cursor: z.string().optional(), sealed }),
    effect: 'read',
    uses: ['records'],
    run({ persona: asked, period, from, to, limit, cursor }, at) {
      const persona = needPersona(at, asked)
      const { zone } = persona
      const bounds = {
        ...(from === undefined ? {} : { gte: new Date(zone.startOfDay(from)).toISOString() }),
        ...(to === undefined ? {} : { lt: new Date(zone.endOfDay(to)).toISOString() }),
      }
      const within = Object.keys(bounds).length === 0 ? {} : { from: bounds }
      const { records, ...page } = at.records.query({
        kind: 'digest',
        filters: { ...ownedBy(persona), period, ...within },
        orderBy: '-from',
        limit,
        cursor,
      })
      return { ...page, digests: readable(digestKind, records) }
    },
  }),
  defineCapability({
    id: 'katra:consolidate',
    permission: 'write',
    methods: ['days.consolidate'],
    summary:
      'Tells the digests, weeks and patterns of the persona that are missing, and archives what they have told of; a dry run says what that would be.',
    input: z.strictObject({ dry_run: z.boolean().default(false), persona: called }).prefault({}),
    output: z.object({
      /** Ids of what was told; of a dry run the days and weeks that would be. */
      digests: z.array(z.string()),
      patterns: z.array(z.string()),
      archived: z.number(),
      kept: z.partialRecord(z.enum(keptReasons), z.number()),
      degraded: z.array(z.string()),
      dry_run: z.boolean(),
    }),
    effect: 'task',
    repeatable: true,
    uses: ['records', 'recall'],
    async run({ dry_run, persona: asked }, at) {
      const persona = needPersona(at, asked)
      const done = dry_run ? planConsolidation(at, persona) : await consolidate(at, persona)
      return { ...done, dry_run }
    },
  }),
] as const
