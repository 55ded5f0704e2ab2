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
    title: 'The weight of the question’s words that this record has, of the weight of all its words.',
  },
  'text.bm25': {
    label: 'BM25',
    title: 'How strongly the words stand out in this record (BM25), beside the best hit.',
  },
  'window.coverage': {
    label: 'coverage (nearby)',
    title: 'The same, with what stands right before and after it in its session.',
  },
  'window.bm25': {
    label: 'BM25 (nearby)',
    title: 'How strongly the words stand out in it together with its neighbours (BM25), beside the best hit.',
  },
  'session.score': {
    label: 'session',
    title: 'How much of the question its whole session has, beside the best hit.',
  },
  'vector.similarity': {
    label: 'meaning',
    title: 'How near its meaning is to the question’s, as the embedding model sees it (cosine).',
  },
  recency: { label: 'recency', title: 'How recent it is: half is gone after 30 days.' },
  importance: { label: 'importance', title: 'As the record says; 0.50 when it says nothing.' },
  confidence: { label: 'confidence', title: 'As the record says; 1.00 when it says nothing.' },
  use: { label: 'use', title: 'How often it was used on this device: 0.50 after five times.' },
  pin: { label: 'pinned', title: 'Full when the record is pinned.' },
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
