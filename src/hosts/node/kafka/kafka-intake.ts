// Reads Kafka topics as one member of a consumer group: passes batches to `take`, then commits the offsets of
// each batch.
// Invariants: an offset is committed only after all messages before it are taken, so after a crash the other
// messages are read again. Memory has at most one batch, and a few megabytes of each topic.
import type { Consumer, Message, FetchOptions, Callback } from '@platformatic/kafka'
import type { Clock, Scheduler } from '../../../core/ports.ts'
import { TopicMerge } from './topic-merge.ts'
import type { KafkaClient } from './load-kafka.ts'
import type { KafkaConnectionOptions } from './kafka-settings.ts'

/** A message of a Kafka topic. */
export interface Incoming {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  readonly key: Buffer | undefined
  readonly value: Buffer | undefined
  readonly headers: ReadonlyMap<string, string>
  /**
   * Time when the broker got the message, in milliseconds since 1970 UTC. If the topic doesn't store that
   * time: the sender's time.
   */
  readonly at: number
}

export interface IntakeOptions {
  readonly client: KafkaClient
  /** Brokers, TLS and login. */
  readonly way: KafkaConnectionOptions
  readonly clientId: string
  readonly consumerGroup: string
  /**
   * Id of this member in the group (`group.instance.id`): after a restart the member gets its partitions back
   * at once.
   */
  readonly memberName: string
  readonly topics: readonly string[]
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Takes a batch. If it rejects, the batch is read again. */
  readonly take: (batch: readonly Incoming[]) => Promise<void>
  /** Called after the offsets of a batch are committed. */
  readonly onCommitted: (batch: readonly Incoming[]) => void
  /** Called when the streams are open, also after each reconnection. */
  readonly onOpen: () => void
}

/** Most messages of a batch. */
export const batchLimit = 500
/**
 * Most bytes of a topic in one answer; an envelope has at most 64 KB. The limit of a partition is the same:
 * with a lower limit, a partition of large batches would lag behind the others.
 */
const fetchBytes = 1024 * 1024
/** Longest wait of a broker for messages before it answers. */
const waitMs = 500
/** After this time without a heartbeat the brokers remove the member from its group. */
const sessionMs = 30_000
/** Interval of heartbeats. */
const beatMs = 3000
/** Longest wait for a consumer to close. */
const closeMs = 10_000

type Received = Message<Buffer, Buffer, Buffer, Buffer>

export class KafkaIntake {
  readonly #options: IntakeOptions
  #consumer: Consumer | undefined
  #isOpen = false
  /** The batch that is being taken and committed. */
  #settling: Promise<void> | undefined
  #isClosing = false

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  /**
   * Reads until `close`, or until a stream ends. Rejects when a broker or `take` fails. In both cases it may be called
   * again. Calls `progressed` after each batch.
   */
  async run(progressed: () => void): Promise<void> {
    const {
      client,
      way,
      clientId,
      consumerGroup: groupId,
      memberName,
      onOpen,
      clock,
      scheduler,
    } = this.#options
    const consumer = new (withStableMetadata(client.Consumer))({
      ...way,
      clientId,
      groupId,
      groupInstanceId: memberName,
      sessionTimeout: sessionMs,
      rebalanceTimeout: sessionMs,
      heartbeatInterval: beatMs,
      autocommit: false,
      retries: 1,
      retryDelay: 250,
    })
    this.#consumer = consumer
    useBrokerTime(consumer)
    rotatePartitions(consumer)
    const merge = new TopicMerge<Received>({ clock, scheduler })
    // Without this listener, an error while the consumer rejoins its group ends the process.
    consumer.on('error', (error) => merge.fail(error))
    try {
      await this.#open(consumer, merge)
      this.#isOpen = true
      onOpen()
      for (;;) {
        const batch = await merge.next(batchLimit)
        // The stream has ended: return, and the caller runs this again.
        if (!batch) return
        this.#settling = this.#settle(batch)
        await this.#settling
        progressed()
        if (this.#isClosing) return
      }
    } finally {
      await this.#drop()
    }
  }

  /**
   * Opens a stream for each topic. All streams use one consumer, because a member joins the group with all
   * its topics.
   */
  async #open(consumer: Consumer, merge: TopicMerge<Received>): Promise<void> {
    consumer.topics.trackAll(...this.#options.topics)
    for (const topic of this.#options.topics)
      // Add each stream at once: it requests offsets when it is made, and may fail while the next stream is
      // made.
      merge.add({
        // True while the assignments are unknown.
        isOurs: () =>
          consumer.assignments?.some((one) => one.topic === topic && one.partitions.length > 0) ?? true,
        stream: await consumer.consume({
          topics: [topic],
          // Begins at the offsets that the group has committed.
          mode: 'committed',
          // A new consumer group reads all earlier messages.
          fallbackMode: 'earliest',
          autocommit: false,
          maxWaitTime: waitMs,
          maxBytes: fetchBytes,
          maxBytesPerPartition: fetchBytes,
          highWaterMark: batchLimit,
        }),
      })
  }

  /** Number of messages that the group hasn't committed; undefined if unknown. */
  async lag(): Promise<number | undefined> {
    const consumer = this.#consumer
    if (!consumer || !this.#isOpen) return undefined
    const topics = [...this.#options.topics]
    try {
      // Await this alone: started together, its rejection could be unhandled, which ends the process.
      const partitions = await this.#partitions(consumer, topics)
      const [ends, taken] = await Promise.all([
        consumer.listOffsets({ topics }),
        consumer.listCommittedOffsets({ topics: partitions }),
      ])
      let behind = 0n
      for (const [topic, offsets] of ends)
        for (const [partition, end] of offsets.entries()) {
          // Negative: the group has committed nothing of the partition.
          const at = taken.get(topic)?.[partition] ?? -1n
          behind += end - (at < 0n ? 0n : at)
        }
      return Number(behind)
    } catch {
      return undefined
    }
  }

  /** Stops reading when the current batch is taken and committed. */
  async close(): Promise<void> {
    this.#isClosing = true
    await this.#settling?.catch(() => undefined)
    await this.#drop()
  }

  async #drop(): Promise<void> {
    const consumer = this.#consumer
    this.#consumer = undefined
    this.#isOpen = false
    if (!consumer) return
    const timeout = Promise.withResolvers<void>()
    const cancel = this.#options.scheduler.later(closeMs, timeout.resolve)
    // Wait `closeMs` at most: an unreachable broker doesn't answer. The next consumer with this `memberName`
    // gets the partitions. `close(true)`: also while the streams are open.
    await Promise.race([consumer.close(true).catch(() => undefined), timeout.promise])
    cancel()
  }

  async #partitions(consumer: Consumer, topics: readonly string[]) {
    const metadata = await consumer.metadata({ topics: [...topics] })
    return topics.map((topic) => ({
      topic,
      partitions: Array.from({ length: metadata.topics.get(topic)?.partitionsCount ?? 0 }, (_, n) => n),
    }))
  }

  async #settle(batch: readonly Received[]): Promise<void> {
    const incoming = batch.map(toIncoming)
    await this.#options.take(incoming)
    // The offset of the last message of a partition commits all messages before it.
    const last = new Map(batch.map((message) => [`${message.topic}/${message.partition}`, message]))
    // Send one commit at a time: the brokers may not answer concurrent commits.
    await this.#consumer?.commit({
      offsets: [...last.values()].map(({ topic, partition, offset, leaderEpoch }) => ({
        topic,
        partition,
        offset: offset + 1n,
        leaderEpoch,
      })),
    })
    this.#options.onCommitted(incoming)
  }
}

