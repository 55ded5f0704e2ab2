// The kinds of the checkpoint chapter: the state of a program's run after each step, the parts of that state, and the
// writes of tasks after a checkpoint. The content is the program's own text: nothing here parses it.
// Invariant: the id of a part derives from its thread and its hash, so checkpoints of a thread share one record.
import { defineChapterBase } from '../../core/capability/chapter.ts'
import { z } from 'zod'
import type { Kind } from '../../core/kind.ts'
import type { RecordName } from '../../core/record.ts'
import { nameId } from '../../core/text/name-id.ts'
import { plainText } from '../../core/text/shown-text.ts'
import { soundText } from '../../shape/sound-text.ts'

/** Most characters of one part; a part of this size fits into a row on every host, also in UTF-8. */
export const maxPartLength = 500_000

const labelText = soundText(1000)
export const threadId = labelText.min(1)
export const checkpointId = labelText.min(1)
/** The program's own text. The store also limits the whole record to 1.9 MB. */
export const contentText = soundText(1_500_000)
export const partHash = z.string().regex(/^[0-9a-f]{32}$/)

/** Fields that identify a checkpoint. */
export const checkpointKey = { thread: threadId, namespace: labelText.default(''), checkpoint: checkpointId }

export const checkpointBody = z.looseObject({
  thread: threadId,
  /** A part of the program, such as a subgraph; empty: the whole program. */
  namespace: labelText,
  /** A later checkpoint has a greater id; ids are compared as text. */
  checkpoint: checkpointId,
  /** The checkpoint before this one, if there is one. */
  parent: checkpointId.optional(),
  state: contentText,
  metadata: contentText,
  /** Hashes of the parts of the state. */
  parts: z.array(partHash).max(40_000),
})
export type CheckpointBody = z.output<typeof checkpointBody>

export const partBody = z.looseObject({
  thread: threadId,
  hash: partHash,
  data: soundText(maxPartLength),
})
export type PartBody = z.output<typeof partBody>

/**
 * One value that a task wrote. `place` identifies the write within the task. At a place of 0 or more the
 * first write stays; below 0 (errors, interrupts) the last one.
 */
export const pendingWrite = z.object({
  place: z.number().int().min(-1000).max(1_000_000),
  channel: labelText,
  value: contentText,
  /** Hashes of the parts of the value. */
  parts: z.array(partHash).max(10_000).optional(),
})

export const taskWritesBody = z.looseObject({
  thread: threadId,
  namespace: labelText,
  checkpoint: checkpointId,
  task: labelText.min(1),
  /** Place of the task in the program, in the program's own words; may be empty. */
  path: labelText,
  writes: z.array(pendingWrite).max(10_000),
})
export type TaskWritesBody = z.output<typeof taskWritesBody>

/** A part is removed with the last checkpoint or write that names it: see `sharedParts` in core/kind.ts. */
const sharedParts = { kind: 'checkpoint_part', namedBy: ['checkpoint', 'checkpoint_write'] } as const

const scopesOfThread = (thread: string) => [`checkpoint:${thread}`]

export function checkpointName(thread: string, namespace: string, checkpoint: string): RecordName {
  return {
    kind: 'checkpoint',
    id: nameId('checkpoint', thread, namespace, checkpoint),
    scopes: scopesOfThread(thread),
  }
}

export function partName(thread: string, hash: string): RecordName {
  return {
    kind: 'checkpoint_part',
    id: nameId('checkpoint_part', thread, hash),
    scopes: scopesOfThread(thread),
  }
}

export function taskWritesName(
  key: Pick<TaskWritesBody, 'thread' | 'namespace' | 'checkpoint' | 'task'>,
): RecordName {
  const { thread, namespace, checkpoint, task } = key
  const id = nameId('checkpoint_write', thread, namespace, checkpoint, task)
  return { kind: 'checkpoint_write', id, scopes: scopesOfThread(thread) }
}

/** Recall never returns checkpoints. */
const commonFields = {
  version: 1,
  text: [],
  scopedBy: 'subject',
  scopedAs: 'checkpoint',
  policy: 'last_write_wins',
  shared: true,
  embed: false,
  recallable: false,
} as const

export const checkpointKind: Kind<'checkpoint', CheckpointBody> = {
  ...commonFields,
  name: 'checkpoint',
  idPrefix: 'checkpoint::',
  // The fields of a body are JSON of any type here: `plainText` returns them as text.
  idOf: ({ thread, namespace, checkpoint }) =>
    checkpointName(plainText(thread), plainText(namespace), plainText(checkpoint)).id,
  summary: 'The state of a run of a program after one step.',
  schema: checkpointBody,
  parts: ({ thread, parts }) => parts.map((hash) => partName(thread, hash).id),
  sharedParts,
  // The writes of tasks after a checkpoint are removed with it. They are found by equal `facets` (change
  // both).
  followedBy: 'checkpoint_write',
  facets: { subject: 'thread', name: 'checkpoint', domain: 'namespace' },
}

export const checkpointPartKind: Kind<'checkpoint_part', PartBody> = {
  ...commonFields,
  name: 'checkpoint_part',
  idPrefix: 'checkpoint_part::',
  idOf: ({ thread, hash }) => partName(plainText(thread), plainText(hash)).id,
  summary: 'A piece of state that checkpoints of one thread share.',
  schema: partBody,
  facets: { subject: 'thread', name: 'hash' },
}

export const checkpointWriteKind: Kind<'checkpoint_write', TaskWritesBody> = {
  ...commonFields,
  name: 'checkpoint_write',
  idPrefix: 'checkpoint_write::',
  idOf: ({ thread, namespace, checkpoint, task }) =>
    nameId(
      'checkpoint_write',
      plainText(thread),
      plainText(namespace),
      plainText(checkpoint),
      plainText(task),
    ),
  summary: 'The writes of one task of a run after a checkpoint.',
  schema: taskWritesBody,
  parts: ({ thread, writes }) =>
    writes.flatMap(({ parts = [] }) => parts.map((hash) => partName(thread, hash).id)),
  sharedParts,
  facets: { subject: 'thread', name: 'checkpoint', domain: 'namespace' },
}

export const checkpointBase = defineChapterBase({
  name: 'checkpoint',
  kinds: [checkpointKind, checkpointPartKind, checkpointWriteKind],
})
