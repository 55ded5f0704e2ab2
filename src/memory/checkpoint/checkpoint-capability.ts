// The verbs of checkpoints: keep one, keep what tasks wrote after it, read and list, delete a thread.
// Invariant: a checkpoint is there with all of its parts or not at all.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import type { RecordWriter } from '../../core/capability/port/record-port.ts'
import { DaybookError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf } from '../../core/record.ts'
import {
  checkpointId,
  checkpointKey,
  checkpointName,
  partHash,
  partName,
  partLimit,
  pendingWrite,
  taskWritesBody,
  taskWritesName,
  text,
  threadId,
} from './checkpoint-kind.ts'
import { checkpointIn, partsOf, partTexts, readCheckpoint, shownCheckpoint } from './checkpoint-shape.ts'

const namespace = checkpointKey.namespace
/** Parts that the caller has kept from before, and need not be sent again. */
const known = z.array(partHash).max(100_000).default([])
const kinds = ['checkpoint', 'checkpoint_part', 'checkpoint_write'] as const
/** So many records are forgotten in one transaction. */
const deletedAtOnce = 500

const partData = z.record(partHash, z.string().max(partLimit)).default({})

interface PartsToKeep {
  readonly thread: string
  readonly wanted: readonly string[]
  readonly data: Readonly<Record<string, string>>
  /** Those that are known to be there. */
  readonly held: ReadonlySet<string>
}

/** Keeps the parts that are wanted and not there yet; where some did not come, none, and answers which. */
function keepParts({ thread, wanted, data, held }: PartsToKeep, records: RecordWriter): string[] {
  const isThere = (hash: string) => held.has(hash) || records.find(partName(thread, hash)) !== undefined
  const hashes = [...new Set(wanted)]
  const missing = hashes.filter((hash) => data[hash] === undefined && !isThere(hash))
  if (missing.length > 0) return missing
  for (const hash of hashes) {
    const text = data[hash]
    if (text === undefined || isThere(hash)) continue
    const part = { thread, hash, data: text }
    records.put({ kind: 'checkpoint_part', name: partName(thread, hash), body: part })
  }
  return []
}

