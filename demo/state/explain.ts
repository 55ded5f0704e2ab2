// Why a question finds one record or not: the answer of the book, and the question changed as it suggests.
import type { Daybook } from '../../src/index.ts'
import type { BookRecord } from '../kind/record-kind.ts'
import { go, address } from './address.ts'
import { openedBook } from './book.ts'
import { recallInput } from './recall.ts'

export type Explanation = Awaited<ReturnType<Daybook['recall']['explain']>>
type Missed = Extract<Explanation, { readonly outcome: 'missed' }>
export type Reason = Missed['reasons'][number]
export type Suggestion = Missed['suggestions'][number]

/** Explains record `id` for the question of the address, or for `text` with the same options. */
export async function explain(id: string, text = recallInput.peek().text): Promise<Explanation> {
  return (await openedBook()).recall.explain({ ...recallInput.peek(), text, id })
}

const mostChoices = 8

/** A record id has letters, digits and these signs. */
const isId = (typed: string) => /^[\w.:-]{1,128}$/.test(typed)

/** The record with the id `typed`, or records with these words. */
export async function findExplained(typed: string): Promise<string | readonly BookRecord[]> {
  const book = await openedBook()
  if (isId(typed)) {
    const { outcome } = await explain(typed)
    if (outcome !== 'unknown-record') return typed
  }
  const { records } = await book.records.search({ query: typed, limit: mostChoices })
  return records as readonly BookRecord[]
}

/** True for a change that the form of the question can show. */
export const isAskable = ({ set = {}, rank }: Suggestion): boolean =>
  rank !== undefined && !('distinct' in set) && !('want' in set)

/** Asks the question `text` with the change of a suggestion, and explains record `id` again. */
export function askChanged({ set = {}, remove = [] }: Suggestion, id: string, text: string): void {
  const { text: question = text, ...options } = set
  const all = Object.entries({ ...address.peek().options, ...options })
  // `none` and 0 are the defaults, which the address leaves out.
  const changed = all.filter(([name, value]) => !remove.includes(name) && value !== 'none' && value !== 0)
  go({ view: 'recall', question: String(question), options: Object.fromEntries(changed), why: id })
}
