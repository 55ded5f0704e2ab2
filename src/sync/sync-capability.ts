// The verbs of sync: sync now, read the conflict log.
import { z } from 'zod'
import { type ConflictEntry, defineCapability } from '../core/capability.ts'

const conflict = z.object({
  id: z.number(),
  record: z.string(),
  kind: z.string(),
  policy: z.enum(['local_wins', 'remote_wins', 'last_write_wins', 'merge', 'manual']),
  at: z.string(),
  lost: z.object({
    by: z.string(),
    op: z.enum(['put', 'forget']),
    body: z.record(z.string(), z.unknown()).optional(),
  }),
}) as unknown as z.ZodType<ConflictEntry>

export const syncCapabilities = [
  defineCapability({
    id: 'daybook:sync',
    methods: ['sync'],
    summary: 'Sends what the mirror has not seen and fetches what is new there, until both agree.',
    input: z.strictObject({}).prefault({}),
    output: z.object({ pulled: z.number(), pushed: z.number(), conflicts: z.number() }),
    effect: 'task',
    run: (_input, at) => at.sync(),
  }),
  defineCapability({
    id: 'daybook:list_conflicts',
    methods: ['conflicts.list'],
    summary: 'Lists the edits that lost a conflict, newest first, each with what it said.',
    input: z.strictObject({ limit: z.number().int().min(1).max(1000).default(100) }).prefault({}),
    output: z.object({ conflicts: z.array(conflict) }),
    effect: 'read',
    run: ({ limit }, at) => ({ conflicts: at.records.conflicts(limit) }),
  }),
] as const
