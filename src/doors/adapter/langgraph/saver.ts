// `DaybookSaver`: stores checkpoints of LangGraph in a book, so that a run resumes in another tab, process or device.
import type { RunnableConfig } from '@langchain/core/runnables'
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  copyCheckpoint,
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS,
  WRITES_IDX_MAP,
  writesSortKey,
} from '@langchain/langgraph-checkpoint'
import type { CapabilityOutput, Daybook } from '../../../book/daybook.ts'
import { defined } from '../../../core/defined.ts'
import { adapterError } from '../adapter-error.ts'
import { isFull, PartCache } from './part-cache.ts'
import {
  checkedParts,
  folded,
  decodeValue,
  decodeFromText,
  hashesOf,
  type EncodedValue,
  unserializable,
  type PartsByHash,
  encodeValue,
  encodeToText,
} from './state-parts.ts'

/** `state` and `metadata`: JSON texts. `parent`: id of the checkpoint before. `writes`: one entry for each task. */
type StoredCheckpoint = NonNullable<CapabilityOutput<'checkpoint:read'>['checkpoint']>
/**
 * The stored JSON of a checkpoint: its fields without `channel_values`, and its values by channel.
 * `EncodedValue`: see state-parts.ts.
 */
interface StoredState {
  readonly head: EncodedValue
  readonly values: Readonly<Record<string, EncodedValue>>
}

/**
 * Maximum characters of metadata, and of all writes of one task, that are stored inline. Longer texts become parts.
 */
const maxInlineLength = 200_000
/** A state with more characters stores its long lists as parts. */
const stateCharacters = 200_000

export class DaybookSaver extends BaseCheckpointSaver {
  readonly #book: Pick<Daybook, 'checkpoints'>
  readonly #cache = new PartCache()

