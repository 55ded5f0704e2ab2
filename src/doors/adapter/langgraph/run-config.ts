// Which checkpoint a config of the framework means. Invariant: nothing is stored for a config that names no thread.
import type { RunnableConfig } from '@langchain/core/runnables'
import { adapterError } from '../adapter-error.ts'

export interface CheckpointPlace {
  readonly thread?: string
  readonly namespace?: string
  readonly checkpoint?: string
}

export function placeOf({ configurable = {} }: RunnableConfig): CheckpointPlace {
  const { thread_id, checkpoint_ns, checkpoint_id, thread_ts } = configurable
  const thread = keyOf('thread_id', thread_id)
  const namespace = keyOf('checkpoint_ns', checkpoint_ns)
  const checkpoint = keyOf('checkpoint_id', checkpoint_id || thread_ts || undefined)
  return {
    ...(thread === undefined ? {} : { thread }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(checkpoint === undefined ? {} : { checkpoint }),
  }
}

function keyOf(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  // Threads that were numbered by a program are known by the number's digits.
  if (typeof value === 'number' && name === 'thread_id') return String(value)
  const isText = typeof value === 'string' && value.isWellFormed() && value.length <= 1000
  if (isText && (value !== '' || name === 'checkpoint_ns')) return value
  const message = `Invalid configurable value for key "${name}": expected a string of 1 to 1,000 characters.`
  throw adapterError('invalid-input', message, { path: `configurable.${name}` })
}

/** The thread that something is to be stored for. */
export function needThread({ thread }: CheckpointPlace, what: string): string {
  if (thread !== undefined) return thread
  const message = `Failed to put ${what}. The passed RunnableConfig is missing a required "thread_id" field in its "configurable" property. Give each conversation one: graph.invoke(input, { configurable: { thread_id: "1" } })`
  throw adapterError('invalid-input', message, { path: 'configurable.thread_id' })
}

export function needCheckpoint({ checkpoint }: CheckpointPlace): string {
  if (checkpoint !== undefined) return checkpoint
  const message =
    'Failed to put writes. The passed RunnableConfig is missing a required "checkpoint_id" field in its "configurable" property.'
  throw adapterError('invalid-input', message, { path: 'configurable.checkpoint_id' })
}
