// Compares a question and a text word by word: how similar the nearest word of the text is, for each content word of the
// question. A vector of a whole text can't say that: "where do penguins sleep" is near to any text about sleep.
// Invariant: of doubles only addition, multiplication, division and square root are used, so every host computes the same.
import type { MeaningTable } from './meaning-table.ts'

interface WordVector {
  readonly numbers: Float64Array
  readonly length: number
  /** True: the vocabulary has the word as one piece. The sum of several pieces says little. */
  readonly isWhole: boolean
}

/** A content word is at least this long, as a share of the longest of the question: common words have short vectors. */
const contentShare = 0.6
/** Of a longer text, only the beginning is compared. */
const maxComparedChars = 2000

export interface WordAgreement {
  /**
   * The lowest, over the content words of `question`, of the highest cosine to a word of `text`; −1 to 1. 0 if a content
   * word is unknown, or one of them has no words.
   */
  agreement(question: string, text: string): number
  /** Whether the table knows a content word of `question`. The pieces of gibberish are near to those of foreign words. */
  knows(question: string): boolean
}

/** `piecesOf`: the numbers of the pieces of a text, in order. */
export function createWordAgreement(
  table: Pick<MeaningTable, 'dimensions' | 'vocabulary' | 'scales' | 'rows'>,
  piecesOf: (text: string) => ArrayLike<number>,
): WordAgreement {
  let last: { readonly question: string; readonly words: readonly WordVector[] } | undefined
  const contentWordsOf = (question: string) => {
    if (last?.question !== question) {
      const words = wordsOf(table, piecesOf(question))
      const longest = words.reduce((most, { length }) => Math.max(most, length), 0)
      last = { question, words: words.filter(({ length }) => length >= contentShare * longest) }
    }
    return last.words
  }
  return {
    knows: (question) => contentWordsOf(question).some(({ isWhole }) => isWhole),
    agreement(question, text) {
      const words = contentWordsOf(question)
      if (words.length === 0 || !words.every(({ isWhole }) => isWhole)) return 0
      const others = wordsOf(table, piecesOf(text.slice(0, maxComparedChars)))
      if (others.length === 0) return 0
      return Math.min(...words.map((word) => Math.max(...others.map((other) => cosine(word, other)))))
    },
  }
}

/** The words of a list of pieces, without punctuation. */
function wordsOf(
  {
    dimensions,
    vocabulary,
    scales,
    rows,
  }: Pick<MeaningTable, 'dimensions' | 'vocabulary' | 'scales' | 'rows'>,
  pieces: ArrayLike<number>,
): WordVector[] {
  const groups: number[][] = []
  for (const piece of Array.from(pieces)) {
    const text = vocabulary[piece] ?? ''
    if (/^##./u.test(text)) groups.at(-1)?.push(piece)
    else groups.push(/[\p{L}\p{N}]/u.test(text) ? [piece] : [])
  }
  return groups.flatMap((group) => {
    const numbers = new Float64Array(dimensions)
    for (const piece of group)
      for (let i = 0; i < dimensions; i++)
        numbers[i] =
          (numbers[i] as number) + (scales[piece] as number) * (rows[piece * dimensions + i] as number)
    const length = Math.sqrt(dot(numbers, numbers))
    return length > 0 ? [{ numbers, length, isWhole: group.length === 1 }] : []
  })
}

const cosine = (one: WordVector, other: WordVector) =>
  dot(one.numbers, other.numbers) / (one.length * other.length)

function dot(one: Float64Array, other: Float64Array): number {
  let sum = 0
  for (let i = 0; i < one.length; i++) sum += (one[i] as number) * (other[i] as number)
  return sum
}
