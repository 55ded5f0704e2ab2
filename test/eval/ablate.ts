// What each part of recall is worth: every corpus at hand with all of them, and again without each one. A part that helps on
// none, or harms on one, does not belong. With an embedder also words alone and vectors alone: both together must beat each.
import { recallParts, type RecallPart } from '../../src/recall/part.ts'
import type { EmbedderOptions } from '../../src/hosts/node/index.ts'
import type { Figures } from '../golden/set-measure.ts'
import { runEval } from './run-eval.ts'

/** By part gone without (`all parts` for none): by corpus and figure, a share from 0 to 1. */
export type Ablation = Readonly<Record<string, Figures>>

/** The figures that are shown, and how the table names them. */
const shown: Readonly<Record<string, string>> = {
  'recall@5': '@5',
  'recall@10': '@10',
  'all@40': 'all@40',
  'order@10': 'order@10',
  silent: 'silent',
}

type Row = readonly [name: string, without: readonly RecallPart[], embedder?: EmbedderOptions]

const none = { provider: 'none' } as const

/** `locomo`: a file of that format to measure too. */
export async function ablate(
  locomo: string | undefined,
  embedder: EmbedderOptions = none,
): Promise<Ablation> {
  const table: Record<string, Figures> = {}
  // Alone, every vector answers: there is nothing else to say what the question is about.
  const halves: readonly Row[] =
    embedder.provider === 'none'
      ? []
      : [
          ['words alone', [], none],
          ['vectors alone', ['words'], { ...embedder, minSimilarity: -1 }],
        ]
  const rows: readonly Row[] = [
    ['all parts', []],
    ...halves,
    ...recallParts.map((part) => [`without ${part}`, [part]] as const),
    ['without any', recallParts],
  ]
  for (const [name, without, by = embedder] of rows) {
    const figures: Record<string, number> = {}
    const add = (set: string, of: unknown) => {
      for (const [figure, short] of Object.entries(shown)) {
        const value = (of as Figures)[figure]
        if (value !== undefined) figures[`${set} ${short}`] = value
      }
    }
    const measure = (dataset: string, path: string) => runEval({ dataset, path, embedder: by, without })
    for (const [set, of] of Object.entries(await measure('judged', '')))
      if (typeof of === 'object' && 'questions' in of) add(set, of)
    if (locomo !== undefined) add('outside', (await measure('locomo', locomo))['turn'])
    table[name] = figures
  }
  return table
}

/** The table as text, in percent: a row for each corpus and figure, a column for each part. */
export function ablationText(table: Ablation): string {
  const names = Object.keys(table)
  const rows = Object.keys(table[names[0] ?? ''] ?? {})
  const width = Math.max(...rows.map((row) => row.length))
  const cell = (text: string, i: number) =>
    text.padStart(Math.max(6, (names[i] ?? '').replace('without ', '−').length))
  const head = ['%'.padEnd(width), ...names.map((name, i) => cell(name.replace('without ', '−'), i))].join(
    '  ',
  )
  const body = rows.map((row) =>
    [
      row.padEnd(width),
      ...names.map((name, i) => cell((100 * (table[name]?.[row] ?? 0)).toFixed(1), i)),
    ].join('  '),
  )
  return [head, ...body].join('\n')
}
