// What every kind of run is given, and what it says of a peer that failed.
import type { BrowserContext } from 'playwright'

export interface BenchOptions {
  readonly kinds: readonly (
    'store' | 'search' | 'vector' | 'embedding' | 'sync' | 'tabs' | 'consent' | 'pool' | 'inspector'
  )[]
  readonly rounds: number
  /** A package of an earlier Daybook, which the store rows measure too: see run/compare.ts. */
  readonly compare?: string
  /** Shorter rows, and only the smaller number of texts. */
  readonly quick: boolean
  /** Keys of the peers to measure; all when absent. */
  readonly peers?: readonly string[]
  /** How many texts to search in, for each run of the search rows; the first is how many texts are embedded, how many traces a first sync brings, how many memories a profile is of, how many facts a pool has, and how many traces the inspector lists. */
  readonly sizes?: readonly number[]
}

export interface BenchRun extends BenchOptions {
  readonly context: BrowserContext
  /** The address of a page; each `host` is an origin of its own. */
  url(host: string, page: string): string
  /** One line that says how far it is. */
  progress(text: string): void
}

export interface Failure {
  readonly peer: string
  readonly error: string
}
