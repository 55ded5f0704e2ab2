// Several topics read as one, the oldest message first, so that a bridge that catches up meets a proposal before the votes on
// it, and both before what was decided.
// Invariants: what lies in one partition keeps its order; nothing is brought before what a topic that is being asked may have
// from before it, and one that does not answer fails the whole; no more than eight megabytes of a topic are held, beside what
// one fetch brings.
import { DaybookError } from '../../../core/errors.ts'
import type { Clock, Scheduler } from '../../../core/ports.ts'

export interface Timed {
  readonly partition: number
  /** When it was said, milliseconds; whoever said it may have made it up. */
  readonly timestamp: bigint
  readonly key: Buffer | undefined
  readonly value: Buffer | undefined
}

/** What of a stream of the client is used. */
export interface TopicStream<Message extends Timed> {
  read(): Message | null
  readonly readableLength: number
  on(event: 'readable' | 'fetch' | 'close', done: () => void): unknown
  on(event: 'error', failed: (error: Error) => void): unknown
}

export interface TopicSource<Message extends Timed> {
  readonly stream: TopicStream<Message>
  /** Whether this reader reads it: others of its group may have all of its partitions. */
  readonly isOurs: () => boolean
}

export interface MergeParts {
  readonly clock: Clock
  readonly scheduler: Scheduler
}

/** Of a topic this much is held, and while one of its partitions has nothing here, up to the most: the others run ahead of it. */
const heldBytes = { usual: 1024 * 1024, most: 8 * 1024 * 1024 } as const
/** What is younger is taken as it comes: its order is that of live talk. */
const freshMs = 5000
/**
 * A topic that is read and says nothing for so long never will: one without messages says so twice a second. The others must
 * not run ahead of it, for what waits in a book for what it brings is bounded.
 */
const silentTopicMs = 60_000
/** So often it is looked whether one is silent, or read by somebody else now. */
const lookEveryMs = 5000

interface Held<Message> {
  readonly message: Message
  /** When it was said, and never later than when it was read: a clock ahead moves nothing behind what is still to come. */
  readonly at: number
}

class Topic<Message extends Timed> {
  /** It was asked and has nothing more. */
  isDry = false
  readonly #source: TopicSource<Message>
  readonly #clock: Clock
  readonly #partitions = new Map<number, Held<Message>[]>()
  #bytes = 0
  /** When it last said anything, or was asked again after what it had brought was taken. */
  #heardAt: number

  constructor(source: TopicSource<Message>, clock: Clock, changed: () => void) {
    const { stream } = source
    this.#source = source
    this.#clock = clock
    this.#heardAt = clock.now()
    stream.on('readable', changed)
    stream.on('fetch', () => {
      this.#heardAt = clock.now()
      // What it brought is handed over in the same turn.
      queueMicrotask(() => {
        if (stream.readableLength > 0) return
        this.isDry = true
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

  /** It is being asked, and does not answer. */
  isSilent(now: number): boolean {
    return this.isEmpty && now - this.#heardAt >= silentTopicMs && this.isOurs
  }

  fill(now: number): void {
    while (this.#bytes < this.#room()) {
      const message = this.#source.stream.read()
      if (message === null) return
      this.isDry = false
      this.#bytes += sizeOf(message)
      const held = { message, at: Math.min(Number(message.timestamp), now) }
      const partition = this.#partitions.get(message.partition)
      if (partition) partition.push(held)
      else this.#partitions.set(message.partition, [held])
    }
  }

  #room(): number {
    for (const partition of this.#partitions.values()) if (partition.length === 0) return heldBytes.most
    return heldBytes.usual
  }

  /** The partition whose next message is the oldest. */
  oldest(): Held<Message>[] | undefined {
    let oldest: Held<Message>[] | undefined
    for (const partition of this.#partitions.values())
      if (timeOf(partition) < timeOf(oldest)) oldest = partition
    return oldest
  }

  take(partition: Held<Message>[]): Message | undefined {
    const held = partition.shift()
    if (held) this.#bytes -= sizeOf(held.message)
    this.#heardAt = this.#clock.now()
    return held?.message
  }
}

const timeOf = (partition: readonly Held<unknown>[] | undefined) => partition?.[0]?.at ?? Infinity
/** What is around a message takes room too, an empty one among them. */
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

  /** Another topic, before anything is asked for. */
  add(source: TopicSource<Message>): void {
    const { stream } = source
    this.#topics.push(new Topic(source, this.#clock, () => this.#changed.resolve()))
    stream.on('error', (error) => this.fail(error))
    stream.on('close', () => {
      this.#isClosed = true
      this.#changed.resolve()
    })
  }

  /** Whoever waits, and whoever asks from now on, is told of the first error. */
  fail(error: Error): void {
    this.#error ??= error
    this.#changed.resolve()
  }

  /**
   * The next messages, at most `limit`, as soon as there is one; undefined when it was closed. Rejects when a topic fails, with
   * `offline` when one that is read has not answered for a minute.
   */
  async next(limit: number): Promise<Message[] | undefined> {
    for (;;) {
      if (this.#error) throw this.#error
      if (this.#isClosed) return undefined
      this.#changed = Promise.withResolvers<void>()
      const batch = this.#take(limit)
      if (batch.length > 0) return batch
      if (this.#topics.some((topic) => topic.isSilent(this.#clock.now())))
        throw new DaybookError('offline', 'A topic has not answered for a minute; it is asked anew.')
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
    let partition: Held<Message>[] | undefined
    for (const topic of this.#topics) {
      const oldest = topic.oldest()
      if (timeOf(oldest) >= timeOf(partition)) continue
      from = topic
      partition = oldest
    }
    if (!from || !partition || this.#mayBeOlder(timeOf(partition), now)) return undefined
    return from.take(partition)
  }

  /** True while a topic that is still being asked may have something from before `at`. */
  #mayBeOlder(at: number, now: number): boolean {
    return (
      at < now - freshMs && this.#topics.some(({ isEmpty, isDry, isOurs }) => isEmpty && !isDry && isOurs)
    )
  }

  async #wait(): Promise<void> {
    const cancel = this.#scheduler.later(lookEveryMs, () => this.#changed.resolve())
    await this.#changed.promise
    cancel()
  }
}
