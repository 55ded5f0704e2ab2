// Kafka as a way of the pool: what lies in the topics goes into the book, what the pool gives goes out.
// Invariants: an offset is committed after the book's own transaction, so that whoever is killed in between does it again and
// the book counts it once; what nobody can read is written into the audit and passed over; nothing is held in memory but one
// batch each way.
import type { Outgoing, PoolCarrierHooks } from '../../../core/pool/pool-carrier.ts'
import { type DaybookError, toDaybookError } from '../../../core/errors.ts'
import type { Clock, Scheduler } from '../../../core/ports.ts'
import { type KafkaConnection, KafkaTally, type KafkaState, type Way } from './carrier-state.ts'
import { ensureTopics, type NewTopics } from './ensure-topics.ts'
import { Trying } from './keep-trying.ts'
import { batchLimit, type Incoming, KafkaIntake } from './kafka-intake.ts'
import { isKafkaFault, toKafkaFault } from './kafka-fault.ts'
import { KafkaOutlet, processHeader } from './kafka-outlet.ts'
import type { KafkaWay } from './kafka-settings.ts'
import type { PoolTopics } from './kafka-topics.ts'
import type { KafkaClient } from './load-kafka.ts'

export interface KafkaCarrierParts {
  readonly client: KafkaClient
  readonly way: KafkaWay
  readonly topics: PoolTopics
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly clientId: string
  /** Who has taken what: two that take everything have groups of their own. */
  readonly consumerGroup: string
  /** Names this process, and no other one. */
  readonly process: string
  readonly createTopics?: NewTopics | undefined
  readonly onState?: ((state: KafkaState) => void) | undefined
}

const lagEveryMs = 5000
/** While it could not be asked. */
const lagAgainMs = 500
/** When sending has failed, and nothing says that the way is open again. */
const sendAgainMs = 2000
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export class KafkaCarrier implements KafkaConnection {
  readonly name: string
  readonly #parts: KafkaCarrierParts
  readonly #intake: KafkaIntake
  readonly #outlet: KafkaOutlet
  readonly #tally: KafkaTally
  readonly #trying: Trying
  #hooks: PoolCarrierHooks | undefined
  #ended: Promise<void> | undefined
  #closing: Promise<void> | undefined
  readonly #done = Promise.withResolvers<void>()
  /** Resolves when it was closed, and everything that was under way has ended. */
  readonly closed: Promise<void> = this.#done.promise

  constructor(parts: KafkaCarrierParts) {
    this.#parts = parts
    this.name = `kafka:${parts.consumerGroup}`
    this.#tally = new KafkaTally(() => parts.clock.now())
    this.#trying = new Trying(parts.scheduler)
    this.#outlet = new KafkaOutlet({
      ...parts,
      onSent: (count) => {
        this.#tally.sent(count)
        this.#works('out')
      },
      onFailed: (error) => {
        void this.#readyAgain()
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
   * Sees that the brokers answer and that the topics are there. Rejects with what no waiting helps against (`unauthorized`,
   * `forbidden`, `not-found`), and with `offline` where no broker answers.
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
    this.#ended = this.#trying.keepUp({
      work: (moved) => this.#intake.run(moved),
      failed: (error) => void this.#failed('in', error),
    })
    // The end waits for no answer about the lag: nothing hangs on it.
    void this.#watchLag()
  }

  send(envelope: Outgoing): Promise<void> {
    return this.#outlet.send(envelope)
  }

  degraded(): string | undefined {
    const { state, error } = this.state
    return state === 'waiting' ? error?.message : undefined
  }

  /** It has more to take than it takes at once; or the brokers are away, or have not said. */
  isBehind(): boolean {
    const { state, lag } = this.state
    return state !== 'running' || lag === undefined || lag > batchLimit
  }

  close(): void {
    void this.end()
  }

  /** Ends gracefully: what was begun is ended, and what was taken is committed. */
  end(): Promise<void> {
    return (this.#closing ??= this.#end())
  }

  async #end(): Promise<void> {
    this.#trying.close()
    await this.#intake.close()
    await this.#ended
    await this.#outlet.close()
    this.#tally.become('closed')
    this.#tell()
    this.#done.resolve()
  }

  #fault(error: unknown): DaybookError {
    return isKafkaFault(error) ? toKafkaFault(error, this.#parts.way.bootstrapBrokers) : toDaybookError(error)
  }

  #failed(way: Way, error: unknown): DaybookError {
    const fault = this.#fault(error)
    this.#tally.failed(way, fault)
    this.#tell()
    return fault
  }

  #works(way: Way): void {
    this.#tally.works(way)
    this.#tell()
  }

  #tell(): void {
    this.#parts.onState?.(this.state)
  }

  async #readyAgain(): Promise<void> {
    await this.#trying.pause(sendAgainMs)
    if (!this.#trying.isClosed) this.#hooks?.ready()
  }

  /** What has one key is taken in its order, the keys beside each other: the book writes them together. */
  async #take(batch: readonly Incoming[]): Promise<void> {
    const keys = Map.groupBy(
      batch,
      ({ key, topic, partition }) => key?.toString('latin1') ?? `${topic}/${partition}`,
    )
    await Promise.all([...keys.values()].map((messages) => this.#takeOrdered(messages)))
  }

  async #takeOrdered(messages: readonly Incoming[]): Promise<void> {
    for (const { headers, value, at } of messages) {
      if (headers.get(processHeader) === this.#parts.process) this.#tally.metOwn()
      else if (this.#hooks) this.#tally.answered((await this.#hooks.received(textOf(value), at)).result)
    }
  }

  async #watchLag(): Promise<void> {
    while (!this.#trying.isClosed) {
      const lag = await this.#intake.lag()
      if (this.#trying.isClosed) return
      this.#tally.lag(lag)
      await this.#trying.pause(lag === undefined ? lagAgainMs : lagEveryMs)
    }
  }
}

/** The text of a message. One that is no UTF-8 becomes a text that is no JSON either, so that nobody takes half of it. */
function textOf(value: Buffer | undefined): string {
  if (value === undefined) return ''
  try {
    return utf8.decode(value)
  } catch {
    return `\uFFFD${value.toString('utf8')}`
  }
}
