// The verbs of the engine itself: what state the book is in.
import { z } from 'zod'
import { defineCapability } from '../core/capability/capability.ts'
import type { Status } from '../core/capability/status.ts'

const syncState = z.object({
  configured: z.boolean(),
  phase: z.enum(['off', 'idle', 'running', 'offline', 'waiting', 'stopped']),
  nextAt: z.string().optional(),
  running: z.boolean(),
  live: z.enum(['connecting', 'open', 'waiting', 'resting', 'refused']).optional(),
  pending: z.number(),
  refused: z.number(),
  conflicts: z.number(),
  progress: z.object({ pulled: z.number(), pushed: z.number(), conflicts: z.number() }).optional(),
  repairs: z.number(),
  lastSyncedAt: z.string().optional(),
  lastError: z.object({ code: z.string(), message: z.string() }).optional(),
})

const status = z.object({
  name: z.string(),
  agent: z.string(),
  durability: z.enum(['opfs', 'indexeddb', 'memory', 'file', 'durable-object', 'postgres']),
  persisted: z.boolean().optional(),
  owner: z.boolean(),
  schema: z.number(),
  records: z.record(z.string(), z.number()),
  usageBytes: z.number(),
  quotaBytes: z.number().optional(),
  guestQuota: z
    .object({ usedRecords: z.number(), usedBytes: z.number(), records: z.number(), bytes: z.number() })
    .optional(),
  unindexed: z.number(),
  checkpointAt: z.string().optional(),
  sync: syncState,
  degraded: z.array(z.string()),
}) as unknown as z.ZodType<Status>

export const engineCapabilities = [
  defineCapability({
    id: 'daybook:status',
    permission: 'read',
    methods: ['status'],
    summary: 'Says where the book is kept, how large it is, what waits and how syncing stands.',
    input: z.strictObject({}).prefault({}),
    output: status,
    effect: 'read',
    uses: ['status'],
    run: (_input, at) => at.status.book(),
  }),
] as const
