// What the way over Kafka does and has done, as operators are told.
import type { PoolCarrier, TakenResult } from '../../../core/pool/pool-carrier.ts'
import type { DaybookError, ErrorCode } from '../../../core/errors.ts'

/** What it does at the moment, and what it has done since it was started. */
export interface KafkaState {
  /** `waiting`: something is away, and is tried again. */
  readonly state: 'starting' | 'running' | 'waiting' | 'closed'
  /** Why it waits. */
  readonly error?: { readonly code: ErrorCode; readonly message: string }
  /** Messages that were taken, and their offsets committed. */
  readonly received: number
  /** What became of them; `rejected` are those that are no envelope, or may not be said. Why stands in the audit of the pool. */
  readonly results: Readonly<Record<TakenResult, number>>
  /** Messages of this very process that it met again, and left alone. */
  readonly own: number
  /** Envelopes that the brokers have. */
  readonly sent: number
  /** Messages in the topics that were not taken yet, when it was last asked. */
  readonly lag?: number
  /** When the last message was taken, and the last envelope sent, in milliseconds since 1970. */
  readonly receivedAt?: number
  readonly sentAt?: number
}

/** A pool's way over Kafka, as whoever opened it holds it. */
export interface KafkaConnection extends PoolCarrier {
  readonly state: KafkaState
  /** Resolves when everything of it has ended. */
  readonly closed: Promise<void>
  /** What does not work at the moment, in words. */
  degraded(): string | undefined
  /** Ends in an orderly way: what was taken is committed, and what is on its way is sent. */
  end(): Promise<void>
}

export type Way = 'in' | 'out'

export class KafkaTally {
  readonly #now: () => number
  readonly #results = { accepted: 0, duplicate: 0, stale: 0, conflict: 0, ignored: 0, rejected: 0 }
  readonly #faults = new Map<Way, DaybookError>()
  #state: 'starting' | 'running' | 'closed' = 'starting'
  #received = 0
  #own = 0
  #sent = 0
  #lag: number | undefined
  #receivedAt: number | undefined
  #sentAt: number | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  get state(): KafkaState {
    const [error] = this.#faults.values()
    return {
      state: error && this.#state !== 'closed' ? 'waiting' : this.#state,
      ...(error ? { error: { code: error.code, message: error.message } } : {}),
      received: this.#received,
      results: { ...this.#results },
      own: this.#own,
      sent: this.#sent,
      ...(this.#lag === undefined ? {} : { lag: this.#lag }),
      ...(this.#receivedAt === undefined ? {} : { receivedAt: this.#receivedAt }),
      ...(this.#sentAt === undefined ? {} : { sentAt: this.#sentAt }),
    }
  }

  become(state: 'running' | 'closed'): void {
    this.#state = state
  }

  failed(way: Way, error: DaybookError): void {
    this.#faults.set(way, error)
  }

  /** Answers whether it did not work before. */
  works(way: Way): boolean {
    return this.#faults.delete(way)
  }

  answered(result: TakenResult): void {
    this.#results[result] += 1
  }

  metOwn(): void {
    this.#own += 1
  }

  received(count: number): void {
    this.#received += count
    this.#receivedAt = this.#now()
  }

  sent(count: number): void {
    this.#sent += count
    this.#sentAt = this.#now()
  }

  lag(count: number | undefined): void {
    this.#lag = count
  }
}
