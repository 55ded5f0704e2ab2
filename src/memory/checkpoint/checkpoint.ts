// The chapter of checkpoints, from which a program continues its run. Its verbs store a checkpoint, store the writes
// of tasks after a checkpoint, read, list, and delete a thread.
// Invariant: a checkpoint is stored with all of its parts or not at all.
import { defineChapter } from '../../core/capability/chapter.ts'
import {
  checkpointBase,
  checkpointBody,
  type CheckpointBody,
  checkpointId,
  checkpointKey,
  checkpointName,
  partHash,
  maxPartLength,
  partName,
  pendingWrite,
  taskWritesBody,
  taskWritesName,
  contentText,
  threadId,
} from './checkpoint-kind.ts'
import { z } from 'zod'
import type { RecordReader, RecordWriter } from '../../core/capability/port/record-port.ts'
import { bodyOf } from '../../core/record.ts'
import { defineCapability } from '../../core/capability/capability.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { cursor, limit, nextOf } from '../../shape/page.ts'
import { readVerb, writeVerb } from '../../shape/record-verbs.ts'

/** A checkpoint with the writes of tasks after it. */
const readCheckpoint = z.object({
  thread: z.string(),
  namespace: z.string(),
  checkpoint: z.string(),
  parent: z.string().optional(),
  state: z.string(),
  metadata: z.string(),
  /** In no particular order. */
  writes: z.array(z.object({ task: z.string(), path: z.string(), writes: z.array(pendingWrite) })),
})
type ReadCheckpoint = z.output<typeof readCheckpoint>

/** Most characters of the parts in one answer. */
const maxPageCharacters = 800_000

const partPage = {
  /** Content of the parts that the returned checkpoints name, by hash. */
  parts: z.record(z.string(), z.string()),
  /** True: there are further parts. Call again with all parts so far in `present`. */
  more: z.literal(true).optional(),
}

/** Returns checkpoints with the writes of their tasks. One query reads the writes of all checkpoints of a thread. */
function toCheckpointOutputs(bodies: readonly CheckpointBody[], records: RecordReader): ReadCheckpoint[] {
  const writesById = new Map<string, ReadCheckpoint['writes']>()
  const idOf = ({
    thread,
    namespace,
    checkpoint,
  }: Pick<CheckpointBody, 'thread' | 'namespace' | 'checkpoint'>) =>
    checkpointName(thread, namespace, checkpoint).id
  for (const body of bodies) writesById.set(idOf(body), [])
  for (const [thread, run] of Map.groupBy(bodies, ({ thread }) => thread)) {
    const filters = { thread, checkpoint: { in: run.map(({ checkpoint }) => checkpoint) } }
    // By default the order is that of an index over all records of the namespace, which is slower here.
    const query = { kind: 'checkpoint_write', filters, orderBy: 'created_at', limit: 1000 }
    let cursor: string | undefined
    do {
      const page = records.query({ ...query, ...defined({ cursor }) })
      for (const record of page.records) {
        const taskWrites = taskWritesBody.safeParse(bodyOf(record)).data
        if (!taskWrites) continue
        const { task, path, writes } = taskWrites
        writesById.get(idOf(taskWrites))?.push({ task, path, writes })
      }
      cursor = page.cursor
    } while (cursor !== undefined)
  }
  return bodies.map((body) => {
    const { thread, namespace, checkpoint, parent, state, metadata } = body
    const writes = writesById.get(idOf(body)) ?? []
    return { thread, namespace, checkpoint, ...defined({ parent }), state, metadata, writes }
  })
}

/**
 * Returns the parts of `checkpoints` by hash, without those in `knownHashes`, which the caller has: as many as fit
 * into one answer, at least one.
 */
function findParts(
  checkpoints: readonly (Pick<CheckpointBody, 'thread' | 'parts'> &
    Partial<Pick<ReadCheckpoint, 'writes'>>)[],
  knownHashes: ReadonlySet<string>,
  records: RecordReader,
): { parts: Record<string, string>; more?: true } {
  const textByHash: Record<string, string> = {}
  let charactersLeft = maxPageCharacters
  for (const { thread, parts, writes = [] } of checkpoints) {
    const written = writes.flatMap((task) => task.writes.flatMap((write) => write.parts ?? []))
    for (const hash of [...parts, ...written]) {
      if (knownHashes.has(hash) || hash in textByHash) continue
      const data = records.find(partName(thread, hash))?.['data']
      // The part has not arrived by sync yet, or was forgotten.
      if (typeof data !== 'string') continue
      const isFirst = charactersLeft === maxPageCharacters
      if (data.length > charactersLeft && !isFirst) return { parts: textByHash, more: true }
      textByHash[hash] = data
      charactersLeft -= data.length
    }
  }
  return { parts: textByHash }
}

