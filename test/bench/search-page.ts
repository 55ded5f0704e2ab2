// The page that measures one searcher: the same texts in every one, then the same questions, round after round.
import type { Reopened, SearchPeer, TextIndex } from './peer.ts'
import { quantile } from './statistic.ts'
import { createTextSource } from './text-source.ts'

const peers: Readonly<Record<string, () => Promise<SearchPeer>>> = {
  daybook: async () => (await import('./search/daybook.ts')).daybook,
  meaning: async () => (await import('./search/daybook.ts')).withMeaning,
  engine: async () => (await import('./search/engine.ts')).engine,
  minisearch: async () => (await import('./search/minisearch.ts')).minisearch,
  orama: async () => (await import('./search/orama.ts')).orama,
  fts5: async () => (await import('./search/fts5.ts')).fts5,
}

/** Milliseconds a question took, and which share of the questions found something, for each way to ask. */
export type SearchRound = Readonly<
  Record<string, { readonly p50: number; readonly p95: number; readonly answered: number }>
>

const seed = 11
/** Questions are about the first so many texts. */
const askedAbout = 100_000
let index: TextIndex | undefined

async function loadPeer(key: string): Promise<SearchPeer> {
  const load = peers[key]
  if (!load) throw new Error(`There is no searcher ${key}; there are ${Object.keys(peers).join(', ')}.`)
  return load()
}

/** Fills the peer with `size` texts and answers how many milliseconds that took, until all could be found. */
async function fill(key: string, size: number): Promise<number> {
  const peer = await loadPeer(key)
  const texts = makeTexts(size)
  index = await peer.open()
  const began = performance.now()
  await index.add(texts)
  return performance.now() - began
}

/** Waits for what is done when nobody asks, and answers how many milliseconds that took. */
async function settle(): Promise<number> {
  const began = performance.now()
  await index?.settle?.()
  return performance.now() - began
}

/** In a fresh page: opens what was filled, and asks. Undefined where nothing is kept. */
async function reopen(key: string, size: number, n: number): Promise<Reopened | undefined> {
  const questions = makeQuestions(size, 2, n)
  const opened = await (await loadPeer(key)).reopen?.(questions)
  index = opened?.index
  return opened?.times
}

/** Asks `count` questions in every way, in each round others. */
async function runRound(size: number, count: number, n: number): Promise<SearchRound> {
  if (!index) throw new Error('Nothing to search in yet')
  const questions = makeQuestions(size, count, n)
  const round: Record<string, SearchRound[string]> = {}
  for (const [way, search] of Object.entries(index.searches)) {
    const timings = await search(questions)
    const times = timings.map(({ ms }) => ms)
    round[way] = {
      p50: quantile(times, 0.5),
      p95: quantile(times, 0.95),
      answered: timings.filter(({ found }) => found > 0).length / count,
    }
  }
  return round
}

function makeTexts(size: number): string[] {
  const { text } = createTextSource(seed)
  return Array.from({ length: size }, text)
}

function makeQuestions(size: number, count: number, n: number): string[] {
  const texts = makeTexts(Math.min(size, askedAbout))
  const { pick, question } = createTextSource(seed + 1 + n)
  return Array.from({ length: count }, () => question(pick(texts)))
}

export const bench = {
  peers: Object.keys(peers),
  async describe(key: string) {
    const { name, mode } = await loadPeer(key)
    return { name, mode }
  },
  fill,
  settle,
  runRound,
  reopen,
  sizeBytes: () => index?.sizeBytes(),
  memoryBytes: () => index?.memoryBytes?.(),
}
export type SearchBench = typeof bench
