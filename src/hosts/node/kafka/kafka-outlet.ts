// Sends envelopes of a pool to Kafka with an idempotent producer, so that retries of the client don't
// duplicate a message. Sends envelopes of one turn of the event loop together.
// Invariant: `send` resolves when all in-sync replicas have the envelope; otherwise it rejects, and the
// caller sends the envelope again.
import type { MessageToProduce, Producer } from '@platformatic/kafka'
import type { Outgoing } from '../../../core/pool.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { PoolTopics } from './kafka-topics.ts'
import type { KafkaClient } from './load-kafka.ts'
import type { KafkaConnectionOptions } from './kafka-settings.ts'

export interface OutletOptions {
  readonly client: KafkaClient
  /** Brokers, TLS and login. */
  readonly way: KafkaConnectionOptions
  readonly clientId: string
  readonly topics: PoolTopics
  /** Id of this process, sent in the header `processHeader`. */
  readonly process: string
  readonly onSent: (count: number) => void
  /** Called after a failed send; returns the error for the callers of `send`. */
  readonly onFailed: (error: unknown) => DaybookError
}

/** Header by which a process recognizes its own messages. */
export const processHeader = 'daybook-process'

/** Most envelopes of one request. */
const batchLimit = 500
/** Longest wait of the brokers for the replicas. */
const timeoutMs = 10_000

interface PendingEnvelope {
  readonly envelope: Outgoing
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

export class KafkaOutlet {
  readonly #options: OutletOptions
  #producer: Producer<string, string, string, string> | undefined
  #pending: PendingEnvelope[] = []
  #sending: Promise<void> | undefined
  #closed = false

  constructor(options: OutletOptions) {
    this.#options = options
  }

  send(envelope: Outgoing): Promise<void> {
    if (this.#closed) return Promise.reject(new DaybookError('book-closed'))
    return new Promise((done, failed) => {
      this.#pending.push({ envelope, done, failed })
      // Wait for other envelopes of this turn of the event loop.
      this.#sending ??= Promise.resolve().then(() => this.#sendAll())
    })
  }

  /** Sends or rejects pending envelopes, then closes the producer. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#sending
    await this.#drop()
  }

  /** Never rejects: each envelope settles its own promise. */
  async #sendAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#withoutWithdrawn(this.#pending.splice(0, batchLimit))
      if (batch.length === 0) continue
      try {
        await this.#open().send({ messages: batch.map(({ envelope }) => this.#message(envelope)) })
        for (const { done } of batch) done()
        this.#options.onSent(batch.length)
      } catch (error) {
        // Reject the later envelopes too: they must not be sent before the failed ones.
        const rest = this.#pending
        this.#pending = []
        await this.#drop()
        const fault = this.#options.onFailed(error)
        for (const { failed } of [...batch, ...rest]) failed(fault)
      }
    }
    this.#sending = undefined
  }

  /** Resolves and removes envelopes that were taken back while they waited. */
  #withoutWithdrawn(batch: readonly PendingEnvelope[]): PendingEnvelope[] {
    return batch.filter(({ envelope, done }) => {
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