  /** `book`: an open book or a handle of one. `serde`: a serializer. Default: the framework's. */
  constructor(book: Pick<Daybook, 'checkpoints'>, serde?: SerializerProtocol) {
    super(serde)
    this.#book = book
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions?: ChannelVersions,
  ): Promise<RunnableConfig> {
    const ref = checkpointRefOf(config)
    const thread = requireThread(ref, 'checkpoint')
    const namespace = ref.namespace ?? ''
    const { channel_values, ...head } = copyCheckpoint(checkpoint)
    const unset = await this.#unsetChannels(ref, checkpoint, newVersions)
    const parts: PartsByHash = new Map()
    const values = await Promise.all(
      Object.entries(channel_values)
        .filter(([channel]) => !unset.has(channel))
        .map(async ([channel, value]) => [channel, await encodeValue(this.serde, value, parts)] as const),
    )
    const state: StoredState = {
      head: await encodeValue(this.serde, head, parts),
      // `fromEntries` keeps every name of a channel, also `__proto__`.
      values: Object.fromEntries(values.filter(([, node]) => node !== unserializable)),
    }
    const encoded = await encodeToText(this.serde, metadata, parts, maxInlineLength)
    const short = shortened(state, parts)
    // Both: `short` names the parts of lists, only `state` names those of their elements.
    const named = [state, short].flatMap(({ head, values }) =>
      [head, ...Object.values(values)].flatMap(hashesOf),
    )
    const body = {
      thread,
      namespace,
      checkpoint: checkpoint.id,
      ...defined({ parent: ref.checkpoint }),
      state: JSON.stringify(short),
      metadata: encoded.text,
      parts: [...new Set([...named, ...encoded.hashes])],
    }
    await this.#sendParts(thread, parts, (data) => this.#book.checkpoints.put({ ...body, data }))
    return { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: checkpoint.id } }
  }

  /**
   * Returns channels that `put` leaves out of a checkpoint without a parent: `set` lacks them, and no stored
   * checkpoint of the namespace has their value at the same version. A checkpoint without a parent may be a copy of a
   * stored one, whose channels stay. `set`: the channels that this step changed; undefined: all.
   */
  async #unsetChannels(
    place: CheckpointRef,
    { channel_values, channel_versions }: Checkpoint,
    set?: ChannelVersions,
  ) {
    const unset = new Set(
      Object.keys(channel_values).filter((channel) => set && !Object.hasOwn(set, channel)),
    )
    if (unset.size === 0 || place.checkpoint !== undefined) return new Set<string>()
    const config = { configurable: { thread_id: place.thread, checkpoint_ns: place.namespace ?? '' } }
    for await (const { checkpoint: other } of this.list(config)) {
      for (const channel of unset) {
        const isSame = other.channel_versions[channel] === channel_versions[channel]
        if (isSame && Object.hasOwn(other.channel_values, channel)) unset.delete(channel)
      }
      if (unset.size === 0) break
    }
    return unset
  }

  /** Sends the parts that the cache lacks. Sends all parts if the book answers that it lacks some. */
  async #sendParts(
    thread: string,
    parts: PartsByHash,
    put: (data: Record<string, string>) => Promise<{ readonly missing: readonly string[] }>,
  ) {
    const sent = this.#cache.stored(thread)
    const fresh = [...parts].filter(([hash]) => !sent.has(hash))
    const { missing } = await put(Object.fromEntries(fresh))
    if (missing.length > 0) {
      this.#cache.forget(thread)
      await put(Object.fromEntries(parts))
    }
    this.#cache.keep(thread, parts)
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = '',
  ): Promise<void> {
    const ref = checkpointRefOf(config)
    const thread = requireThread(ref, 'writes')
    const checkpoint = requireCheckpoint(ref)
    const parts: PartsByHash = new Map()
    const inline = Math.floor(maxInlineLength / Math.max(1, writes.length))
    const named = await Promise.all(
      writes.map(async ([channel, value], place) => {
        const { text, hashes, isUnserializable } = await encodeToText(this.serde, value, parts, inline)
        if (isUnserializable) return []
        // The framework gives special channels, such as errors, fixed places. Other writes have their index.
        const own = { place: WRITES_IDX_MAP[channel] ?? place, channel, value: text }
        return [hashes.length === 0 ? own : { ...own, parts: [...hashes] }]
      }),
    )
    const body = {
      thread,
      namespace: ref.namespace ?? '',
      checkpoint,
      task: taskId,
      path: taskPath,
      writes: named.flat(),
    }
    await this.#sendParts(thread, parts, (data) => this.#book.checkpoints.putWrites({ ...body, data }))
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread, namespace = '', checkpoint } = checkpointRefOf(config)
    if (thread === undefined) return undefined
    const found = await this.#read({ thread, namespace, checkpoint })
    if (!found) return undefined
    const tuple = await this.#toTuple(found.stored, found.parts)
    return checkpoint === undefined ? tuple : { ...tuple, config }
  }

  /**
   * Reads a checkpoint with its parts, in several calls. `known`: parts that the caller has, besides the
   * cache's. Answers lack the parts whose hashes are in `present`.
   */
  async #read(
    {
      thread,
      namespace,
      checkpoint,
    }: Pick<StoredCheckpoint, 'thread' | 'namespace'> & { checkpoint?: string | undefined },
    known: ReadonlyMap<string, string> = new Map(),
  ): Promise<{ readonly stored: StoredCheckpoint; readonly parts: PartsByHash } | undefined> {
    const parts: PartsByHash = new Map([...known, ...this.#cache.of(thread)])
    for (;;) {
      const answer = await this.#book.checkpoints.read({
        thread,
        namespace,
        ...defined({ checkpoint }),
        present: [...parts.keys()],
      })
      const fresh = checkedParts(answer.parts)
      for (const [hash, text] of fresh) parts.set(hash, text)
      this.#cache.keep(thread, fresh)
      // `more`: the next answer has further parts. After an answer without new parts, the loop would never
      // end.
      if (answer.more && fresh.length > 0) continue
      return answer.checkpoint ? { stored: answer.checkpoint, parts } : undefined
    }
  }

  override async *list(
    config: RunnableConfig,
    { limit = Number.POSITIVE_INFINITY, before, filter }: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const last = before && checkpointRefOf(before).checkpoint
    const query = { ...checkpointRefOf(config), ...defined({ before: last }) }
    let parts: PartsByHash = new Map()
    let remaining = limit
    let cursor: string | undefined
    do {
      if (remaining <= 0) return
      if (isFull(parts)) parts = new Map()
      const page = await this.#book.checkpoints.list({
        ...query,
        present: [...parts.keys()],
        // The loop below applies `filter`, so it may need more checkpoints than `remaining`.
        limit: filter ? 100 : Math.min(100, remaining),
        ...defined({ cursor }),
      })
      for (const [hash, text] of checkedParts(page.parts)) parts.set(hash, text)
      for (const one of page.checkpoints) {
        // With `more`, the page lacks parts.
        const found = page.more ? await this.#read(one, parts) : { stored: one, parts }
        // Deleted since.
        if (!found) continue
        const metadata = (await decodeFromText(this.serde, found.stored.metadata, found.parts)) as Record<
          string,
          unknown
        >
        if (filter && !Object.entries(filter).every(([key, value]) => metadata[key] === value)) continue
        if (remaining <= 0) return
        remaining -= 1
        yield await this.#toTuple(found.stored, found.parts)
      }
      cursor = page.cursor
    } while (cursor !== undefined)
  }

  override async deleteThread(threadId: string): Promise<void> {
    const thread = requireThread(checkpointRefOf({ configurable: { thread_id: threadId } }), 'checkpoint')
    this.#cache.forget(thread)
    await this.#book.checkpoints.deleteThread({ thread })
  }

  async #toTuple(stored: StoredCheckpoint, parts: ReadonlyMap<string, string>): Promise<CheckpointTuple> {
    const { thread, namespace, parent } = stored
    const configOf = (checkpoint_id: string) => ({
      configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id },
    })
    const checkpoint = await this.#toCheckpoint(stored, parts)
    if (checkpoint.v < 4 && parent !== undefined) await this.#addTaskSends(checkpoint, stored, parent)
    return {
      config: configOf(stored.checkpoint),
      checkpoint,
      metadata: (await decodeFromText(this.serde, stored.metadata, parts)) as CheckpointMetadata,
      pendingWrites: await this.#pendingWrites(stored, parts),
      ...(parent === undefined ? {} : { parentConfig: configOf(parent) }),
    }
  }

  async #toCheckpoint(stored: StoredCheckpoint, parts: ReadonlyMap<string, string>): Promise<Checkpoint> {
    const { head, values } = JSON.parse(stored.state) as StoredState
    try {
      const entries = await Promise.all(
        Object.entries(values).map(
          async ([channel, node]) => [channel, await decodeValue(this.serde, node, parts)] as const,
        ),
      )
      const rest = (await decodeValue(this.serde, head, parts)) as Omit<Checkpoint, 'channel_values'>
      return { ...rest, channel_values: Object.fromEntries(entries) }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw adapterError('invalid-input', `Checkpoint ${stored.checkpoint} can't be read: ${error.message}`)
    }
  }

  /** Returns the pending writes of a checkpoint, in the framework's order. */
  async #pendingWrites(
    { writes }: Pick<StoredCheckpoint, 'writes'>,
    parts: ReadonlyMap<string, string>,
  ): Promise<CheckpointPendingWrite[]> {
    const keyed = writes.flatMap(({ task, path, writes: own }) =>
      own.map((one) => ({ key: writesSortKey(path, task, one.place), task, ...one })),
    )
    keyed.sort((one, other) => compareWritesSortKeys(one.key, other.key))
    return Promise.all(
      keyed.map(async ({ task, channel, value }): Promise<CheckpointPendingWrite> => [
        task,
        channel,
        await decodeFromText(this.serde, value, parts),
      ]),
    )
  }

  /** Adds the sends of tasks, which a checkpoint before version 4 has among the writes of its parent. */
  async #addTaskSends(
    checkpoint: Checkpoint,
    { thread, namespace }: StoredCheckpoint,
    parent: string,
  ): Promise<void> {
    const before = await this.#read({ thread, namespace, checkpoint: parent })
    const sends = before
      ? (await this.#pendingWrites(before.stored, before.parts)).filter(([, channel]) => channel === TASKS)
      : []
    const versions = Object.values(checkpoint.channel_versions)
    checkpoint.channel_values[TASKS] = sends.map(([, , value]) => value)
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? (maxChannelVersion(...versions) as number) : this.getNextVersion(undefined)
  }
}