/**
 * A consumer that keeps its topic metadata. The client clears all metadata when one partition has a new
 * leader; then a concurrent request reads a missing topic, in a callback whose error is not caught.
 */
const withStableMetadata = (Consumer: KafkaClient['Consumer']) =>
  class extends Consumer {
    override clearMetadata(): void {
      // A read from an old leader fails after one more attempt; then `run` starts again with new metadata.
    }
  }

const toIncoming = ({
  topic,
  partition,
  offset,
  key,
  value,
  headerEntries,
  timestamp,
}: Received): Incoming => ({
  topic,
  partition,
  offset,
  key: key ?? undefined,
  value: value ?? undefined,
  headers: new Map(headerEntries.map(([name, text]) => [name.toString('utf8'), text.toString('utf8')])),
  at: Number(timestamp),
})

// Rotates the order of a topic's partitions in fetch requests. A broker fills the answer in the order of the
// request, and omits batches that don't fit. The client always sends the same order, so a partition of large
// batches would wait until the partitions before it are empty (KIP-74).
// Invariant: in n requests with n partitions, each partition is first once.

type FetchRequest = Pick<FetchOptions<Buffer, Buffer, Buffer, Buffer>, 'node' | 'topics'>
type Fetch<Options, Done> = (options: Options, done: Done) => void

/** Makes `consumer` rotate the partitions. Call it before the first fetch. */
export function rotatePartitions(consumer: Consumer): void {
  const turns = new Map<string, number>()
  const fetch = consumer.fetch.bind(consumer) as Fetch<FetchRequest, unknown>
  const rotated: Fetch<FetchRequest, unknown> = (options, done) => {
    const { node, topics } = options
    // Count by broker: a request has only the partitions that its broker leads.
    const request = `${node} ${topics[0]?.topicId ?? ''}`
    const turn = turns.get(request) ?? 0
    turns.set(request, turn + 1)
    const first = turn % Math.max(1, topics.length)
    fetch({ ...options, topics: [...topics.slice(first), ...topics.slice(0, first)] }, done)
  }
  Object.assign(consumer, { fetch: rotated })
}

// Gives messages the broker's time, in topics that store it (`message.timestamp.type=LogAppendTime`). The
// broker stores its time in the batch only, but the client reads the times of the records (KIP-32).

/** The bit in a batch's attributes that means the broker's time. */
const appendTimeBit = 8

interface Batch {
  readonly attributes: number
  readonly maxTimestamp: bigint
  firstTimestamp: bigint
  readonly records: readonly { timestampDelta: bigint }[]
}

interface Fetched {
  readonly responses: readonly {
    readonly partitions: readonly { readonly records?: readonly Batch[] | null }[]
  }[]
}

function useBrokerTime(consumer: Consumer): void {
  const fetch = consumer.fetch.bind(consumer) as Fetch<
    FetchOptions<Buffer, Buffer, Buffer, Buffer>,
    Callback<Fetched>
  >
  const stamped: typeof fetch = (options, done) =>
    fetch(options, (error, fetched) => {
      if (fetched) stampAll(fetched)
      done(error, fetched)
    })
  Object.assign(consumer, { fetch: stamped })
}

function stampAll({ responses }: Fetched): void {
  for (const { partitions } of responses)
    for (const { records: batches } of partitions) for (const batch of batches ?? []) stamp(batch)
}

function stamp(batch: Batch): void {
  if ((batch.attributes & appendTimeBit) === 0) return
  batch.firstTimestamp = batch.maxTimestamp
  for (const record of batch.records) record.timestampDelta = 0n
}
