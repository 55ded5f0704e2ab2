// The effect of each part of recall: every judged corpus with all parts, and again without each one, by words and with an embedder.
// A part that raises no figure of a fitted set, or lowers one more than it raises others, does not belong.
import { recallParts } from '../../src/recall/part.ts'
import type { EmbedderOptions } from '../../src/hosts/node/index.ts'
import { mean } from '../golden/measure.ts'
import type { Figures } from '../golden/set-measure.ts'
import type { EvalPart } from './eval-book.ts'
import { runEval, setsOf } from './run-eval.ts'

/** A column: one figure of a set, fitted and held out, from 0 to 1. */
export type AblationRow = Readonly<Record<string, readonly number[]>>

/** By embedder, then by what is left out: `all parts` first. */
export type Ablation = Readonly<Record<string, Readonly<Record<string, AblationRow>>>>

type Sets = Readonly<Record<string, Figures>>

/** The columns: the set and its figure. */
const columns: readonly (readonly [column: string, set: string, figure: string])[] = [
  ['golden nDCG', 'golden', 'ndcg@10'],
  ['hurried nDCG', 'hurried', 'ndcg@10'],
  ['subjects nDCG', 'subjects', 'ndcg@10'],
  ['long nDCG', 'long', 'ndcg@10'],
  ['beliefs nDCG', 'beliefs', 'ndcg@10'],
  ['synonym @10', 'synonym', 'recall@10'],
  ['list @40', 'whole', 'list@40'],
  ['summary @40', 'whole', 'summary@40'],
  ['whole all@40', 'whole', 'all@40'],
  ['order pairs', 'whole', 'order@10'],
  ['changed', 'changes', 'changed'],
]

type Run = readonly [name: string, without: readonly EvalPart[], embedder: EmbedderOptions]

/** All parts, then each one left out. With an embedder also vectors alone: there every vector answers, as nothing else can. */
function runsOf(embedder: EmbedderOptions): readonly Run[] {
  const parts: readonly EvalPart[] = [...recallParts, 'whole']
  const hasVectors = embedder.provider !== 'none'
  const halves: readonly Run[] = hasVectors
    ? [
        ['vectors', [], { provider: 'none' }],
        ['words', ['words'], { ...embedder, minSimilarity: -1 }],
      ]
    : []
  return [
    ['all parts', [], embedder],
    ...halves,
    ...parts.filter((part) => hasVectors || part !== 'beside').map((part): Run => [part, [part], embedder]),
    ['any', parts, embedder],
  ]
}

/** `locomo`: a file of that format to measure too. By words, and with the embedder if there is one. */
export async function ablate(locomo: string | undefined, embedder: EmbedderOptions): Promise<Ablation> {
  const tables: Record<string, Record<string, AblationRow>> = {}
  const none: EmbedderOptions = { provider: 'none' }
  for (const one of embedder.provider === 'none' ? [none] : [none, embedder]) {
    const rows: Record<string, AblationRow> = {}
    for (const [name, without, by] of runsOf(one)) {
      const measure = (dataset: string, path: string) => runEval({ dataset, path, embedder: by, without })
      const outside = locomo === undefined ? undefined : setsOf(await measure('locomo', locomo))['turn']
      rows[name] = rowOf(setsOf(await measure('judged', '')), outside)
    }
    tables[one.provider === 'none' ? 'words' : one.provider] = rows
  }
  return tables
}

function rowOf(sets: Sets, outside: Figures | undefined): AblationRow {
  const pairOf = (set: string, figure: string) =>
    [set, `${set}, held out`].map((name) => sets[name]?.[figure] ?? 0)
  const isHeldOut = (set: string) => set.endsWith(', held out')
  const silence = (heldOut: boolean) =>
    mean(
      Object.entries(sets).flatMap(([set, { silent }]) =>
        silent !== undefined && isHeldOut(set) === heldOut ? [silent] : [],
      ),
    )
  return {
    ...Object.fromEntries(columns.map(([column, set, figure]) => [column, pairOf(set, figure)])),
    silent: [silence(false), silence(true)],
    ...(outside && { 'outside @5': [outside['recall@5'] ?? 0], 'outside @10': [outside['recall@10'] ?? 0] }),
  }
}

/** The tables in Markdown: of all parts in percent, then the change in points without each one, fitted / held out. */
export function ablationText(ablation: Ablation): string {
  return Object.entries(ablation)
    .map(([embedder, rows]) => {
      const [[first, all] = ['', {}], ...others] = Object.entries(rows)
      const points = (values: readonly number[]) => values.map((value) => (100 * value).toFixed(1))
      const change = (row: AblationRow, column: string) => {
        const less = (row[column] ?? []).map((value, i) => value - (all[column]?.[i] ?? 0))
        const signed = points(less).map((text) =>
          Number(text) === 0 ? '0' : Number(text) > 0 ? `+${text}` : text.replace('-', '−'),
        )
        return signed.every((text) => text === '0') ? '' : signed.join(' / ')
      }
      const names = Object.keys(all)
      return [
        `| ${[embedder, ...names].join(' | ')} |`,
        `|${' --- |'.repeat(names.length + 1)}`,
        `| ${[first, ...names.map((name) => points(all[name] ?? []).join(' / '))].join(' | ')} |`,
        ...others.map(
          ([part, row]) => `| ${[`− ${part}`, ...names.map((name) => change(row, name))].join(' | ')} |`,
        ),
      ].join('\n')
    })
    .join('\n\n')
}
