// Connects a pool to Kafka: passes messages of the pool's topics to the book, and sends the pool's envelopes.
// Invariants: an offset is committed after the book's own transaction, so after a crash messages are read
// again, and the book counts each message once. Unreadable messages are logged in the audit and skipped. At
// most one batch in each direction is being processed.
import type { Outgoing, PoolCarrierHooks } from '../../../core/pool.ts'
import { type DaybookError, toDaybookError } from '../../../core/errors.ts'
import type { Clock, Scheduler } from '../../../core/ports.ts'
import { type KafkaConnection, KafkaTally, type KafkaState, type Direction } from './carrier-state.ts'
import { ensureTopics, type NewTopics, type PoolTopics } from './kafka-topics.ts'
import { batchLimit, type Incoming, KafkaIntake } from './kafka-intake.ts'
import { isKafkaFault, toKafkaFault } from './kafka-fault.ts'
import { KafkaOutlet, processHeader } from './kafka-outlet.ts'
import type { KafkaConnectionOptions } from './kafka-settings.ts'
import type { KafkaClient } from './load-kafka.ts'

export interface KafkaCarrierParts {
  readonly client: KafkaClient
  /** Brokers, TLS and login. */
  readonly way: KafkaConnectionOptions
  readonly topics: PoolTopics
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly clientId: string
  /**
   * Brokers store offsets by this group. Two bridges that must each read all messages need different groups.
   */
  readonly consumerGroup: string
  /** Random id of this process, which its messages have in a header. */
  readonly process: string
  readonly createTopics?: NewTopics | undefined
  readonly onState?: ((state: KafkaState) => void) | undefined
}

