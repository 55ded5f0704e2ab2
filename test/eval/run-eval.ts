// Runs one data set and answers its figures: shares from 0 to 1, and how long a recall took.
import { evalCranfield } from './cranfield.ts'
import type { EvalBook } from './eval-book.ts'
import { openEvalBook } from './eval-book.ts'
import { evalLocomo } from './locomo.ts'
import { evalPrecision } from './precision.ts'

export const datasets: readonly string[] = ['locomo', 'precision', 'cranfield']

export interface EvalOptions {
  readonly dataset: string
  readonly path: string
  readonly embedder: 'none' | 'lsa'
}

export type Figures = Readonly<Record<string, number>>
export interface EvalResult {
  readonly dataset: string
  readonly latencyMs: { readonly p50: number; readonly p95: number }
  readonly [part: string]: string | Figures
}

export async function runEval({ dataset, path, embedder }: EvalOptions): Promise<EvalResult> {
  const times: number[] = []
  const open = (): Promise<EvalBook> => openEvalBook(embedder, times)
  const run = { locomo: evalLocomo, precision: evalPrecision, cranfield: evalCranfield }[dataset]
  if (!run) throw new Error(`There is no data set ${dataset}; there are ${datasets.join(', ')}.`)
  const parts = await run(path, open)
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0
  return { dataset, ...parts, latencyMs: { p50: at(0.5), p95: at(0.95) } }
}
