// The parts of `because` as bars: every number a leg gives, in words, on a scale from 0 to 1.
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
    label: 'words',
    title: 'The weight of the question’s words that this trace has, of the weight of all its words.',
  },
  'text.bm25': {
    label: 'text match',
    title: 'How strongly the words stand out in this trace (BM25), beside the best hit.',
  },
  recency: { label: 'recency', title: 'How recent it is: half is gone after 30 days.' },
}

/** Parts of `hit`; numbers without a natural scale stand beside the largest of `all`. */
export function becauseParts(hit: RecallHit, all: readonly RecallHit[]): BecausePart[] {
  return numbersOf(hit.because)
    .filter(([path]) => !path.endsWith('.rank'))
    .map(([path, value]) => {
      const largest = Math.max(
        ...all.flatMap((one) => numbersOf(one.because).flatMap(([other, n]) => (other === path ? [n] : []))),
      )
      const isShare = largest <= 1
      const { label, title } = known[path] ?? { label: path.replaceAll('.', ' '), title: path }
      return { label, title, share: isShare ? value : value / largest, text: value.toFixed(2) }
    })
}

/** Where each leg ranked the hit: `text #1`. */
export function becauseRanks(hit: RecallHit): string[] {
  return numbersOf(hit.because).flatMap(([path, value]) =>
    path.endsWith('.rank') ? [`${path.slice(0, -5)} #${value}`] : [],
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
