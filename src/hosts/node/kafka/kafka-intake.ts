// From Kafka into a pool: reads the topics as one member of a consumer group, hands on what came batch by batch, and commits
// the offsets of a batch after it was taken.
// Invariants: an offset is committed only after everything before it was taken, so that a process that is killed reads again
// what it may not have taken; and no more is in memory than a batch, and a few megabytes of each topic.
import type { Consumer, Message } from '@platformatic/kafka'
import type { Clock, Scheduler } from '../../../core/ports.ts'
import { tellAppendTime } from './append-time.ts'
import { takeTurns } from './fair-turn.ts'
import { TopicMerge } from './topic-merge.ts'
import type { KafkaClient } from './load-kafka.ts'
import type { KafkaWay } from './kafka-settings.ts'

/** What lies in a topic, as it lies there. */
export interface Incoming {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  readonly key: Buffer | undefined
  readonly value: Buffer | undefined
  readonly headers: ReadonlyMap<string, string>
  /** When the broker had it; where the topic does not keep that, when its sender says that it was made. Milliseconds. */
  readonly at: number
}

export interface IntakeOptions {
  readonly client: KafkaClient
  readonly way: KafkaWay
  readonly clientId: string
  readonly consumerGroup: string
  /** Who this member is for the group, whenever it comes: it takes its own place again, at once. */
  readonly memberName: string
  readonly topics: readonly string[]
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Takes a batch; whoever throws is given it again. */
  readonly take: (batch: readonly Incoming[]) => Promise<void>
  /** Called when the broker answers, and after each batch whose offsets were committed. */
  readonly onCommitted: (batch: readonly Incoming[]) => void
  readonly onOpen: () => void
}

export const batchLimit = 500
/**
 * What one answer of a broker brings of a topic: envelopes have at most 64 KB. The partition whose turn it is may have all of it:
 * with less for each, one of large batches would have one of them where the others have several.
 */
const fetchBytes = 1024 * 1024
/** How long the broker waits with an answer when there is nothing. */
const waitMs = 500
/** A member that says nothing for so long is given up, and its place is free for another one. */
const sessionMs = 30_000
const beatMs = 3000
/** How long the end of a consumer is waited for. */
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

  /** Reads until it is closed; rejects when the brokers, or whoever takes, fail. May be run again. */
  async run(moved: () => void): Promise<void> {
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
    const consumer = new (steady(client.Consumer))({
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
    tellAppendTime(consumer)
    takeTurns(consumer)
    const merge = new TopicMerge<Received>({ clock, scheduler })
    // When it does not get back into its group it says so to nobody in particular, and that ends a process in which nobody hears it.
    consumer.on('error', (error) => merge.fail(error))
    try {
      await this.#open(consumer, merge)
      this.#isOpen = true
      onOpen()
      for (;;) {
        const batch = await merge.next(batchLimit)
        // A stream that ends by itself is as good as one that fails.
        if (!batch) return
        this.#settling = this.#settle(batch)
        await this.#settling
        moved()
        if (this.#isClosing) return
      }
    } finally {
      await this.#drop()
    }
  }

  /** One stream for each topic, all of them as one member: whoever joins with one joins with all. */
  async #open(consumer: Consumer, merge: TopicMerge<Received>): Promise<void> {
    consumer.topics.trackAll(...this.#options.topics)
    for (const topic of this.#options.topics)
      // At once: a stream asks for its offsets as soon as it is made, and may fail while the next one is.
      merge.add({
        isOurs: () =>
          consumer.assignments?.some((one) => one.topic === topic && one.partitions.length > 0) ?? true,
        stream: await consumer.consume({
          topics: [topic],
          mode: 'committed',
          // A bridge that is new to its group reads what was said before it came.
          fallbackMode: 'earliest',
          autocommit: false,
          maxWaitTime: waitMs,
          maxBytes: fetchBytes,
          maxBytesPerPartition: fetchBytes,
          highWaterMark: batchLimit,
        }),
      })
  }

  /** How far this group is behind, in messages; undefined while that cannot be asked. */
  async lag(): Promise<number | undefined> {
    const consumer = this.#consumer
    if (!consumer || !this.#isOpen) return undefined
    const topics = [...this.#options.topics]
    try {
      // Asked before the two questions are: a promise that waits for nobody ends the process when the brokers go.
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

  /** Stops reading, after the batch that is being taken was taken and committed. */
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
    const late = Promise.withResolvers<void>()
    const cancel = this.#options.scheduler.later(closeMs, late.resolve)
    // A broker that is away says nothing of it, and a stream that waits for an answer that never comes does not end: the next
    // member of this name takes its place.
    await Promise.race([consumer.close(true).catch(() => undefined), late.promise])
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
    // One of each partition: the last one stands for those before it.
    const last = new Map(batch.map((message) => [`${message.topic}/${message.partition}`, message]))
    // In one request, and one at a time: commits of a stream's own that meet each other may never be answered.
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
 * A consumer that keeps what it knows of its topics until it knows better. The client of Kafka throws away all of it when one
 * partition has a new leader; a question that had asked for the rest just then reads a topic that is not there, in a callback
 * where nobody catches it.
 */
const steady = (Consumer: KafkaClient['Consumer']) =>
  class extends Consumer {
    override clearMetadata(): void {
      // A reader whose leader has gone fails after one more attempt, and is begun anew with what the brokers say then.
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
