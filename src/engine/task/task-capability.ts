// The verbs of the task queue and of recurring tasks. Only the owner may call them.
import { z } from 'zod'
import { beginningOf } from '../../core/zone.ts'
import { parseDuration } from '../../core/time.ts'
import { defineCapability } from '../../core/capability/capability.ts'
import type { Recurrence, TaskEntry } from '../../core/capability/task.ts'
import { DaybookError, notFound } from '../../core/errors.ts'
import { instantOrDay, json } from '../../shape/field.ts'
import { limit } from '../../shape/page.ts'
import { shapeOf } from '../../shape/shape-of.ts'

const id = z.string().min(1).max(128)

const task = shapeOf<TaskEntry>()(
  z.object({
    id: z.string(),
    capability: z.string(),
    input: json,
    /** Default scope of the records that the task stores: the scope of the call that queued the task. */
    scope: z.object({ agent: z.string(), session: z.string().optional(), resource: z.string().optional() }),
    /** `dead`: its attempts ran out, or a retry would not help. */
    state: z.enum(['waiting', 'running', 'done', 'dead']),
    /**
     * Attempts begun so far, also those that a closed tab or a killed process ended. An attempt whose verb
     * could not be loaded does not count.
     */
    attempts: z.number(),
    maxAttempts: z.number(),
    createdAt: z.string(),
    updatedAt: z.string(),
    dueAt: z.string(),
    /** While it runs: the time at which it counts as hung. Progress extends it. */
    leaseUntil: z.string().optional(),
    /**
     * The answer of the capability. Absent before the task is done, if the answer is longer than 100,000 characters,
     * and if it names a record that is sealed or was purged since.
     */
    result: json.optional(),
    /** Id of the recurring task, if this task is one of its rounds. */
    recurring: z.string().optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  }),
)

export const taskCapabilities = [
  defineCapability({
    id: 'task:add',
    methods: ['tasks.add'],
    summary:
      'Queues a call of a capability: it runs soon, and again after a failure or a crash, until it succeeds.',
    input: z.strictObject({
      /** Id of a capability with the effect `write` or `task`. */
      capability: z.string().min(1).max(200),
      input: z.unknown().optional(),
      /** Attempts before the task is dead. */
      maxAttempts: z.number().int().min(1).max(20).default(5),
      /** Seconds to wait before the first attempt. */
      delaySeconds: z.number().min(0).max(31_622_400).default(0),
    }),
    output: z.object({ id: z.string() }),
    effect: 'write',
    uses: ['tasks'],
    run: ({ capability, input, maxAttempts, delaySeconds }, at) => ({
      id: at.tasks.add({ capability, input, maxAttempts, delayMs: Math.round(delaySeconds * 1000) }),
    }),
  }),
  defineCapability({
    id: 'task:get',
    methods: ['tasks.get'],
    summary: 'Reads one task, or null if no task has that id. Done tasks stay for a week.',
    input: z.strictObject({ id }),
    output: task.nullable(),
    effect: 'read',
    uses: ['tasks'],
    run: ({ id: wanted }, at) => at.tasks.get(wanted) ?? null,
  }),
  defineCapability({
    id: 'task:list',
    methods: ['tasks.list'],
    summary: 'Lists tasks, newest first: waiting, running, done, and dead ones that need a decision.',
    input: z
      .strictObject({
        state: z.enum(['waiting', 'running', 'done', 'dead']).optional(),
        limit: limit(),
      })
      .prefault({}),
    output: z.object({ tasks: z.array(task) }),
    effect: 'read',
    uses: ['tasks'],
    run: (query, at) => ({ tasks: at.tasks.list(query) }),
  }),
  defineCapability({
    id: 'task:retry',
    methods: ['tasks.retry'],
    summary: 'Makes a dead or waiting task due at once, with all its tries.',
    input: z.strictObject({ id }),
    output: z.object({ id: z.string() }),
    effect: 'write',
    uses: ['tasks'],
    run({ id: wanted }, at) {
      if (at.tasks.retry(wanted)) return { id: wanted }
      const found = at.tasks.get(wanted)
      if (found)
        throw new DaybookError('conflict', `The task is ${found.state}.`, { details: { path: 'id' } })
      throw notFound('task', wanted)
    },
  }),
  defineCapability({
    id: 'task:drop',
    methods: ['tasks.drop'],
    summary: 'Removes a task from the queue, cancelling it if it runs. Its effects so far stay.',
    input: z.strictObject({ id }),
    output: z.object({ id: z.string(), dropped: z.boolean() }),
    effect: 'write',
    uses: ['tasks'],
    run: ({ id: wanted }, at) => ({ id: wanted, dropped: at.tasks.drop(wanted) }),
  }),
] as const

const recurringId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'is 1 to 64 letters, digits, dots, dashes and underscores')
/** A duration such as `6h` or `1d`, or milliseconds. */
const every = z.union([
  z.number().int(),
  z.string().transform((text, context) => {
    const ms = parseDuration(text)
    if (ms !== undefined) return ms
    context.addIssue({ code: 'custom', message: 'is not a duration such as 90s, 15m, 6h, 1d, 2w' })
    return z.NEVER
  }),
])

const recurrence = shapeOf<Recurrence>()(
  z.object({
    id: z.string(),
    capability: z.string(),
    input: json,
    scope: z.object({ agent: z.string(), session: z.string().optional(), resource: z.string().optional() }),
    everyMs: z.number(),
    maxAttempts: z.number(),
    /** `chapter`: a chapter declares the task. `owner`: the owner set it up, changed it or cancelled it. */
    by: z.enum(['chapter', 'owner']),
    state: z.enum(['active', 'cancelled']),
    nextAt: z.string(),
    lastAt: z.string().optional(),
    /** Id of the task of the last round. A done task is gone after a week. */
    lastTask: z.string().optional(),
    rounds: z.number(),
    createdAt: z.string(),
  }),
)

export const recurringCapabilities = [
  defineCapability({
    id: 'task:schedule',
    methods: ['tasks.schedule'],
    summary:
      'Sets up or changes a recurring call of a capability, made while this copy of the book is open; missed rounds run once.',
    input: z.strictObject({
      /** Id of the recurring task. To change a task, send its id again; absent fields stay as they are. */
      id: recurringId,
      capability: z.string().min(1).max(200).optional(),
      input: z.unknown().optional(),
      /** From a minute to 366 days. */
      every: every.optional(),
      /** Attempts before a round is dead; the next round runs anyway. */
      maxAttempts: z.number().int().min(1).max(20).optional(),
      /**
       * When the first round is due; each later round is due one period after the last. Default: one period from now.
       */
      first: instantOrDay.optional(),
    }),
    output: z.object({
      task: recurrence,
      /** The task before the change; null for a new task. */
      before: recurrence.nullable(),
    }),
    effect: 'write',
    uses: ['tasks'],
    run({ id, capability, input, every, maxAttempts, first }, at) {
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
    summary: 'Ends a recurring task, and drops a round of it that waits or runs.',
    input: z.strictObject({ id: recurringId }),
    output: z.object({
      id: z.string(),
      /** False if no active task has that id. */
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
      'Lists the recurring tasks of this copy of the book: their periods, next rounds, and the state of the last.',
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
        last: (task.lastTask === undefined ? undefined : at.tasks.get(task.lastTask))?.state ?? null,
      })),
    }),
  }),
] as const
