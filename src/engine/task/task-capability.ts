// The verbs of the task queue: put a call off until it is made, see what waits, try it again, take it out.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Json } from '../../core/json/path.ts'
import type { TaskEntry } from '../../core/capability/task.ts'

const json = z.unknown() as unknown as z.ZodType<Json>
const id = z.string().min(1).max(128)

const task = z.object({
  id: z.string(),
  capability: z.string(),
  input: json,
  /** Default scope of what the call stores: that of whoever put it off. */
  scope: z.object({ agent: z.string(), session: z.string().optional(), resource: z.string().optional() }),
  state: z.enum(['waiting', 'running', 'done', 'dead']),
  /** Tries begun so far; one that a closed tab or a killed process ended counts too. */
  attempts: z.number(),
  max_attempts: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
  due_at: z.string(),
  lease_until: z.string().optional(),
  /**
   * What the capability answered; absent while it has not, when it is longer than 100,000 characters, and when it names a record
   * that is sealed or was purged since.
   */
  result: json.optional(),
  /** The task that comes round, of which it is a round. */
  recurring: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
}) as unknown as z.ZodType<TaskEntry>

export const taskCapabilities = [
  defineCapability({
    id: 'task:add',
    methods: ['tasks.add'],
    summary:
      'Puts off a call of a capability: it is made soon, and again after a failure or a crash, until it succeeded.',
    input: z.strictObject({
      /** Any that writes, or that takes long. */
      capability: z.string().min(1).max(200),
      input: z.unknown().optional(),
      /** How often it is tried before it is dead. */
      max_attempts: z.number().int().min(1).max(20).default(5),
      /** Seconds to wait before the first try. */
      delay_seconds: z.number().min(0).max(31_622_400).default(0),
    }),
    output: z.object({ id: z.string() }),
    effect: 'write',
    uses: ['tasks'],
    run: ({ capability, input, max_attempts: maxAttempts, delay_seconds }, at) => ({
      id: at.tasks.add({ capability, input, maxAttempts, delayMs: Math.round(delay_seconds * 1000) }),
    }),
  }),
  defineCapability({
    id: 'task:get',
    methods: ['tasks.get'],
    summary: 'Reads one task, or null when there is none of that id. What is done is kept for a week.',
    input: z.strictObject({ id }),
    output: task.nullable(),
    effect: 'read',
    uses: ['tasks'],
    run: ({ id: wanted }, at) => at.tasks.get(wanted) ?? null,
  }),
  defineCapability({
    id: 'task:list',
    methods: ['tasks.list'],
    summary:
      'Lists tasks, newest first: what waits, runs, is done, and what is dead and waits for a decision.',
    input: z
      .strictObject({
        state: z.enum(['waiting', 'running', 'done', 'dead']).optional(),
        limit: z.number().int().min(1).max(1000).default(100),
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
    summary: 'Makes a dead task, or one that waits, due at once, with all its tries.',
    input: z.strictObject({ id }),
    output: z.object({ id: z.string() }),
    effect: 'write',
    uses: ['tasks'],
    run({ id: wanted }, at) {
      if (at.tasks.retry(wanted)) return { id: wanted }
      const found = at.tasks.get(wanted)
      if (found)
        throw new DaybookError('conflict', `The task is ${found.state}.`, { details: { path: 'id' } })
      throw new DaybookError('not-found', `There is no task \`${wanted}\`.`, { details: { path: 'id' } })
    },
  }),
  defineCapability({
    id: 'task:drop',
    methods: ['tasks.drop'],
    summary: 'Takes a task out of the queue, cancelling it if it runs. What it has done so far stays.',
    input: z.strictObject({ id }),
    output: z.object({ id: z.string(), dropped: z.boolean() }),
    effect: 'write',
    uses: ['tasks'],
    run: ({ id: wanted }, at) => ({ id: wanted, dropped: at.tasks.drop(wanted) }),
  }),
] as const
