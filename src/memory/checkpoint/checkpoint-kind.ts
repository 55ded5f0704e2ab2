// The kinds of checkpoints: the state of a program's run after each step, in parts that checkpoints of one thread share, and
// what its tasks have written since. Invariant: a part is named by what it says, so that no step stores it twice.
// What stands in them is the program's own text, which nobody here reads.
import { z } from 'zod'
import type { Kind } from '../../core/kind.ts'
import type { RecordName } from '../../core/put-request.ts'
import { nameId } from '../../core/text/name-id.ts'
import { plainText } from '../../core/text/plain-text.ts'

/** Characters of one part, or of one value that is written: what fits into a row at every host. */
export const partLimit = 500_000

const sound = (text: string) => text.isWellFormed()
const label = z.string().max(1000).refine(sound, 'is not well-formed Unicode')
export const threadId = label.min(1)
export const checkpointId = label.min(1)
export const text = z.string().max(1_500_000).refine(sound, 'is not well-formed Unicode')
export const partHash = z.string().regex(/^[0-9a-f]{32}$/)

/** What one checkpoint is known by. */
export const checkpointKey = { thread: threadId, namespace: label.default(''), checkpoint: checkpointId }

export const checkpointBody = z.looseObject({
  thread: threadId,
  /** The part of the program that it is of; empty for the whole. */
  namespace: label,
  /** Greater for later ones, compared as text. */
  checkpoint: checkpointId,
  /** The checkpoint before it. */
  parent: checkpointId.optional(),
  state: text,
  metadata: text,
  /** The parts that its state names. */
  parts: z.array(partHash).max(40_000),
})
export type CheckpointBody = z.output<typeof checkpointBody>

export const partBody = z.looseObject({
  thread: threadId,
  hash: partHash,
  data: z.string().max(partLimit).refine(sound, 'is not well-formed Unicode'),
})
export type PartBody = z.output<typeof partBody>

/** One value that a task wrote. Those with the same place are one. */
export const pendingWrite = z.object({
  place: z.number().int().min(-1000).max(1_000_000),
  channel: label,
  value: text,
  /** The parts that the value names. */
  parts: z.array(partHash).max(10_000).optional(),
})

export const taskWritesBody = z.looseObject({
  thread: threadId,
  namespace: label,
  checkpoint: checkpointId,
  task: label.min(1),
  path: label,
  writes: z.array(pendingWrite).max(10_000),
})
export type TaskWritesBody = z.output<typeof taskWritesBody>

const sharedParts = { kind: 'checkpoint_part', namedBy: ['checkpoint', 'checkpoint_write'] } as const

const scopes = (thread: string) => [`checkpoint:${thread}`]

export function checkpointName(thread: string, namespace: string, checkpoint: string): RecordName {
  return {
    kind: 'checkpoint',
    id: nameId('checkpoint', thread, namespace, checkpoint),
    scopes: scopes(thread),
  }
}

export function partName(thread: string, hash: string): RecordName {
  return { kind: 'checkpoint_part', id: nameId('checkpoint_part', thread, hash), scopes: scopes(thread) }
}

export function taskWritesName(
  key: Pick<TaskWritesBody, 'thread' | 'namespace' | 'checkpoint' | 'task'>,
): RecordName {
  const { thread, namespace, checkpoint, task } = key
  const id = nameId('checkpoint_write', thread, namespace, checkpoint, task)
  return { kind: 'checkpoint_write', id, scopes: scopes(thread) }
}

/** None of it is remembered: it is where a program goes on. */
const aside = {
  version: 1,
  text: [],
  scopedBy: 'subject',
  scopedAs: 'checkpoint',
  policy: 'last_write_wins',
  shared: true,
  embed: false,
  recallable: () => false,
} as const

export const checkpointKind: Kind<'checkpoint', CheckpointBody> = {
  ...aside,
  name: 'checkpoint',
  idPrefix: 'checkpoint::',
  idOf: ({ thread, namespace, checkpoint }) =>
    checkpointName(plainText(thread), plainText(namespace), plainText(checkpoint)).id,
  summary: 'The state of a run of a program after one step.',
  schema: checkpointBody,
  parts: ({ thread, parts }) => parts.map((hash) => partName(thread, hash).id),
  sharedParts,
  followedBy: 'checkpoint_write',
  facets: { subject: 'thread', name: 'checkpoint', domain: 'namespace' },
}

export const checkpointPartKind: Kind<'checkpoint_part', PartBody> = {
  ...aside,
  name: 'checkpoint_part',
  idPrefix: 'checkpoint_part::',
  idOf: ({ thread, hash }) => partName(plainText(thread), plainText(hash)).id,
  summary: 'A piece of state that checkpoints of one thread share.',
  schema: partBody,
  facets: { subject: 'thread', name: 'hash' },
}

export const checkpointWriteKind: Kind<'checkpoint_write', TaskWritesBody> = {
  ...aside,
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
  summary: 'What one task of a run has written after a checkpoint.',
  schema: taskWritesBody,
  parts: ({ thread, writes }) =>
    writes.flatMap(({ parts = [] }) => parts.map((hash) => partName(thread, hash).id)),
  sharedParts,
  facets: { subject: 'thread', name: 'checkpoint', domain: 'namespace' },
}