/** Interval of checks of the lag: the number of messages that the book has not taken. */
const lagEveryMs = 5000
/** Interval of checks while the lag is unknown. */
const lagAgainMs = 500
/** Pause after a failed send before the pool sends again. */
const sendAgainMs = 2000
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export class KafkaCarrier implements KafkaConnection {
  readonly name: string
  readonly #parts: KafkaCarrierParts
  readonly #intake: KafkaIntake
  readonly #outlet: KafkaOutlet
  readonly #tally: KafkaTally
  readonly #retry: Retry
  /** The pool's callbacks (core/pool.ts); undefined until `open`. */
  #hooks: PoolCarrierHooks | undefined
  /** Settles when reading has ended. */
  #ended: Promise<void> | undefined
  #closing: Promise<void> | undefined
  readonly #done = Promise.withResolvers<void>()
  /** Resolves when the connection is closed and all running work has ended. */
  readonly closed: Promise<void> = this.#done.promise

  constructor(parts: KafkaCarrierParts) {
    this.#parts = parts
    this.name = `kafka:${parts.consumerGroup}`
    this.#tally = new KafkaTally(() => parts.clock.now())
    this.#retry = new Retry(parts.scheduler)
    this.#outlet = new KafkaOutlet({
      ...parts,
      onSent: (count) => {
        this.#tally.sent(count)
        this.#works('out')
      },
      onFailed: (error) => {
        void this.#readyLater()
        return this.#failed('out', error)
      },
    })
    this.#intake = new KafkaIntake({
      ...parts,
      memberName: parts.clientId,
      topics: parts.topics.all,
      take: (batch) => this.#take(batch),
      onOpen: () => {
        this.#tally.become('running')
        this.#works('in')
        // The pool sends its waiting envelopes.
        this.#hooks?.ready()
      },
      onCommitted: (batch) => {
        this.#tally.received(batch.length)
        this.#works('in')
      },
    })
  }

  get state(): KafkaState {
    return this.#tally.state
  }

  /**
   * Checks that brokers answer and the topics exist. Call it before `open`. Rejects with `offline` if no
   * broker answers, and with `unauthorized`, `forbidden` or `not-found`, which a retry doesn't solve.
   */
  async prepare(): Promise<void> {
    const { topics, createTopics: create } = this.#parts
    try {
      await ensureTopics({ ...this.#parts, topics: topics.all, create })
    } catch (error) {
      throw this.#fault(error)
    }
  }

  open(hooks: PoolCarrierHooks): void {
    this.#hooks = hooks
    this.#ended = this.#retry.repeat({
      work: (progressed) => this.#intake.run(progressed),
      failed: (error) => void this.#failed('in', error),
    })
    // `close` doesn't wait for this loop.
    void this.#watchLag()
  }

  send(envelope: Outgoing): Promise<void> {
    return this.#outlet.send(envelope)
  }

  degraded(): string | undefined {
    const { state, error } = this.state
    return state === 'waiting' ? error?.message : undefined
  }

  /** True if more than one batch of messages waits, the brokers don't answer, or the lag is unknown. */
  isBehind(): boolean {
    const { state, lag } = this.state
    return state !== 'running' || lag === undefined || lag > batchLimit
  }

  close(): void {
    void this.end()
  }

  /** Closes the connection: finishes running work, and commits the offsets of taken messages. */
  end(): Promise<void> {
    return (this.#closing ??= this.#end())
  }

  async #end(): Promise<void> {
    this.#retry.close()
    await this.#intake.close()
    await this.#ended
    await this.#outlet.close()
    this.#tally.become('closed')
    this.#notify()
    this.#done.resolve()
  }

  #fault(error: unknown): DaybookError {
    return isKafkaFault(error) ? toKafkaFault(error, this.#parts.way.bootstrapBrokers) : toDaybookError(error)
  }

  #failed(direction: Direction, error: unknown): DaybookError {
    const fault = this.#fault(error)
    this.#tally.failed(direction, fault)
    this.#notify()
    return fault
  }

  #works(direction: Direction): void {
    this.#tally.works(direction)
    this.#notify()
  }

  #notify(): void {
    this.#parts.onState?.(this.state)
  }

  /** Lets the pool send again after a pause. */
  async #readyLater(): Promise<void> {
    await this.#retry.pause(sendAgainMs)
    if (!this.#retry.isClosed) this.#hooks?.ready()
  }

  /**
   * Passes messages of one key in order, and messages of different keys at the same time, so that the book
   * writes messages of different keys in one transaction.
   */
  async #take(batch: readonly Incoming[]): Promise<void> {
    const keys = Map.groupBy(
      batch,
      ({ key, topic, partition }) => key?.toString('latin1') ?? `${topic}/${partition}`,
    )
    await Promise.all([...keys.values()].map((messages) => this.#takeOrdered(messages)))
  }

  /** Resolves when the book has committed the messages; rejects if it can't be written now. */
  async #takeOrdered(messages: readonly Incoming[]): Promise<void> {
    for (const { headers, value, at } of messages) {
      if (headers.get(processHeader) === this.#parts.process) this.#tally.ignoredOwn()
      else if (this.#hooks) this.#tally.answered((await this.#hooks.received(textOf(value), at)).result)
    }
  }

  async #watchLag(): Promise<void> {
    while (!this.#retry.isClosed) {
      const lag = await this.#intake.lag()
      if (this.#retry.isClosed) return
      this.#tally.lag(lag)
      await this.#retry.pause(lag === undefined ? lagAgainMs : lagEveryMs)
    }
  }
}

/** The text of a message. Invalid UTF-8 becomes invalid JSON, so that the book rejects the message. */
function textOf(value: Buffer | undefined): string {
  if (value === undefined) return ''
  try {
    return utf8.decode(value)
  } catch {
    return `\uFFFD${value.toString('utf8')}`
  }
}

const backoffMs = { least: 250, most: 15_000 } as const

interface RetryWork {
  /**
   * One attempt, which is repeated when it ends. Call `progressed` after a success: the next pause is short
   * again.
   */
  readonly work: (progressed: () => void) => Promise<void>
  readonly failed: (error: unknown) => void
}

/**
 * Repeats work until `close`, with pauses that double up to 15 seconds. `close` ends every pause at once.
 */
class Retry {
  readonly #scheduler: Scheduler
  readonly #pauses = new Set<() => void>()
  #closed = false

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  get isClosed(): boolean {
    return this.#closed
  }

  async repeat({ work, failed }: RetryWork): Promise<void> {
    let delay: number = backoffMs.least
    const progressed = () => {
      delay = backoffMs.least
    }
    while (!this.#closed) {
      try {
        await work(progressed)
      } catch (error) {
        if (this.#closed) return
        failed(error)
      }
      await this.pause(delay)
      delay = Math.min(backoffMs.most, delay * 2)
    }
  }

  /** Waits `ms`, or until `close`. */
  pause(ms: number): Promise<void> {
    if (this.#closed) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        cancel()
        this.#pauses.delete(done)
        resolve()
      }
      const cancel = this.#scheduler.later(ms, done)
      this.#pauses.add(done)
    })
  }

  close(): void {
    this.#closed = true
    for (const done of this.#pauses) done()
  }
}
