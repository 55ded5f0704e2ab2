// The state and counters of a Kafka connection, for operators.
import { defined } from '../../../core/defined.ts'
import type { PoolCarrier, TakenResult } from '../../../core/pool.ts'
import type { DaybookError, ErrorCode } from '../../../core/errors.ts'

/** The current state, and counters since the start of the process. */
export interface KafkaState {
  /** `waiting`: a broker doesn't answer or refuses; the connection retries. */
  readonly state: 'starting' | 'running' | 'waiting' | 'closed'
  /** The fault in the state `waiting`. */
  readonly error?: { readonly code: ErrorCode; readonly message: string }
  /** Messages that the book has taken and whose offsets are committed. */
  readonly received: number
  /** Number of messages by the result of the pool. `rejected`: invalid or not allowed; the pool's audit has the reasons. */
  readonly results: Readonly<Record<TakenResult, number>>
  /** Messages that this process sent itself, and ignored. */
  readonly own: number
  /** Envelopes that the brokers have confirmed. */
  readonly sent: number
  /** Messages in the topics that the book hasn't taken, at the last check; absent while unknown. */
  readonly lag?: number
  /** Time of the last taken message, in milliseconds since 1970 UTC; `sentAt`: of the last sent envelope. */
  readonly receivedAt?: number
  readonly sentAt?: number
}

/** A pool's connection to Kafka. */
export interface KafkaConnection extends PoolCarrier {
  readonly state: KafkaState
  /** Resolves when the connection is closed and all running work has ended. */
  readonly closed: Promise<void>
  /** The current fault as text; undefined without a fault. */
  degraded(): string | undefined
  /**
   * Closes the connection: commits the offsets of taken messages, and sends or rejects pending envelopes.
   */
  end(): Promise<void>
}

/** `in`: reading messages; `out`: sending envelopes. */
export type Direction = 'in' | 'out'

export class KafkaTally {
  readonly #now: () => number
  /**
   * Counts by result. `stale`: later news replaced it. `conflict`: it contradicts the state of this book. `ignored`: it
   * has no effect here.
   */
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

  /** Clears the fault of a direction. */
  works(direction: Direction): void {
    this.#faults.delete(direction)
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