function parseCheckpoint(record: object | undefined): CheckpointBody | undefined {
  return record && checkpointBody.safeParse(bodyOf(record)).data
}

const namespace = checkpointKey.namespace
/** Input `present`: hashes of parts that the caller already has. */
const knownParts = z.array(partHash).max(100_000).default([])
const kinds = ['checkpoint', 'checkpoint_part', 'checkpoint_write'] as const
/** Most records that one transaction forgets. */
const deleteBatchSize = 500

/** Content of parts, by hash. The book trusts the program: it doesn't compare hash and content. */
const partData = z.record(partHash, z.string().max(maxPartLength)).default({})

interface PartsToStore {
  readonly thread: string
  readonly hashes: readonly string[]
  readonly data: Readonly<Record<string, string>>
  /** Hashes of parts that are known to be stored: no lookup is needed. */
  readonly storedHashes: ReadonlySet<string>
}

/** Stores the `hashes` parts that are missing. If `data` lacks some, stores nothing and returns their hashes. */
function storeParts(
  { thread, hashes: hashList, data, storedHashes }: PartsToStore,
  records: RecordWriter,
): string[] {
  const isStored = (hash: string) =>
    storedHashes.has(hash) || records.find(partName(thread, hash)) !== undefined
  const hashes = [...new Set(hashList)]
  const missing = hashes.filter((hash) => data[hash] === undefined && !isStored(hash))
  if (missing.length > 0) return missing
  for (const hash of hashes) {
    const text = data[hash]
    if (text === undefined || isStored(hash)) continue
    const part = { thread, hash, data: text }
    records.put({ kind: 'checkpoint_part', name: partName(thread, hash), body: part })
  }
  return []
}

