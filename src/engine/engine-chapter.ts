// The engine's own chapter: the status of the book, and its end.
import { z } from 'zod'
import { defineCapability } from '../core/capability/capability.ts'
import { defineChapter } from '../core/capability/chapter.ts'
import type { Status } from '../core/capability/status.ts'
import { readVerb } from '../shape/record-verbs.ts'
import { shapeOf } from '../shape/shape-of.ts'

const syncState = z.object({
  /** True if the book has a mirror. */
  configured: z.boolean(),
  /** `waiting`: the mirror requested a pause. `stopped`: the mirror refuses syncs until something changes. */
  phase: z.enum(['off', 'idle', 'running', 'offline', 'waiting', 'stopped']),
  /** Time of the next automatic sync. */
  nextAt: z.string().optional(),
  running: z.boolean(),
  /** The connection on which the mirror sends changes at once. `resting`: no one needs it, or there is no network. */
  live: z.enum(['connecting', 'open', 'waiting', 'resting', 'refused']).optional(),
  /** Unacknowledged changes; those that the mirror will never accept; conflicts that no person has decided. */
  pending: z.number(),
  refused: z.number(),
  conflicts: z.number(),
  /** Counts of the running sync. */
  progress: z.object({ pulled: z.number(), pushed: z.number(), conflicts: z.number() }).optional(),
  /** How often this copy differed from the mirror's copy and was read again. Expected: 0. */
  repairs: z.number(),
  lastSyncedAt: z.string().optional(),
  lastError: z.object({ code: z.string(), message: z.string() }).optional(),
})

const status = shapeOf<Status>()(
  z.object({
    name: z.string(),
    agent: z.string(),
    durability: z.enum(['opfs', 'indexeddb', 'memory', 'file', 'durable-object', 'postgres']),
    /** True if the browser promised to keep the book. Absent on other hosts. */
    persisted: z.boolean().optional(),
    /** True if this tab or process runs the engine of the book. */
    owner: z.boolean(),
    /** Version of the tables. */
    schema: z.number(),
    /** Number of live records of each kind. */
    records: z.record(z.string(), z.number()),
    usageBytes: z.number(),
    quotaBytes: z.number().optional(),
    /** Storage that all guests use (`used…`), and their limits. Only for the owner. */
    guestQuota: z
      .object({ usedRecords: z.number(), usedBytes: z.number(), records: z.number(), bytes: z.number() })
      .optional(),
    /** Records whose text is not indexed yet. The next search indexes them first. */
    unindexed: z.number(),
    /** Time of the last complete copy of the records in a second file. */
    checkpointAt: z.string().optional(),
    sync: syncState,
    /** Descriptions of faults. */
    degraded: z.array(z.string()),
  }),
)

const statusCapabilities = [
  readVerb({
    id: 'daybook:status',
    method: 'status',
    summary: 'Answers the state of the book: its storage and size, pending work, and sync.',
    input: z.strictObject({}).prefault({}),
    output: status,
    uses: ['status'],
    run: (_input, at) => at.status.book(),
  }),
] as const

/** The name of the book, as a confirmation. */
const confirm = z.string().max(100)

const endCapabilities = [
  defineCapability({
    id: 'daybook:erase',
    methods: ['erase'],
    summary:
      'Erases the whole book on this device, and first at its mirror if asked to. Asks for the name of the book; nothing brings it back, so export it before.',
    input: z.strictObject({ confirm, mirror: z.boolean().default(false) }),
    output: z.object({
      erased: z.literal(true),
      name: z.string(),
      /** True if the book was erased at the mirror too. */
      mirror: z.boolean(),
    }),
    effect: 'task',
    runs: 'device',
    // A second erasure finishes an interrupted one.
    repeatable: true,
    // The queue is in the book that ends.
    isQueued: false,
    uses: ['end'],
    run: (input, at) => at.end.erase(input),
  }),
  defineCapability({
    id: 'daybook:start_over',
    methods: ['startOver'],
    summary:
      'After an erasure at the mirror: starts a new book there under the same name, from this copy. Needs the name as confirmation.',
    input: z.strictObject({ confirm }),
    output: z.object({
      /** False if another device had already started the new book: then this copy joined that book. */
      begun: z.boolean(),
      pulled: z.number(),
      pushed: z.number(),
      conflicts: z.number(),
    }),
    effect: 'task',
    runs: 'device',
    repeatable: true,
    isQueued: false,
    uses: ['end'],
    run: (input, at) => at.end.startOver(input),
  }),
] as const

export const engineChapter = defineChapter({
  name: 'engine',
  capabilities: [...statusCapabilities, ...endCapabilities],
  kinds: [],
})