/** The checkpoint that a config names. Every field may be absent. */
interface CheckpointRef {
  readonly thread?: string
  readonly namespace?: string
  readonly checkpoint?: string
}

function checkpointRefOf({ configurable = {} }: RunnableConfig): CheckpointRef {
  const { thread_id, checkpoint_ns, checkpoint_id, thread_ts } = configurable
  const thread = configText('thread_id', thread_id)
  const namespace = configText('checkpoint_ns', checkpoint_ns)
  const checkpoint = configText('checkpoint_id', checkpoint_id || thread_ts || undefined)
  return defined({ thread, namespace, checkpoint })
}

function configText(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  // A number as thread id is converted to a text.
  if (typeof value === 'number' && name === 'thread_id') return String(value)
  const isText = typeof value === 'string' && value.isWellFormed() && value.length <= 1000
  if (isText && (value !== '' || name === 'checkpoint_ns')) return value
  const message = `Invalid configurable value for key "${name}": expected a string of 1 to 1,000 characters.`
  throw adapterError('invalid-input', message, { path: `configurable.${name}` })
}

function requireThread({ thread }: CheckpointRef, subject: string): string {
  if (thread !== undefined) return thread
  const message = `Failed to put ${subject}. The passed RunnableConfig is missing a required "thread_id" field in its "configurable" property. Give each conversation one: graph.invoke(input, { configurable: { thread_id: "1" } })`
  throw adapterError('invalid-input', message, { path: 'configurable.thread_id' })
}

function requireCheckpoint({ checkpoint }: CheckpointRef): string {
  if (checkpoint !== undefined) return checkpoint
  const message =
    'Failed to put writes. The passed RunnableConfig is missing a required "checkpoint_id" field in its "configurable" property.'
  throw adapterError('invalid-input', message, { path: 'configurable.checkpoint_id' })
}

/** Stores the long lists of a long state as parts. */
function shortened(state: StoredState, parts: PartsByHash): StoredState {
  if (JSON.stringify(state).length <= stateCharacters) return state
  const values = Object.entries(state.values).map(
    ([channel, node]) => [channel, folded(node, parts)] as const,
  )
  return { head: state.head, values: Object.fromEntries(values) }
}
