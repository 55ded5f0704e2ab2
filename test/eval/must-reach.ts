// The figures that recall must reach, by words and with an embedder, beside the least that tests hold.
import type { EmbedderOptions } from '../../src/hosts/node/index.ts'
import { leastOf } from '../golden/meaning/least.ts'
import { runEval, setsOf } from './run-eval.ts'

/** Shares from 0 to 1 by column: `words`, the embedder, and `least` if tests hold it; then the same of the held-out half. */
export type MustReach = Readonly<Record<string, number>>

/** The figures of a set, if it has them. */
const figures = [
  'ndcg@10',
  'recall@5',
  'recall@10',
  'cut precision',
  'cut recall',
  'all@40',
  'list@40',
  'summary@40',
  'all in order@10',
  'order@10',
  'changed',
  'unchanged',
  'silent',
]

const heldOut = ', held out'

/** By set and figure. `locomo`: a file of that format to measure too. */
export async function mustReach(
  locomo: string | undefined,
  embedder: EmbedderOptions,
): Promise<Readonly<Record<string, MustReach>>> {
  const words = await measure(locomo, { provider: 'none' })
  const others = embedder.provider === 'none' ? undefined : await measure(locomo, embedder)
  const rows: Record<string, Record<string, number>> = {}
  for (const [name, some] of Object.entries(words)) {
    const set = name.replace(heldOut, '')
    const half = name === set ? '' : heldOut
    for (const figure of figures.filter((one) => some[one] !== undefined)) {
      const row = (rows[`${set}: ${figure}`] ??= {})
      row[`words${half}`] = some[figure] ?? 0
      const other = others?.[name]?.[figure]
      if (other !== undefined) row[`${embedder.provider}${half}`] = other
      const least = leastOf(name)[figure]
      if (embedder.provider === 'meaning' && least !== undefined) row[`least${half}`] = least
    }
  }
  return rows
}

async function measure(locomo: string | undefined, embedder: EmbedderOptions) {
  const judged = setsOf(await runEval({ dataset: 'judged', path: '', embedder }))
  if (locomo === undefined) return judged
  const { turn } = setsOf(await runEval({ dataset: 'locomo', path: locomo, embedder }))
  return { ...judged, outside: turn ?? {} }
}
