// The leg of names: who asks for something by its whole name asks for the records that are called so, however long the rest of
// the question is. Names are folded as the index folds words, with their plurals; two or more words are a phrase.
// Invariant: only among what full text has found, so what may not be seen is not named either.
import type { BookStore } from '../store/book-store.ts'
import { segmentQuery } from '../store/word/unspaced-script.ts'
import { tokenize } from '../store/word/tokenize.ts'
import type { Leg, LegCandidate, Question } from './leg.ts'
import type { TextEvidence } from './text-evidence.ts'

/** Its share in the fusion, beside 1 for full text. */
const weight = 0.25
/** A name is looked for in so many of the best by full text. */
const lookedAt = 50
/** A name of words that more than a twentieth of all records have tells nothing: ln(1 + 0.95 / 0.05), a little less. */
const leastWeight = 2.9

export function createNameLeg(
  { queries }: Pick<BookStore, 'queries'>,
  evidenceOf: (question: Question) => TextEvidence | undefined,
): Leg<'name'> {
  return {
    name: 'name',
    weight,
    find(question) {
      const evidence = evidenceOf(question)
      const candidates = evidence ? findNames(queries, question.text, evidence) : []
      return { candidates, found: candidates.length }
    },
  }
}

function findNames(
  queries: BookStore['queries'],
  text: string,
  { found, terms, telling }: TextEvidence,
): LegCandidate<'name'>[] {
  const asked = tokenize(segmentQuery(text))
  const weights = new Map(terms.map((term, j) => [term, telling[j] ?? 0]))
  const named: { seq: number; name: string; weight: number }[] = []
  for (const [seq, names] of queries.named(found.slice(0, lookedAt).map(({ seq }) => seq))) {
    let best = { seq, name: '', weight: 0 }
    for (const name of names) {
      const words = tokenize(segmentQuery(name))
      const rarest = words.reduce((most, word) => Math.max(most, weights.get(word) ?? 0), 0)
      if (rarest < leastWeight || !standsIn(words, asked)) continue
      const sum = words.reduce((all, word) => all + (weights.get(word) ?? 0), 0)
      if (sum > best.weight) best = { seq, name, weight: sum }
    }
    if (best.weight > 0) named.push(best)
  }
  const heaviest = named.toSorted((a, b) => b.weight - a.weight || b.seq - a.seq)
  return heaviest.map(({ seq, name }, i) => ({
    seq,
    rank: i + 1,
    strength: 0.5,
    answers: true,
    because: { rank: i + 1, name },
  }))
}

/** True when `words` stand side by side in `asked`. */
const standsIn = (words: readonly string[], asked: readonly string[]) =>
  words.length > 0 && asked.some((_, at) => words.every((word, i) => asked[at + i] === word))