export const checkpointCapabilities = [
  defineCapability({
    id: 'checkpoint:put',
    permission: 'write',
    methods: ['checkpoints.put'],
    summary:
      'Keeps the state of a run after one step; parts of it that are there already need not come again.',
    input: z.strictObject({
      ...checkpointKey,
      parent: checkpointId.optional(),
      state: text,
      metadata: text,
      parts: z.array(partHash).max(40_000),
      /** By hash: the parts that may not be there yet. */
      data: partData,
    }),
    output: z.object({
      id: z.string(),
      /** Parts that are not there and did not come: nothing was kept. */
      missing: z.array(z.string()),
    }),
    effect: 'write',
    uses: ['records'],
    run({ data, ...body }, { records }) {
      const { thread, parts } = body
      const name = checkpointName(thread, body.namespace, body.checkpoint)
      const before = body.parent && records.find(checkpointName(thread, body.namespace, body.parent))
      // Parts go after all checkpoints that name them, so what the one before names is there.
      const held = new Set(before ? checkpointIn(before)?.parts : [])
      const missing = keepParts({ thread, wanted: parts, data, held }, records)
      if (missing.length > 0) return { id: name.id, missing }
      const id = records.put({
        kind: 'checkpoint',
        name,
        body: body as unknown as JsonObject,
        checked: true,
        exact: true,
      })
      return { id, missing }
    },
  }),
  defineCapability({
    id: 'checkpoint:put_writes',
    permission: 'write',
    methods: ['checkpoints.putWrites'],
    summary:
      'Keeps what a task has written after a checkpoint. What stands at a place already stays, unless the place is below 0.',
    input: z.strictObject({
      ...checkpointKey,
      task: z.string().min(1).max(1000),
      path: z.string().max(1000).default(''),
      writes: z.array(pendingWrite).max(10_000),
      /** By hash: the parts that may not be there yet. */
      data: partData,
    }),
    output: z.object({
      id: z.string(),
      /** Parts that are not there and did not come: nothing was kept. */
      missing: z.array(z.string()),
    }),
    effect: 'write',
    uses: ['records'],
    run({ writes, data, ...key }, { records }) {
      const name = taskWritesName(key)
      const wanted = writes.flatMap(({ parts = [] }) => parts)
      const missing = keepParts({ thread: key.thread, wanted, data, held: new Set() }, records)
      if (missing.length > 0) return { id: name.id, missing }
      const found = records.find(name)
      const before = found && taskWritesBody.safeParse(bodyOf(found)).data?.writes
      const byPlace = new Map(before?.map((one) => [one.place, one]))
      for (const one of writes) if (one.place < 0 || !byPlace.has(one.place)) byPlace.set(one.place, one)
      const body = { ...key, writes: [...byPlace.values()] }
      // What is written after a sealed checkpoint belongs to it.
      const level = records.find(checkpointName(key.thread, key.namespace, key.checkpoint))?.sensitivity
      const scope = level === undefined ? {} : { scope: { sensitivity: level } }
      const id = records.put({
        kind: 'checkpoint_write',
        name,
        body: body as unknown as JsonObject,
        ...scope,
      })
      return { id, missing }
    },
  }),
  defineCapability({
    id: 'checkpoint:read',
    permission: 'read',
    methods: ['checkpoints.read'],
    summary: 'Reads a checkpoint of a thread, the last one unless it is named; null when there is none.',
    input: z.strictObject({ thread: threadId, namespace, checkpoint: checkpointId.optional(), known }),
    output: z.object({ checkpoint: readCheckpoint.nullable(), parts: partTexts }),
    effect: 'read',
    uses: ['records'],
    run({ thread, namespace, checkpoint, known }, { records }) {
      const last = { kind: 'checkpoint', filters: { thread, namespace }, orderBy: '-checkpoint', limit: 1 }
      const found =
        checkpoint === undefined
          ? records.query(last).records[0]
          : records.find(checkpointName(thread, namespace, checkpoint))
      const body = checkpointIn(found)
      if (!body) return { checkpoint: null, parts: {} }
      const shown = shownCheckpoint(body, records)
      const { parts } = body
      return { checkpoint: shown, parts: partsOf([{ ...shown, parts }], new Set(known), records) }
    },
  }),
  defineCapability({
    id: 'checkpoint:list',
    permission: 'read',
    methods: ['checkpoints.list'],
    summary: 'Lists checkpoints of a thread or of all, the last one first.',
    input: z
      .strictObject({
        thread: threadId.optional(),
        namespace: namespace.unwrap().optional(),
        checkpoint: checkpointId.optional(),
        before: checkpointId.optional(),
        known,
        limit: z.number().int().min(1).max(100).default(20),
        cursor: z.string().max(40_000).optional(),
      })
      .prefault({}),
    output: z.object({
      checkpoints: z.array(readCheckpoint),
      parts: partTexts,
      cursor: z.string().optional(),
    }),
    effect: 'read',
    uses: ['records'],
    run({ thread, namespace, checkpoint, before, known, limit, cursor }, { records }) {
      const asked = [
        ...(thread === undefined ? [] : [{ thread }]),
        ...(namespace === undefined ? [] : [{ namespace }]),
        ...(checkpoint === undefined ? [] : [{ checkpoint }]),
        ...(before === undefined ? [] : [{ checkpoint: { lt: before } }]),
      ]
      const filters = asked.length === 0 ? undefined : { and: asked }
      const page = records.query({ kind: 'checkpoint', filters, orderBy: '-checkpoint', limit, cursor })
      const bodies = page.records.flatMap((record) => checkpointIn(record) ?? [])
      const shown = bodies.map((body) => ({ ...shownCheckpoint(body, records), parts: body.parts }))
      return {
        checkpoints: shown.map(({ parts: _parts, ...one }) => one),
        parts: partsOf(shown, new Set(known), records),
        ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
      }
    },
  }),
  defineCapability({
    id: 'checkpoint:delete_thread',
    permission: 'forget',
    methods: ['checkpoints.deleteThread'],
    summary: 'Forgets all checkpoints of a thread and what belongs to them.',
    input: z.strictObject({ thread: threadId }),
    output: z.object({ forgotten: z.number() }),
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ thread }, { records }) {
      let forgotten = 0
      // The checkpoints go first: what is left of a thread in the middle of this is nothing that anybody would go on from.
      for (const kind of kinds) {
        for (;;) {
          const found = records.query({ kind, filters: { thread }, limit: deletedAtOnce }).records
          if (found.length === 0) break
          const gone = await records.write(
            (at) => found.filter(({ id }) => at.records.forget(id, 'alone')).length,
          )
          // Only who may forget them gets on.
          if (gone === 0) throw new DaybookError('conflict', `Thread \`${thread}\` can't be deleted here.`)
          forgotten += gone
        }
      }
      return { forgotten }
    },
  }),
] as const
