// A question of the past asked again with the same options, and how the answer differs from the one of then.
import type { CapabilityInput } from '../../../src/index.ts'
import { compareHits, rankedHit, type HitChange } from '../../wording/hit-change.ts'
import { openedBook } from '../book.ts'
import type { RecallDetail } from './activity.ts'
import { held } from '../held.ts'

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

export const again = held<Again>({ state: 'idle' }, ['activity'])

/** Asks the question of an entry again, as it was asked. */
export async function askAgain({ n, sort, asked, hits, packed }: RecallDetail): Promise<void> {
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
        changes: compareHits(hits, found.hits.map(rankedHit)),
        isSameText: undefined,
      }
    }
  } catch (error) {
    next = { state: 'failed', n, error }
  }
  const now = again.peek()
  if (now.state !== 'asking' || now.n === n) again.value = next
}
