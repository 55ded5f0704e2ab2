// The score of a hit in words: the share of each leg, the factors, and the parts of `because`, each as a bar from 0 to 1. Unknown
// parts are shown by their own names.
import type { RecallHit, RecallResult } from '../../src/index.ts'

/** Ranks count by their reciprocal, as fusion counts them; see `rankConstant` of the engine. */
const rankConstant = 20

/** Each leg's share of a score, by its rank; together 1. */
export function legShares(ranks: ReadonlyMap<string, number>): [leg: string, share: number][] {
  const parts = [...ranks].map(([leg, rank]) => [leg, 1 / (rankConstant + rank)] as const)
  const all = parts.reduce((sum, [, part]) => sum + part, 0)
  return parts.map(([leg, part]) => [leg, part / all])
}

/** The factors that change the score, strongest first. */
export function multipliersOf({ because }: RecallHit): [name: string, by: number][] {
  const { recency, importance, confidence, use, pin } = because
  const all: [string, number][] = [
    ['recency', 0.9 + 0.1 * recency],
    ['importance', 0.9 + 0.2 * importance],
    ['confidence', 0.8 + 0.2 * confidence],
    ['use', 1 + 0.1 * use],
    ['pinned', 1 + 0.25 * pin],
  ]
  return all
    .filter(([, by]) => Math.abs(by - 1) >= 0.005)
    .sort(([, one], [, other]) => Math.abs(other - 1) - Math.abs(one - 1))
}

const wholeNames = { best: 'best', all: 'list', order: 'in order of time', summary: 'summary' }

/** A whole answer: its sort, and how much of what recall found it has. */
export const wholeWord = (want: RecallResult['want'], complete: number): string =>
  `${wholeNames[want]}, ${complete === 1 ? 'everything' : `about ${Math.floor(complete * 100)} % of all`} that was found`

/** The call that asks the same. */
export function recallCode(input: object): string {
  const fields = Object.entries(input).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`)
  return `const { hits } = await book.recall({\n${fields.join('\n')}\n})\n`
}

export interface BecausePart {
  readonly label: string
  readonly share: number
  readonly text: string
  readonly title: string
}

const knownParts: Readonly<Record<string, { label: string; title: string }>> = {
  'text.coverage': {
    label: 'coverage',
    title: 'Weighted share of the question’s words that this record has.',
  },
  'text.bm25': {
    label: 'BM25',
    title: 'BM25 of this record, relative to the best hit.',
  },
  'window.coverage': {
    label: 'coverage (nearby)',
    title: 'The same, with the records right before and after it in its session.',
  },
  'window.bm25': {
    label: 'BM25 (nearby)',
    title: 'BM25 with its neighbours, relative to the best hit.',
  },
  'session.score': {
    label: 'session',
    title: 'How well its whole session matches, relative to the best hit.',
  },
  'vector.similarity': {
    label: 'meaning',
    title: 'Similarity in meaning, by the embedding model (cosine).',
  },
  recency: { label: 'recency', title: 'Recency, with a half-life of 30 days.' },
  importance: { label: 'importance', title: 'Set on the record; 0.50 if not set.' },
  confidence: { label: 'confidence', title: 'Set on the record; 1.00 if not set.' },
  use: { label: 'use', title: 'Uses on this device; 0.50 after five.' },
  pin: { label: 'pinned', title: '1.00 if the record is pinned.' },
}

const legNames: Readonly<Record<string, string>> = {
  text: 'full text',
  window: 'nearby steps',
  session: 'session',
  name: 'name',
  trigram: 'trigrams',
  vector: 'vectors',
}

/** A leg's name for people. */
export function legWord(leg: string): string {
  return legNames[leg] ?? leg
}

/** Parts of `hit`; a number without a natural scale is a share of the largest in `all`. */
export function becauseParts(hit: RecallHit, all: readonly RecallHit[]): BecausePart[] {
  return (
    numbersOf(hit.because)
      // Ranks are shown with the legs, and the place of a passage is no strength.
      .filter(([path]) => !path.endsWith('.rank') && !path.startsWith('passage.'))
      .map(([path, value]) => {
        const largest = Math.max(
          ...all.flatMap((one) =>
            numbersOf(one.because).flatMap(([other, n]) => (other === path ? [n] : [])),
          ),
        )
        const isShare = largest <= 1
        const { label, title } = knownParts[path] ?? { label: unknownLabel(path), title: path }
        return { label, title, share: isShare ? value : value / largest, text: value.toFixed(2) }
      })
  )
}

function unknownLabel(path: string): string {
  const [leg = '', ...rest] = path.split('.')
  return [legWord(leg), ...rest].join(' ').replaceAll('_', ' ')
}

/** The rank that each leg gave the hit; legs that did not find it are absent. */
export function ranksOf(hit: RecallHit): ReadonlyMap<string, number> {
  return new Map(
    numbersOf(hit.because).flatMap(([path, value]) =>
      path.endsWith('.rank') ? [[path.slice(0, -5), value] as const] : [],
    ),
  )
}

function numbersOf(value: object, prefix = ''): [string, number][] {
  return Object.entries(value).flatMap(([key, part]): [string, number][] => {
    const path = prefix === '' ? key : `${prefix}.${key}`
    if (typeof part === 'number') return [[path, part]]
    return typeof part === 'object' && part !== null && !Array.isArray(part)
      ? numbersOf(part as object, path)
      : []
  })
}
