// What the verbs of checkpoints answer, and how it is read from the records.
import { z } from 'zod'
import type { RecordReader } from '../../core/capability/port/record-port.ts'
import { bodyOf } from '../../core/record.ts'
import {
  checkpointBody,
  type CheckpointBody,
  partName,
  pendingWrite,
  taskWritesBody,
} from './checkpoint-kind.ts'

/** A checkpoint, with what was written after it. */
export const readCheckpoint = z.object({
  thread: z.string(),
  namespace: z.string(),
  checkpoint: z.string(),
  parent: z.string().optional(),
  state: z.string(),
  metadata: z.string(),
  /** By task; in no order. */
  writes: z.array(z.object({ task: z.string(), path: z.string(), writes: z.array(pendingWrite) })),
})
export type ReadCheckpoint = z.output<typeof readCheckpoint>

/** The parts that checkpoints of an answer name, by hash. */
export const partTexts = z.record(z.string(), z.string())

export function shownCheckpoint(body: CheckpointBody, records: RecordReader): ReadCheckpoint {
  const { thread, namespace, checkpoint, parent, state, metadata } = body
  const filters = { thread, checkpoint, namespace }
  const { records: found } = records.query({ kind: 'checkpoint_write', filters, limit: 1000 })
  const writes = found.flatMap((record) => {
    const read = taskWritesBody.safeParse(bodyOf(record)).data
    return read ? [{ task: read.task, path: read.path, writes: read.writes }] : []
  })
  return {
    thread,
    namespace,
    checkpoint,
    ...(parent === undefined ? {} : { parent }),
    state,
    metadata,
    writes,
  }
}

/** The parts of `checkpoints`, each once, but for those that the caller has. */
export function partsOf(
  checkpoints: readonly (Pick<CheckpointBody, 'thread' | 'parts'> &
    Partial<Pick<ReadCheckpoint, 'writes'>>)[],
  known: ReadonlySet<string>,
  records: RecordReader,
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { thread, parts, writes = [] } of checkpoints) {
    const written = writes.flatMap((task) => task.writes.flatMap((one) => one.parts ?? []))
    for (const hash of [...parts, ...written]) {
      if (known.has(hash) || hash in found) continue
      const data = records.find(partName(thread, hash))?.['data']
      if (typeof data === 'string') found[hash] = data
    }
  }
  return found
}

export function checkpointIn(record: object | undefined): CheckpointBody | undefined {
  return record && checkpointBody.safeParse(bodyOf(record)).data
}
