// A question of the past asked again with the same options, and how the answer differs from the one of then.
import { signal } from '@preact/signals'
import type { CapabilityInput, RecallResult } from '../../../src/index.ts'
import { openedBook } from '../book.ts'
import type { AskedDetail } from './activity.ts'

/** What became of one hit: where it stood then and stands now, counted from 1. */
export interface HitChange {
  readonly id: string
  readonly kind: string
  readonly placeThen: number | undefined
  readonly placeNow: number | undefined
  readonly scoreThen: number | undefined
  readonly scoreNow: number | undefined
}

export type Again =
  | { readonly state: 'idle' }
  | { readonly state: 'asking'; readonly n: number }
  | { readonly state: 'failed'; readonly n: number; readonly error: unknown }
  | {
      readonly state: 'answered'
      readonly n: number
      readonly changes: readonly HitChange[]
      readonly isSameText: boolean | undefined
    }

export const again = signal<Again>({ state: 'idle' })

interface Found {
  readonly id: string
  readonly kind: string
  readonly score: number
}

/** Hits of now first, in their order, then those that are not among them any more. */
export function compareHits(then: readonly Found[], now: readonly Found[]): HitChange[] {
  const places = new Map(then.map((hit, i) => [hit.id, { place: i + 1, score: hit.score }]))
  const here = new Set(now.map(({ id }) => id))
  return [
    ...now.map(({ id, kind, score }, i) => ({
      id,
      kind,
      placeThen: places.get(id)?.place,
      placeNow: i + 1,
      scoreThen: places.get(id)?.score,
      scoreNow: score,
    })),
    ...then
      .filter(({ id }) => !here.has(id))
      .map(({ id, kind, score }) => ({
        id,
        kind,
        placeThen: places.get(id)?.place,
        placeNow: undefined,
        scoreThen: score,
        scoreNow: undefined,
      })),
  ]
}

/** Asks the question of an entry again, as it was asked. */
export async function askAgain({ n, sort, asked, hits, packed }: AskedDetail): Promise<void> {
  if (!asked) return
  again.value = { state: 'asking', n }
  let next: Again
  try {
    const book = await openedBook()
    if (sort === 'context') {
      const { items, text } = await book.context(asked as CapabilityInput<'recall:context'>)
      next = { state: 'answered', n, changes: compareHits(hits, items), isSameText: text === packed }
    } else {
      const found = await book.recall(asked as CapabilityInput<'daybook:recall'>)
      next = {
        state: 'answered',
        n,
        changes: compareHits(hits, found.hits.map(toFound)),
        isSameText: undefined,
      }
    }
  } catch (error) {
    next = { state: 'failed', n, error }
  }
  const now = again.peek()
  if (now.state !== 'asking' || now.n === n) again.value = next
}

const toFound = ({ record: { id, kind }, score }: RecallResult['hits'][number]): Found => ({
  id,
  kind,
  score,
})
