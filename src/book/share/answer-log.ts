// Stored answers of the owner: a repeated call returns its answer and does nothing again.
// Invariant: an answer stays until its page has it, or, if the page gave the call up, as long as any stored answer.
import type { Engine } from '../../engine/engine.ts'
import { afterRequestsOf, firstOf, requestOf } from './line-message.ts'

/** Settled calls before their answers are forgotten. */
const settledStep = 1000

/** The stored answers for one tab. */
export class AnswerLog {
  readonly #tab: string
  readonly #store: Pick<Engine['store'], 'requests' | 'writes'>
  /** Calls whose answers are not forgotten with the others. */
  readonly #retained = new Set<number>()
  /** The page has all outcomes below this number. */
  #settled = 0
  /** Answers below this number are forgotten. */
  #forgotten = 0

  constructor(tab: string, store: Pick<Engine['store'], 'requests' | 'writes'>) {
    this.#tab = tab
    this.#store = store
  }

  /** The page gave these calls up, and may repeat them. */
  keep(numbers: readonly number[]): void {
    for (const number of numbers) this.#retained.add(number)
  }

  /** The page has all outcomes below this number. */
  settle(below: number): void {
    this.#settled = Math.max(this.#settled, below)
    if (this.#settled - this.#forgotten < settledStep) return
    this.#forgotten = this.#settled
    this.#forget(this.#settled)
  }

  /**
   * The tab is gone. Unless it said that it leaves, it may be asleep, and its page may ask again for missing
   * outcomes.
   */
  end(hasLeft: boolean): void {
    this.#forget(hasLeft ? undefined : this.#settled)
  }

  #forget(below?: number): void {
    const tab = this.#tab
    // Calls of earlier workers of the page may have been given up, and may be repeated.
    const first = firstOf(tab)
    // Queued behind the answers; nobody waits for it, so it commits with the next write.
    const until = below === undefined ? afterRequestsOf(tab) : requestOf(tab, below)
    const isMeant = (number: number) => number >= first && number < (below ?? Infinity)
    const retained = [...this.#retained].filter(isMeant).sort((a, b) => a - b)
    const starts = [requestOf(tab, first)].concat(retained.map((number) => requestOf(tab, number + 1)))
    const ends = retained.map((number) => requestOf(tab, number)).concat(until)
    const { requests, writes } = this.#store
    const forget = () => starts.forEach((from, i) => requests.forget(from, ends[i] ?? from))
    void writes.write(forget).catch(() => undefined)
  }
}
