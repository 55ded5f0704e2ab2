// From a pool to Kafka: an idempotent producer, so that what the client itself sends again lies in a topic once. What is given
// together goes together.
// Invariant: an envelope is resolved when every replica that has to has it; when that is not sure it is rejected, and
// whoever gave it gives it again.
import type { MessageToProduce, Producer } from '@platformatic/kafka'
import type { Outgoing } from '../../../core/pool/pool-carrier.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { PoolTopics } from './kafka-topics.ts'
import type { KafkaClient } from './load-kafka.ts'
import type { KafkaWay } from './kafka-settings.ts'

export interface OutletOptions {
  readonly client: KafkaClient
  readonly way: KafkaWay
  readonly clientId: string
  readonly topics: PoolTopics
  /** Stands in a header of whatever this process sends. */
  readonly process: string
  readonly onSent: (count: number) => void
  /** Answers what whoever sent is told. */
  readonly onFailed: (error: unknown) => DaybookError
}

/** By this header a process knows what it has sent itself. */
export const processHeader = 'daybook-process'

const batchLimit = 500
const timeoutMs = 10_000

interface Given {
  readonly envelope: Outgoing
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

export class KafkaOutlet {
  readonly #options: OutletOptions
  #producer: Producer<string, string, string, string> | undefined
  #given: Given[] = []
  #sending: Promise<void> | undefined
  #closed = false

  constructor(options: OutletOptions) {
    this.#options = options
  }

  send(envelope: Outgoing): Promise<void> {
    if (this.#closed) return Promise.reject(new DaybookError('book-closed'))
    return new Promise((done, failed) => {
      this.#given.push({ envelope, done, failed })
      // Whoever gives several gives them in one turn.
      this.#sending ??= Promise.resolve().then(() => this.#sendAll())
    })
  }

  /** What was given is sent, or rejected. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#sending
    await this.#drop()
  }

  async #sendAll(): Promise<void> {
    while (this.#given.length > 0) {
      const batch = this.#stillWanted(this.#given.splice(0, batchLimit))
      if (batch.length === 0) continue
      try {
        await this.#open().send({ messages: batch.map(({ envelope }) => this.#message(envelope)) })
        for (const { done } of batch) done()
        this.#options.onSent(batch.length)
      } catch (error) {
        // What stands behind it would overtake it.
        const rest = this.#given
        this.#given = []
        await this.#drop()
        const fault = this.#options.onFailed(error)
        for (const { failed } of [...batch, ...rest]) failed(fault)
      }
    }
    this.#sending = undefined
  }

  /** It may have waited for others to be sent. */
  #stillWanted(given: readonly Given[]): Given[] {
    return given.filter(({ envelope, done }) => {
      const isTakenBack = envelope.isTakenBack?.() === true
      if (isTakenBack) done()
      return !isTakenBack
    })
  }

  #message({ text, type, key }: Outgoing): MessageToProduce<string, string, string, string> {
    const { topics, process } = this.#options
    return { topic: topics.topicOf(type), key, value: text, headers: { [processHeader]: process } }
  }

  #open(): Producer<string, string, string, string> {
    const { client, way, clientId } = this.#options
    return (this.#producer ??= new client.Producer({
      ...way,
      clientId,
      serializers: client.stringSerializers,
      idempotent: true,
      acks: client.ProduceAcks.ALL,
      autocreateTopics: false,
      timeout: timeoutMs,
      retries: 3,
      retryDelay: 250,
    }))
  }

  async #drop(): Promise<void> {
    const producer = this.#producer
    this.#producer = undefined
    await producer?.close(true).catch(() => undefined)
  }
}
