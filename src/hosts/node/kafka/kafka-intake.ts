// Reads Kafka topics into a pool as one member of a consumer group: hands on batches, and commits the offsets
// of each batch after it was taken.
// Invariants: an offset is committed only after all messages before it were taken, so a killed process reads
// untaken messages again. Memory has at most a batch, and a few megabytes of each topic.
import type { Consumer, Message, FetchOptions, Callback } from '@platformatic/kafka'
import type { Clock, Scheduler } from '../../../core/ports.ts'
import { TopicMerge } from './topic-merge.ts'
import type { KafkaClient } from './load-kafka.ts'
import type { KafkaConnectionOptions } from './kafka-settings.ts'

/** A message of a topic. */
export interface Incoming {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  readonly key: Buffer | undefined
  readonly value: Buffer | undefined
  readonly headers: ReadonlyMap<string, string>
  /**
   * When the broker got the message, in milliseconds; if the topic doesn't store that, when the sender says
   * it was made.
   */
  readonly at: number
}

export interface IntakeOptions {
  readonly client: KafkaClient
  readonly way: KafkaConnectionOptions
  readonly clientId: string
  readonly consumerGroup: string
  /** Names this member in the group: after a restart it gets its place back at once. */
  readonly memberName: string
  readonly topics: readonly string[]
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Takes a batch; if it throws, the batch comes again. */
  readonly take: (batch: readonly Incoming[]) => Promise<void>
  /** Called when a broker answers, and after the offsets of a batch are committed. */
  readonly onCommitted: (batch: readonly Incoming[]) => void
  readonly onOpen: () => void
}

export const batchLimit = 500
/**
 * Bytes that one answer brings of a topic; envelopes have at most 64 KB. The first partition may fill it:
 * with a smaller limit for each, a partition of large batches would lag behind the others.
 */
const fetchBytes = 1024 * 1024
/** How long a broker waits for messages before it answers. */
const waitMs = 500
/** After such a silence the brokers remove a member from its group. */
const sessionMs = 30_000
const beatMs = 3000
/** Longest wait for a consumer to close. */
const closeMs = 10_000

type Received = Message<Buffer, Buffer, Buffer, Buffer>

export class KafkaIntake {
  readonly #options: IntakeOptions
  #consumer: Consumer | undefined
  #isOpen = false
  #settling: Promise<void> | undefined
  #isClosing = false

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  /** Reads until it is closed; rejects when a broker or `take` fails. May be run again. */
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
    // Without this listener, an error while it rejoins its group would end the process.
    consumer.on('error', (error) => merge.fail(error))
    try {
      await this.#open(consumer, merge)
      this.#isOpen = true
      onOpen()
      for (;;) {
        const batch = await merge.next(batchLimit)
        // A stream that ends by itself counts as failed.
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

  /** Opens one stream for each topic, all for one member, because a member joins with all its topics. */
  async #open(consumer: Consumer, merge: TopicMerge<Received>): Promise<void> {
    consumer.topics.trackAll(...this.#options.topics)
    for (const topic of this.#options.topics)
      // Add it at once: a stream asks for offsets when it is made, and may fail while the next one is made.
      merge.add({
        isOurs: () =>
          consumer.assignments?.some((one) => one.topic === topic && one.partitions.length > 0) ?? true,
        stream: await consumer.consume({
          topics: [topic],
          mode: 'committed',
          // A new bridge reads all earlier messages.
          fallbackMode: 'earliest',
          autocommit: false,
          maxWaitTime: waitMs,
          maxBytes: fetchBytes,
          maxBytesPerPartition: fetchBytes,
          highWaterMark: batchLimit,
        }),
      })
  }

  /** Messages that this group hasn't taken yet; undefined while unknown. */
  async lag(): Promise<number | undefined> {
    const consumer = this.#consumer
    if (!consumer || !this.#isOpen) return undefined
    const topics = [...this.#options.topics]
    try {
      // Await this first: an unhandled rejection would end the process when brokers go away.
      const partitions = await this.#partitions(consumer, topics)
      const [ends, taken] = await Promise.all([
        consumer.listOffsets({ topics }),
        consumer.listCommittedOffsets({ topics: partitions }),
      ])
      let behind = 0n
      for (const [topic, offsets] of ends)
        for (const [partition, end] of offsets.entries()) {
          const at = taken.get(topic)?.[partition] ?? -1n
          behind += end - (at < 0n ? 0n : at)
        }
      return Number(behind)
    } catch {
      return undefined
    }
  }

  /** Stops reading after the current batch is taken and committed. */
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
    // A broker that is away doesn't answer, and the stream never ends: the next member of this name takes its
    // place.
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
    // The last message of each partition stands for those before it.
    const last = new Map(batch.map((message) => [`${message.topic}/${message.partition}`, message]))
    // One request at a time: concurrent commits may never be answered.
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
 * A consumer that keeps its topic metadata. The client drops all of it when one partition has a new leader; a
 * concurrent request then reads a missing topic, in a callback where nobody catches the error.
 */
const withStableMetadata = (Consumer: KafkaClient['Consumer']) =>
  class extends Consumer {
    override clearMetadata(): void {
      // A reader of a lost leader fails after one more attempt, and restarts with fresh metadata.
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

// The partitions of a topic take turns in requests. A broker answers in the order of the request, and after
// the first partition omits batches that don't fit. The client always sends the same order, so a partition of
// large batches would wait until those before it are empty (KIP-74).
// Invariant: in as many answers as partitions have messages, each partition comes first once.

type FetchRequest = Pick<FetchOptions<Buffer, Buffer, Buffer, Buffer>, 'node' | 'topics'>
type Fetch<Options, Done> = (options: Options, done: Done) => void

export function rotatePartitions(consumer: Consumer): void {
  const turns = new Map<string, number>()
  const fetch = consumer.fetch.bind(consumer) as Fetch<FetchRequest, unknown>
  const rotated: Fetch<FetchRequest, unknown> = (options, done) => {
    const { node, topics } = options
    // A request names only the partitions that this broker leads.
    const request = `${node} ${topics[0]?.topicId ?? ''}`
    const turn = turns.get(request) ?? 0
    turns.set(request, turn + 1)
    const first = turn % Math.max(1, topics.length)
    fetch({ ...options, topics: [...topics.slice(first), ...topics.slice(0, first)] }, done)
  }
  Object.assign(consumer, { fetch: rotated })
}

// Broker times for messages, in topics that store them (`message.timestamp.type=LogAppendTime`). The broker
// leaves the times of single records and marks the batch, but the client reads the records (KIP-32).

/** The bit of a batch's attributes for broker times. */
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
