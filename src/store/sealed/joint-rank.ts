// The matches of a question in two stores as one ranking. Invariant: where the score is a plain BM25 over words, every
// match is scored by how common its words are in both together, so the order is the one that a single store would give.
import type { TermCounts } from '../query/evidence.ts'
import type { QueryParts } from '../query/query-store.ts'
import { byRank, type RankedText, type RankQuestion, type TextRank } from '../query/text-rank.ts'
import { tokenize } from '../word/tokenize.ts'

/** FTS5's constants. */
const k1 = 1.2
const b = 0.75

type CountTerms = (seqs: readonly number[], terms: readonly string[]) => TermCounts

/** The two stores, and how often their records have some terms. */
interface JointStores {
  readonly one: QueryParts
  readonly other: QueryParts
  readonly countTerms: CountTerms
}

export function rankTogether(one: QueryParts, other: QueryParts, countTerms: CountTerms): TextRank {
  return (question) => {
    const { offset = 0, limit, ties } = question
    const wide: RankQuestion = {
      ...question,
      offset: 0,
      limit: limit === undefined ? undefined : offset + limit,
    }
    const found = [...one.rank(wide), ...other.rank({ ...wide, isPlain: false })]
    const isPlainScore = question.columns === undefined && question.prefix !== true
    const scored = isPlainScore ? rescore(question.words, found, { one, other, countTerms }) : found
    return scored.sort(byRank(ties)).slice(offset, limit === undefined ? undefined : offset + limit)
  }
}

function rescore(
  words: readonly string[],
  found: readonly RankedText[],
  { one, other, countTerms }: JointStores,
): RankedText[] {
  const terms = words.flatMap((word) => tokenize(word))
  const first = one.totals()
  const second = other.totals()
  const rows = first.rows + second.rows
  const all = first.terms + second.terms
  const average = rows > 0 && all > 0 ? all / rows : 1
  const having = one.frequencies(terms)
  const elsewhere = other.frequencies(terms)
  const weights = terms.map((term) => {
    const n = (having.get(term) ?? 0) + (elsewhere.get(term) ?? 0)
    const rarity = Math.log((rows - n + 0.5) / (n + 0.5))
    return rarity > 0 ? rarity : 1e-6
  })
  const { counts, sizes } = countTerms(
    found.map(({ seq }) => seq),
    terms,
  )
  return found.map((match, i) => {
    const base = k1 * (1 - b + (b * (sizes[i] ?? 0)) / average)
    const has = terms.filter((_, j) => (counts[i * terms.length + j] ?? 0) > 0)
    const score = terms.reduce((sum, _, j) => {
      const n = counts[i * terms.length + j] ?? 0
      return n === 0 ? sum : sum + (weights[j] ?? 0) * ((n * (k1 + 1)) / (n + base))
    }, 0)
    return { ...match, score, has: [...new Set(has)] }
  })
}
