// Runs one data set and answers its figures: shares from 0 to 1, and how long a recall took.
import { goldenCorpora, judgedCorpora, synonymCorpora, wholeCorpora } from '../golden/judged-corpus.ts'
import { evalCranfield } from './cranfield.ts'
import type { EmbedderOptions } from '../../src/hosts/node/index.ts'
import { profileFigures } from '../golden/profile-measure.ts'
import { ruleFigures } from '../golden/rule-measure.ts'
import type { Figures } from '../golden/set-measure.ts'
import { type EvalBook, type EvalPart, openEvalBook, type Stopwatch } from './eval-book.ts'
import { evalJudged } from './judged.ts'
import { evalLocomo } from './locomo.ts'
import { evalPrecision } from './precision.ts'

export const datasets: readonly string[] = [
  'golden',
  'synonym',
  'whole',
  'judged',
  'rules',
  'profile',
  'locomo',
  'precision',
  'cranfield',
]

/** Those that are part of the project, so that they need no path. */
export const ownDatasets: readonly string[] = ['golden', 'synonym', 'whole', 'judged', 'rules', 'profile']

export interface EvalOptions {
  readonly dataset: string
  /** A file or a folder; the corpora of the project need none. */
  readonly path: string
  readonly embedder: EmbedderOptions
  /** Parts of recall to go without. */
  readonly without?: readonly EvalPart[]
}

export interface EvalResult {
  readonly dataset: string
  readonly latencyMs: { readonly p50: number; readonly p95: number }
  /** Recalls without vectors, because the embedder was late or away. */
  readonly degraded: number
  readonly [part: string]: string | number | Figures
}

export async function runEval({ dataset, path, embedder, without }: EvalOptions): Promise<EvalResult> {
  const watch: Stopwatch = { times: [], degraded: 0 }
  const { times } = watch
  const open = (): Promise<EvalBook> => openEvalBook(embedder, watch, without && { without })
  const run = {
    golden: evalJudged(goldenCorpora),
    synonym: evalJudged(synonymCorpora),
    whole: evalJudged(wholeCorpora),
    judged: async (...book: Parameters<ReturnType<typeof evalJudged>>) => ({
      ...(await evalJudged(judgedCorpora)(...book)),
      ...ruleFigures(),
      ...profileFigures(),
    }),
    rules: () => Promise.resolve(ruleFigures()),
    profile: () => Promise.resolve(profileFigures()),
    locomo: evalLocomo,
    precision: evalPrecision,
    cranfield: evalCranfield,
  }[dataset]
  if (!run) throw new Error(`There is no data set ${dataset}; there are ${datasets.join(', ')}.`)
  const parts = await run(path, open)
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0
  return { dataset, ...parts, degraded: watch.degraded, latencyMs: { p50: at(0.5), p95: at(0.95) } }
}

/** The judged sets in a result, by name. */
export const setsOf = (result: EvalResult): Readonly<Record<string, Figures>> =>
  Object.fromEntries(
    Object.entries(result).flatMap(([name, some]) =>
      typeof some === 'object' && 'questions' in some ? [[name, some as Figures]] : [],
    ),
  )
