// Merges the messages of several topics, oldest first, so that a bridge that reads old messages gets a
// proposal before its votes, and both before the decision.
// Invariants: messages of a partition keep their order. An old message waits while a topic may still deliver
// an older message; a topic that doesn't answer for a minute is an error. At most 8 MB of a topic are
// buffered, plus one fetch.
import { DaybookError } from '../../../core/errors.ts'
import type { Clock, Scheduler } from '../../../core/ports.ts'

export interface Timed {
  readonly partition: number
  /** The message's time in milliseconds; a sender's time may be wrong. */
  readonly timestamp: bigint
  readonly key: Buffer | undefined
  readonly value: Buffer | undefined
}

/** The used part of the Kafka client's streams. */
export interface TopicStream<Message extends Timed> {
  read(): Message | null
  readonly readableLength: number
  on(event: 'readable' | 'fetch' | 'close', done: () => void): unknown
  on(event: 'error', failed: (error: Error) => void): unknown
}

export interface TopicSource<Message extends Timed> {
  readonly stream: TopicStream<Message>
  /** False while other members of the group read all partitions of the topic. */
  readonly isOurs: () => boolean
}

export interface MergeParts {
  readonly clock: Clock
  readonly scheduler: Scheduler
}

/** Bytes to buffer of a topic. `most` applies while one of its partitions has no buffered message. */
const bufferBytes = { usual: 1024 * 1024, most: 8 * 1024 * 1024 } as const
/** Messages younger than this don't wait for other topics, because live messages arrive in order. */
const freshMs = 5000
/**
 * A topic without an answer for this time has failed: even an empty topic answers after half a second (`waitMs` in
 * kafka-intake.ts). Other topics must not continue without it, because a book buffers only a limited number of
 * messages that wait for earlier messages.
 */
const silentTopicMs = 60_000
/** Interval of checks for topics without an answer, and for lost partitions. */
const lookEveryMs = 5000

interface Buffered<Message> {
  readonly message: Message
  /**
   * The message's time, or the time of reading if that is earlier, so that a message with a time in the future waits
   * for no other.
   */
  readonly at: number
}

class Topic<Message extends Timed> {
  /** Whether the last fetch of the topic brought no message: then others needn't wait for it. */
  isExhausted = false
  readonly #source: TopicSource<Message>
  readonly #clock: Clock
  readonly #partitions = new Map<number, Buffered<Message>[]>()
  #bytes = 0
  /** Time of the topic's last answer, or of the last message taken from it. */
  #activeAt: number

  /** `changed` is called when there may be new messages, or the topic is exhausted. */
  constructor(source: TopicSource<Message>, clock: Clock, changed: () => void) {
    const { stream } = source
    this.#source = source
    this.#clock = clock
    this.#activeAt = clock.now()
    stream.on('readable', changed)
    stream.on('fetch', () => {
      this.#activeAt = clock.now()
      // The fetched messages arrive in the same turn of the event loop.
      queueMicrotask(() => {
        if (stream.readableLength > 0) return
        this.isExhausted = true
        changed()
      })
    })
  }

  get isEmpty(): boolean {
    return this.#bytes === 0
  }

  get isOurs(): boolean {
    return this.#source.isOurs()
  }

  /** Whether the topic has had no answer for `silentTopicMs`. */
  isSilent(now: number): boolean {
    return this.isEmpty && now - this.#activeAt >= silentTopicMs && this.isOurs
  }

  /** Buffers messages of the stream, up to the limit. */
  fill(now: number): void {
    while (this.#bytes < this.#room()) {
      const message = this.#source.stream.read()
      if (message === null) return
      this.isExhausted = false
      this.#bytes += sizeOf(message)
      const buffered = { message, at: Math.min(Number(message.timestamp), now) }
      const partition = this.#partitions.get(message.partition)
      if (partition) partition.push(buffered)
      else this.#partitions.set(message.partition, [buffered])
    }
  }

