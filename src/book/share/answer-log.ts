// Forgets the answers that the owner's engine stores by requestId for the calls of one tab, once they are not needed: a
// repeated call returns the stored answer and has no second effect.
// Invariant: an answer stays stored until its page has it; the answer of a call that the page gave up stays until the
// engine removes old answers.
import type { Engine } from '../../engine/engine.ts'
import { afterRequestsOf, firstOf, requestOf } from './line-message.ts'

/** After this many settled calls, their answers are forgotten. */
const settledStep = 1000

/** The stored answers for one tab. Calls are numbered within their page: see `tabOf` and `requestOf`. */
export class AnswerLog {
  readonly #tab: string
  /** `requests` stores the answers. */
  readonly #store: Pick<Engine['store'], 'requests' | 'writes'>
  /** Numbers of given-up calls, whose answers are not forgotten. */
  readonly #retained = new Set<number>()
  /** The page has all outcomes below this number. */
  #settled = 0
  /** Answers below this number are forgotten. */
  #forgotten = 0

  constructor(tab: string, store: Pick<Engine['store'], 'requests' | 'writes'>) {
    this.#tab = tab
    this.#store = store
  }

  /** Keeps the answers of these calls: the page gave the calls up, and may repeat them. */
  keep(numbers: readonly number[]): void {
    for (const number of numbers) this.#retained.add(number)
  }

  /** Call it when the page has all outcomes below this number. */
  settle(below: number): void {
    this.#settled = Math.max(this.#settled, below)
    if (this.#settled - this.#forgotten < settledStep) return
    this.#forgotten = this.#settled
    this.#forget(this.#settled)
  }

  /**
   * Call it when the tab is gone. `hasLeft` false: the tab may be asleep, and its page may repeat calls without an
   * outcome, so only answers below the settled number are forgotten.
   */
  end(hasLeft: boolean): void {
    this.#forget(hasLeft ? undefined : this.#settled)
  }

  /** Removes the answers of calls below this number, or of all calls, except retained ones: the ranges between them. */
  #forget(below?: number): void {
    const tab = this.#tab
    // The answers of earlier workers of the page stay: their calls may have been given up, and may be repeated.
    const first = firstOf(tab)
    // The write is queued behind the answers. No call waits for the write, so it commits with the next write.
    const until = below === undefined ? afterRequestsOf(tab) : requestOf(tab, below)
    const isMeant = (number: number) => number >= first && number < (below ?? Infinity)
    const retained = [...this.#retained].filter(isMeant).sort((a, b) => a - b)
    const starts = [requestOf(tab, first)].concat(retained.map((number) => requestOf(tab, number + 1)))
    const ends = retained.map((number) => requestOf(tab, number)).concat(until)
    const { requests, writes } = this.#store
    // Each range ends before its second id.
    const forget = () => starts.forEach((from, i) => requests.removeRange(from, ends[i] ?? from))
    void writes.write(forget).catch(() => undefined)
  }
}
