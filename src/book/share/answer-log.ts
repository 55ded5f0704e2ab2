// Which answers the owner keeps so that a call that is made again is not done again, and when it forgets them.
// Invariant: an answer is kept until its page has it, or, where the page gave the call up, as long as all answers are.
import type { Engine } from '../../engine/engine.ts'
import { afterRequestsOf, firstOf, requestOf } from './call-name.ts'

/** How many calls may be settled before their answers are forgotten. */
const settledStep = 1000

/** The answers to one tab. */
export class AnswerLog {
  readonly #tab: string
  readonly #store: Pick<Engine['store'], 'requests' | 'writes'>
  /** Calls whose answers are not forgotten with the others. */
  readonly #kept = new Set<number>()
  /** Below this number its page has all outcomes. */
  #settled = 0
  /** Below this number the answers are forgotten. */
  #forgotten = 0

  constructor(tab: string, store: Pick<Engine['store'], 'requests' | 'writes'>) {
    this.#tab = tab
    this.#store = store
  }

  /** The page gave these calls up, and may make them again. */
  keep(numbers: readonly number[]): void {
    for (const number of numbers) this.#kept.add(number)
  }

  /** The page has the outcomes of all calls below this number. */
  settle(below: number): void {
    this.#settled = Math.max(this.#settled, below)
    if (this.#settled - this.#forgotten < settledStep) return
    this.#forgotten = this.#settled
    this.#forget(this.#settled)
  }

  /** The tab is gone. One that did not say that it leaves may be asleep: its page asks again for what it has no outcome of. */
  end(hasLeft: boolean): void {
    this.#forget(hasLeft ? undefined : this.#settled)
  }

  #forget(below?: number): void {
    const tab = this.#tab
    // What earlier workers of its page left may have been given up, and be called again.
    const first = firstOf(tab)
    // Behind the answers that are being given, and as nobody waits for it, whenever the next commit is made.
    const until = below === undefined ? afterRequestsOf(tab) : requestOf(tab, below)
    const isMeant = (number: number) => number >= first && number < (below ?? Infinity)
    const kept = [...this.#kept].filter(isMeant).sort((a, b) => a - b)
    const starts = [requestOf(tab, first)].concat(kept.map((number) => requestOf(tab, number + 1)))
    const ends = kept.map((number) => requestOf(tab, number)).concat(until)
    const { requests, writes } = this.#store
    const forget = () => starts.forEach((from, i) => requests.forget(from, ends[i] ?? from))
    void writes.write(forget).catch(() => undefined)
  }
}
