// The parts of `because` in words: the rank that each leg gave, and every number as a bar on a scale from 0 to 1.
// Knows the names of today's parts and shows parts it doesn't know by their own names.
import type { RecallHit } from '../../src/index.ts'

export interface BecausePart {
  readonly label: string
  readonly share: number
  readonly text: string
  readonly title: string
}

const known: Readonly<Record<string, { label: string; title: string }>> = {
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

/** Parts of `hit`; numbers without a natural scale stand beside the largest of `all`. */
export function becauseParts(hit: RecallHit, all: readonly RecallHit[]): BecausePart[] {
  return (
    numbersOf(hit.because)
      // Ranks stand beside the legs, and where a passage lies is no strength.
      .filter(([path]) => !path.endsWith('.rank') && !path.startsWith('passage.'))
      .map(([path, value]) => {
        const largest = Math.max(
          ...all.flatMap((one) =>
            numbersOf(one.because).flatMap(([other, n]) => (other === path ? [n] : [])),
          ),
        )
        const isShare = largest <= 1
        const { label, title } = known[path] ?? { label: unknownLabel(path), title: path }
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