  /** Bytes that may be buffered: `most` while a partition is empty, because its messages may come next. */
  #room(): number {
    for (const partition of this.#partitions.values()) if (partition.length === 0) return bufferBytes.most
    return bufferBytes.usual
  }

  /** The partition whose next message is the oldest. */
  oldest(): Buffered<Message>[] | undefined {
    let oldest: Buffered<Message>[] | undefined
    for (const partition of this.#partitions.values())
      if (timeOf(partition) < timeOf(oldest)) oldest = partition
    return oldest
  }

  take(partition: Buffered<Message>[]): Message | undefined {
    const buffered = partition.shift()
    if (buffered) this.#bytes -= sizeOf(buffered.message)
    this.#activeAt = this.#clock.now()
    return buffered?.message
  }
}

const timeOf = (partition: readonly Buffered<unknown>[] | undefined) => partition?.[0]?.at ?? Infinity
/** Size of a message in memory, with 200 bytes overhead, so that empty messages count too. */
const sizeOf = ({ key, value }: Timed) => 200 + (key?.length ?? 0) + (value?.length ?? 0)

/** Merges the messages of the added topics. Call `next` again only after its promise has settled. */
export class TopicMerge<Message extends Timed> {
  readonly #topics: Topic<Message>[] = []
  readonly #clock: Clock
  readonly #scheduler: Scheduler
  /**
   * Resolves when `next` must look again: new messages, an error, a closed stream, or `lookEveryMs` passed.
   */
  #changed = Promise.withResolvers<void>()
  #error: Error | undefined
  #isClosed = false

  constructor({ clock, scheduler }: MergeParts) {
    this.#clock = clock
    this.#scheduler = scheduler
  }

  /** Adds a topic. Call it before the first `next`. */
  add(source: TopicSource<Message>): void {
    const { stream } = source
    this.#topics.push(new Topic(source, this.#clock, () => this.#changed.resolve()))
    stream.on('error', (error) => this.fail(error))
    stream.on('close', () => {
      this.#isClosed = true
      this.#changed.resolve()
    })
  }

  /** Makes the current and all later calls of `next` reject with the first error. */
  fail(error: Error): void {
    this.#error ??= error
    this.#changed.resolve()
  }

  /**
   * Resolves with the next messages, 1 to `limit`; undefined when a stream has closed. Rejects when a topic
   * fails, and with `offline` when a topic hasn't answered for a minute.
   */
  async next(limit: number): Promise<Message[] | undefined> {
    for (;;) {
      if (this.#error) throw this.#error
      if (this.#isClosed) return undefined
      this.#changed = Promise.withResolvers<void>()
      const batch = this.#take(limit)
      if (batch.length > 0) return batch
      if (this.#topics.some((topic) => topic.isSilent(this.#clock.now())))
        throw new DaybookError('offline', 'A topic has not answered for a minute; asking it again.')
      await this.#wait()
    }
  }

  #take(limit: number): Message[] {
    const now = this.#clock.now()
    const batch: Message[] = []
    while (batch.length < limit) {
      for (const topic of this.#topics) topic.fill(now)
      const message = this.#oldest(now)
      if (!message) break
      batch.push(message)
    }
    return batch
  }

  #oldest(now: number): Message | undefined {
    let from: Topic<Message> | undefined
    let partition: Buffered<Message>[] | undefined
    for (const topic of this.#topics) {
      const oldest = topic.oldest()
      if (timeOf(oldest) >= timeOf(partition)) continue
      from = topic
      partition = oldest
    }
    if (!from || !partition || this.#mayBeOlder(timeOf(partition), now)) return undefined
    return from.take(partition)
  }

  /** Whether a topic may still deliver a message older than `at`. */
  #mayBeOlder(at: number, now: number): boolean {
    return (
      at < now - freshMs &&
      this.#topics.some(({ isEmpty, isExhausted, isOurs }) => isEmpty && !isExhausted && isOurs)
    )
  }

  async #wait(): Promise<void> {
    const cancel = this.#scheduler.later(lookEveryMs, () => this.#changed.resolve())
    await this.#changed.promise
    cancel()
  }
}