const checkpointCapabilities = [
  writeVerb({
    id: 'checkpoint:put',
    method: 'checkpoints.put',
    summary: 'Stores the state of a run after one step; existing parts need not be sent again.',
    input: z.strictObject({
      ...checkpointKey,
      parent: checkpointId.optional(),
      state: contentText,
      metadata: contentText,
      parts: z.array(partHash).max(40_000),
      /** Content of parts, by hash. Send the parts that the book may lack. */
      data: partData,
    }),
    output: z.object({
      id: z.string(),
      /** Hashes of parts that are neither stored nor sent. If there are any, nothing was stored. */
      missing: z.array(z.string()),
    }),
    run({ data, ...body }, { records }) {
      const { thread, parts } = body
      const name = checkpointName(thread, body.namespace, body.checkpoint)
      const parentRecord = body.parent && records.find(checkpointName(thread, body.namespace, body.parent))
      // A part is deleted only after all checkpoints that name it, so the parts of the parent exist.
      const storedHashes = new Set(parentRecord ? parseCheckpoint(parentRecord)?.parts : [])
      const missing = storeParts({ thread, hashes: parts, data, storedHashes }, records)
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
  writeVerb({
    id: 'checkpoint:put_writes',
    method: 'checkpoints.putWrites',
    summary:
      "Stores a task's writes after a checkpoint. An existing write at a place stays, unless the place is below 0.",
    input: z.strictObject({
      ...checkpointKey,
      task: z.string().min(1).max(1000),
      path: z.string().max(1000).default(''),
      writes: z.array(pendingWrite).max(10_000),
      /** Content of parts, by hash. Send the parts that the book may lack. */
      data: partData,
    }),
    output: z.object({
      id: z.string(),
      /** Hashes of parts that are neither stored nor sent. If there are any, nothing was stored. */
      missing: z.array(z.string()),
    }),
    run({ writes, data, ...key }, { records }) {
      const name = taskWritesName(key)
      const hashes = writes.flatMap(({ parts = [] }) => parts)
      const missing = storeParts({ thread: key.thread, hashes, data, storedHashes: new Set() }, records)
      if (missing.length > 0) return { id: name.id, missing }
      const existingRecord = records.find(name)
      const existingWrites = existingRecord && taskWritesBody.safeParse(bodyOf(existingRecord)).data?.writes
      const byPlace = new Map(existingWrites?.map((write) => [write.place, write]))
      for (const write of writes)
        if (write.place < 0 || !byPlace.has(write.place)) byPlace.set(write.place, write)
      const body = { ...key, writes: [...byPlace.values()] }
      // Writes after a sealed checkpoint get its sensitivity, so they are sealed too.
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
  readVerb({
    id: 'checkpoint:read',
    method: 'checkpoints.read',
    summary: 'Reads a checkpoint of a thread, by default the last one, or null.',
    input: z.strictObject({
      thread: threadId,
      namespace,
      checkpoint: checkpointId.optional(),
      /** Hashes of the parts that the caller has; the answer leaves them out. */
      present: knownParts,
    }),
    output: z.object({ checkpoint: readCheckpoint.nullable(), ...partPage }),
    run({ thread, namespace, checkpoint, present }, { records }) {
      const last = { kind: 'checkpoint', filters: { thread, namespace }, orderBy: '-checkpoint', limit: 1 }
      const checkpointRecord =
        checkpoint === undefined
          ? records.query(last).records[0]
          : records.find(checkpointName(thread, namespace, checkpoint))
      const body = parseCheckpoint(checkpointRecord)
      if (!body) return { checkpoint: null, parts: {} }
      const [output] = toCheckpointOutputs([body], records)
      const { parts } = body
      if (!output) return { checkpoint: null, parts: {} }
      return { checkpoint: output, ...findParts([{ ...output, parts }], new Set(present), records) }
    },
  }),
  readVerb({
    id: 'checkpoint:list',
    method: 'checkpoints.list',
    summary: 'Lists checkpoints of a thread or of all, the last one first.',
    input: z
      .strictObject({
        thread: threadId.optional(),
        // Without the default of the other verbs: absent means every namespace.
        namespace: namespace.unwrap().optional(),
        checkpoint: checkpointId.optional(),
        /** Only checkpoints with a smaller id. */
        before: checkpointId.optional(),
        present: knownParts,
        limit: limit(20, 100),
        cursor,
      })
      .prefault({}),
    output: z.object({
      checkpoints: z.array(readCheckpoint),
      ...partPage,
      cursor: z.string().optional(),
    }),
    run({ thread, namespace, checkpoint, before, present, limit, cursor }, { records }) {
      const conditions = [
        ...(thread === undefined ? [] : [{ thread }]),
        ...(namespace === undefined ? [] : [{ namespace }]),
        ...(checkpoint === undefined ? [] : [{ checkpoint }]),
        ...(before === undefined ? [] : [{ checkpoint: { lt: before } }]),
      ]
      const filters = conditions.length === 0 ? undefined : { and: conditions }
      const page = records.query({ kind: 'checkpoint', filters, orderBy: '-checkpoint', limit, cursor })
      const bodies = page.records.flatMap((record) => parseCheckpoint(record) ?? [])
      const checkpoints = toCheckpointOutputs(bodies, records)
      const withParts = checkpoints.map((output, i) => ({ ...output, parts: bodies[i]?.parts ?? [] }))
      return {
        checkpoints,
        ...findParts(withParts, new Set(present), records),
        ...nextOf(page),
      }
    },
  }),
  defineCapability({
    id: 'checkpoint:delete_thread',
    permission: 'forget',
    methods: ['checkpoints.deleteThread'],
    summary: 'Forgets all checkpoints of a thread with their parts and writes.',
    input: z.strictObject({ thread: threadId }),
    output: z.object({ forgotten: z.number() }),
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ thread }, { records }) {
      let forgotten = 0
      // Delete checkpoints first, so that no program continues from a half-deleted thread.
      for (const kind of kinds) {
        for (;;) {
          const threadRecords = records.query({ kind, filters: { thread }, limit: deleteBatchSize }).records
          if (threadRecords.length === 0) break
          const forgottenNow = await records.write(
            // `alone`: the parts are forgotten in the rounds of their own kind.
            (writer) => threadRecords.filter(({ id }) => writer.records.forget(id, 'alone')).length,
          )
          // The caller may not forget these records: without this error the loop would not end.
          if (forgottenNow === 0)
            throw new DaybookError('conflict', `The caller may not delete thread \`${thread}\`.`)
          forgotten += forgottenNow
        }
      }
      return { forgotten }
    },
  }),
] as const

export const checkpoint = defineChapter({ ...checkpointBase, capabilities: checkpointCapabilities })
