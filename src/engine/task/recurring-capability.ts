// The verbs of tasks that come round: set one up or change it, end it, see what there is. All of them are the owner's.
import { z } from 'zod'
import { beginningOf } from '../../core/calendar/day.ts'
import { parseDuration } from '../../core/calendar/duration.ts'
import { defineCapability } from '../../core/capability/capability.ts'
import type { Recurrence } from '../../core/capability/recurring.ts'
import type { Json } from '../../core/json/path.ts'
import { instantOrDay } from '../../shape/instant.ts'

const json = z.unknown() as unknown as z.ZodType<Json>
const id = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'is 1 to 64 letters, digits, dots, dashes and underscores')
/** `6h`, `1d`, or milliseconds. */
const every = z.union([
  z.number().int(),
  z.string().transform((text, context) => {
    const ms = parseDuration(text)
    if (ms !== undefined) return ms
    context.addIssue({ code: 'custom', message: 'is not a duration such as 90s, 15m, 6h, 1d, 2w' })
    return z.NEVER
  }),
])

const recurrence = z.object({
  id: z.string(),
  capability: z.string(),
  input: json,
  scope: z.object({ agent: z.string(), session: z.string().optional(), resource: z.string().optional() }),
  every_ms: z.number(),
  max_attempts: z.number(),
  /** Who wants it. */
  by: z.enum(['chapter', 'owner']),
  state: z.enum(['active', 'cancelled']),
  next_at: z.string(),
  last_at: z.string().optional(),
  /** The task that the last round is: see `tasks.get`. */
  last_task: z.string().optional(),
  rounds: z.number(),
  created_at: z.string(),
}) as unknown as z.ZodType<Recurrence>

export const recurringCapabilities = [
  defineCapability({
    id: 'task:schedule',
    methods: ['tasks.schedule'],
    summary:
      'Has a capability called again and again while this copy of the book is open, or changes that; what was missed comes round once.',
    input: z.strictObject({
      /** Its name: who gives it again changes it, and what is left out then stays as it is. */
      id,
      capability: z.string().min(1).max(200).optional(),
      input: z.unknown().optional(),
      /** From a minute to 366 days. */
      every: every.optional(),
      /** How often a round is tried before it is dead; the next one comes all the same. */
      max_attempts: z.number().int().min(1).max(20).optional(),
      /** When the first round is due, and what the others keep to; default one period from now. */
      first: instantOrDay.optional(),
    }),
    output: z.object({
      task: recurrence,
      /** As it stood before; null for a new one. */
      before: recurrence.nullable(),
    }),
    effect: 'write',
    uses: ['tasks'],
    run({ id, capability, input, every, max_attempts: maxAttempts, first }, at) {
      const before = at.tasks.recurring(id) ?? null
      const firstAt = first && beginningOf(first, at.call.zone)
      return {
        task: at.tasks.schedule({ id, capability, input, everyMs: every, maxAttempts, firstAt }),
        before,
      }
    },
  }),
  defineCapability({
    id: 'task:unschedule',
    methods: ['tasks.unschedule'],
    summary: 'Ends a task that comes round, and takes out a round of it that waits or runs.',
    input: z.strictObject({ id }),
    output: z.object({
      id: z.string(),
      /** False when there is none of that id. */
      ended: z.boolean(),
    }),
    effect: 'write',
    uses: ['tasks'],
    run: ({ id }, at) => ({ id, ended: at.tasks.unschedule(id) }),
  }),
  defineCapability({
    id: 'task:schedules',
    methods: ['tasks.schedules'],
    summary:
      'Lists the tasks that come round in this copy of the book: how often, when next, and what came of the last round.',
    input: z.strictObject({}).prefault({}),
    output: z.object({
      schedules: z.array(
        z.object({ task: recurrence, last: z.enum(['waiting', 'running', 'done', 'dead']).nullable() }),
      ),
    }),
    effect: 'read',
    uses: ['tasks'],
    run: (_input, at) => ({
      schedules: at.tasks.schedules().map((task) => ({
        task,
        last: (task.last_task === undefined ? undefined : at.tasks.get(task.last_task))?.state ?? null,
      })),
    }),
  }),
] as const
