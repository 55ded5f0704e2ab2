// State and counters of a Kafka connection, for operators.
import { defined } from '../../../core/defined.ts'
import type { PoolCarrier, TakenResult } from '../../../core/pool.ts'
import type { DaybookError, ErrorCode } from '../../../core/errors.ts'

/** Current state, and counters since the start. */
export interface KafkaState {
  /** `waiting`: a broker is away; it retries. */
  readonly state: 'starting' | 'running' | 'waiting' | 'closed'
  /** Why it waits. */
  readonly error?: { readonly code: ErrorCode; readonly message: string }
  /** Messages that the book took, with committed offsets. */
  readonly received: number
  /**
   * Results of these messages; `rejected` ones are invalid or not allowed. The audit of the pool has the
   * reasons.
   */
  readonly results: Readonly<Record<TakenResult, number>>
  /** Messages of this process itself, which it ignored. */
  readonly own: number
  /** Envelopes that the brokers confirmed. */
  readonly sent: number
  /** Messages in the topics that were not taken yet, at the last check. */
  readonly lag?: number
  /** Times of the last message taken and the last envelope sent, in milliseconds since 1970. */
  readonly receivedAt?: number
  readonly sentAt?: number
}

/** A pool's connection to Kafka. */
export interface KafkaConnection extends PoolCarrier {
  readonly state: KafkaState
  /** Resolves when all of it has ended. */
  readonly closed: Promise<void>
  /** The current fault, in words. */
  degraded(): string | undefined
  /** Ends cleanly: commits offsets of taken messages and sends pending envelopes. */
  end(): Promise<void>
}

export type Direction = 'in' | 'out'

export class KafkaTally {
  readonly #now: () => number
  readonly #results = { accepted: 0, duplicate: 0, stale: 0, conflict: 0, ignored: 0, rejected: 0 }
  readonly #faults = new Map<Direction, DaybookError>()
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
      ...defined({ lag: this.#lag, receivedAt: this.#receivedAt, sentAt: this.#sentAt }),
    }
  }

  become(state: 'running' | 'closed'): void {
    this.#state = state
  }

  failed(direction: Direction, error: DaybookError): void {
    this.#faults.set(direction, error)
  }

  /** True if this direction failed before. */
  works(direction: Direction): boolean {
    return this.#faults.delete(direction)
  }

  answered(result: TakenResult): void {
    this.#results[result] += 1
  }

  ignoredOwn(): void {
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
