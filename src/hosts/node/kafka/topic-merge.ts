// Reads several topics as one, oldest message first, so that a bridge that catches up meets a proposal before
// its votes, and both before the decision.
// Invariants: messages of a partition keep their order. No message comes before an older one that a pending
// topic may still bring; a topic that doesn't answer fails the whole. At most eight megabytes of a topic are
// buffered, beside one fetch.
import { DaybookError } from '../../../core/errors.ts'
import type { Clock, Scheduler } from '../../../core/ports.ts'

export interface Timed {
  readonly partition: number
  /** The sender's time in milliseconds, which may be wrong. */
  readonly timestamp: bigint
  readonly key: Buffer | undefined
  readonly value: Buffer | undefined
}

/** The part of the client's streams that is used. */
export interface TopicStream<Message extends Timed> {
  read(): Message | null
  readonly readableLength: number
  on(event: 'readable' | 'fetch' | 'close', done: () => void): unknown
  on(event: 'error', failed: (error: Error) => void): unknown
}

export interface TopicSource<Message extends Timed> {
  readonly stream: TopicStream<Message>
  /** False while other members of the group read all of its partitions. */
  readonly isOurs: () => boolean
}

export interface MergeParts {
  readonly clock: Clock
  readonly scheduler: Scheduler
}

/**
 * Bytes to buffer of a topic; up to the most while one of its partitions has nothing buffered and the others
 * run ahead.
 */
const bufferBytes = { usual: 1024 * 1024, most: 8 * 1024 * 1024 } as const
/** Younger messages are taken as they come: live messages have their order. */
const freshMs = 5000
/**
 * A topic that is silent so long has failed: an empty topic answers twice a second. The others must not run
 * ahead of it, because a book buffers only so many messages that wait for others.
 */
const silentTopicMs = 60_000
/** Interval of checks for silent topics and lost partitions. */
const lookEveryMs = 5000

interface Buffered<Message> {
  readonly message: Message
  /** The sender's time, or the time of reading if that is earlier: a fast clock moves no message back. */
  readonly at: number
}

class Topic<Message extends Timed> {
  /** It was asked and has nothing more. */
  isExhausted = false
  readonly #source: TopicSource<Message>
  readonly #clock: Clock
  readonly #partitions = new Map<number, Buffered<Message>[]>()
  #bytes = 0
  /** Time of its last answer, or of the last message taken from it. */
  #activeAt: number

  constructor(source: TopicSource<Message>, clock: Clock, changed: () => void) {
    const { stream } = source
    this.#source = source
    this.#clock = clock
    this.#activeAt = clock.now()
    stream.on('readable', changed)
    stream.on('fetch', () => {
      this.#activeAt = clock.now()
      // The fetched messages arrive in the same turn.
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

  /** It was asked and doesn't answer. */
  isSilent(now: number): boolean {
    return this.isEmpty && now - this.#activeAt >= silentTopicMs && this.isOurs
  }

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

  #room(): number {
    for (const partition of this.#partitions.values()) if (partition.length === 0) return bufferBytes.most
    return bufferBytes.usual
  }

  /** The partition with the oldest next message. */
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
/** Overhead included, so that empty messages count too. */
const sizeOf = ({ key, value }: Timed) => 200 + (key?.length ?? 0) + (value?.length ?? 0)

export class TopicMerge<Message extends Timed> {
  readonly #topics: Topic<Message>[] = []
  readonly #clock: Clock
  readonly #scheduler: Scheduler
  #changed = Promise.withResolvers<void>()
  #error: Error | undefined
  #isClosed = false

  constructor({ clock, scheduler }: MergeParts) {
    this.#clock = clock
    this.#scheduler = scheduler
  }

  /** Adds a topic, before the first `next`. */
  add(source: TopicSource<Message>): void {
    const { stream } = source
    this.#topics.push(new Topic(source, this.#clock, () => this.#changed.resolve()))
    stream.on('error', (error) => this.fail(error))
    stream.on('close', () => {
      this.#isClosed = true
      this.#changed.resolve()
    })
  }

  /** Fails this and all later calls of `next` with the first error. */
  fail(error: Error): void {
    this.#error ??= error
    this.#changed.resolve()
  }

  /**
   * The next messages, at most `limit`, as soon as there is one; undefined when closed. Rejects when a topic
   * fails, with `offline` when a topic didn't answer for a minute.
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

  /** Whether a pending topic may still bring a message from before `at`. */
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
