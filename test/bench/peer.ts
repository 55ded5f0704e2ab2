// The ports that everything measured here fills: places that keep traces, and things that find texts.
// Law: a promise of `storeOne` or `storeMany` resolves when the peer calls the traces stored, in its default mode.
import type { CapabilityInput } from '../../src/index.ts'

/** The information that every store keeps: about 1 KB as JSON. */
export type BenchTrace = CapabilityInput<'kstar:store_trace'> & { readonly timestamp: string }

export interface StorePeer {
  readonly name: string
  /** What "stored" and "indexed" mean in this mode; printed under the table. */
  readonly mode: string
  /** The field in which the peer wants an id, made before the clock starts; absent where it makes its own. */
  readonly idField?: 'id' | '_id'
  /** Opens a new, empty database. */
  open(database: string): Promise<TraceStore>
}

export interface TraceStore {
  storeOne(trace: BenchTrace): Promise<unknown>
  storeMany(traces: readonly BenchTrace[]): Promise<unknown>
  /** A search for `words`, or where there is no search the traces of `domain` by its index; answers how many. */
  firstRead(domain: string, words: string): Promise<number>
  /** How many traces there are: what was not kept does not count. */
  count(): Promise<number>
  close(): Promise<unknown>
}

export interface SearchPeer {
  readonly name: string
  readonly mode: string
  open(): Promise<TextIndex>
  /** Opens in a fresh page what `open` made and asks the questions, one after the other; where it is kept at all. */
  reopen?(questions: readonly string[]): Promise<{ readonly index: TextIndex; readonly times: Reopened }>
}

/** Milliseconds from nothing to an open index, from there to the first answer, and for the one after that. */
export interface Reopened {
  readonly openMs: number
  readonly firstMs: number
  readonly nextMs: number
  /** Until all vectors are in memory, where there are some. */
  readonly vectorsMs?: number
}

export interface TextIndex {
  /** Resolves when all `texts` can be found. */
  add(texts: readonly string[]): Promise<void>
  /** Resolves when all is done that is otherwise done when nobody asks. */
  settle?(): Promise<void>
  /** One for each way to ask. */
  readonly searches: Readonly<Record<string, (questions: readonly string[]) => Promise<Timing[]>>>
  /** Bytes of the index, on disk or as JSON; undefined where it can't be had. */
  sizeBytes(): Promise<number | undefined>
  /** Bytes of memory beside that. */
  memoryBytes?(): Promise<number>
}

export interface Timing {
  readonly ms: number
  readonly found: number
}

/** How many hits each question asks for. */
export const hitLimit = 10

/** Asks one question after another and takes the time of each. */
export async function timeEach(
  questions: readonly string[],
  search: (question: string) => number | Promise<number>,
): Promise<Timing[]> {
  const timings: Timing[] = []
  for (const question of questions) {
    const began = performance.now()
    const found = await search(question)
    timings.push({ ms: performance.now() - began, found })
  }
  return timings
}
