// The part of the postings that is ahead of what is derived: which records it has, and what the text index will count for them.
// Invariant: with `totals` a question weighs words exactly as it will once all of them are derived.
import type { Projection } from '../record/projection.ts'
import type { AheadReader } from './ahead.ts'
import type { IndexTotals } from './index-totals.ts'
import type { Postings } from './postings.ts'

export interface Tail {
  /** Takes up to `limit` records above `from` into `postings`; answers up to which one they are taken in now. */
  take(postings: Postings, from: number, limit: number): number
  /** Every record that is written is taken in. */
  isWhole(): boolean
  /** Nothing more can be taken in until the next one is derived. */
  isBlocked(): boolean
  /** What the text index counts with the records here that it does not have yet. */
  totals(derived: IndexTotals): IndexTotals
  /** Forgets what is derived by now. Outside of transactions. */
  settle(): void
}

export function createTail(reader: AheadReader, projection: Projection): Tail {
  let taken: { readonly seq: number; readonly rows: number; readonly terms: number }[] = []
  /** What was written when the last record was taken in, or when one was in the way. */
  let wholeAt = Number.NaN
  let blockedAt = Number.NaN
  return {
    take(postings, from, limit) {
      const writes = projection.writes()
      const { last, isBlocked } = reader.read(from, limit, (seq, { terms, facts, isIndexed }) => {
        postings.set(seq, terms, facts)
        taken.push({ seq, rows: isIndexed ? 1 : 0, terms: isIndexed ? terms.length : 0 })
      })
      if (isBlocked) blockedAt = writes
      else if (last === from) wholeAt = writes
      return last
    },
    isWhole: () => wholeAt === projection.writes(),
    isBlocked: () => blockedAt === projection.writes(),
    totals(derived) {
      const upTo = projection.derivedSeq()
      let { rows, terms } = derived
      for (const one of taken) {
        if (one.seq <= upTo) continue
        rows += one.rows
        terms += one.terms
      }
      return { rows, terms }
    },
    settle() {
      const upTo = projection.derivedSeq()
      if (taken.length > 0) taken = taken.filter(({ seq }) => seq > upTo)
    },
  }
}
