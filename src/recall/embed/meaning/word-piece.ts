// Splits a word into pieces of a vocabulary: always the longest one that the rest of the word begins with (WordPiece,
// the method of BERT's tokenizer). The vocabulary has the first piece of a word as it is, the others after `##`.
// Invariant: a word of which some part is no piece has no pieces at all, as in the original.

/** Words of more characters have no pieces. */
export const maxWordSize = 100
const continuationMark = '##'

export interface WordPieces {
  /**
   * Appends the numbers of the pieces of a word, its lines in the vocabulary, to `into`. False: it has none, and nothing
   * was appended. `size`: number of its characters.
   */
  split(word: string, size: number, into: number[]): boolean
}

interface PieceTable {
  readonly numbers: ReadonlyMap<string, number>
  /** Length of the longest piece, in UTF-16 units. */
  readonly longest: number
}

/** `vocabulary`: pieces by their numbers. */
export function createWordPieces(vocabulary: readonly string[]): WordPieces {
  const starts = tableOf(vocabulary, (piece) => (piece.startsWith(continuationMark) ? undefined : piece))
  const continuations = tableOf(vocabulary, (piece) =>
    piece.startsWith(continuationMark) ? piece.slice(continuationMark.length) : undefined,
  )
  return {
    split(word, size, into) {
      if (size > maxWordSize) return false
      const before = into.length
      let from = 0
      while (from < word.length) {
        const { numbers, longest } = from === 0 ? starts : continuations
        let to = Math.min(word.length, from + longest)
        let number: number | undefined
        for (; to > from; to--) {
          number = numbers.get(word.slice(from, to))
          if (number !== undefined) break
        }
        if (number === undefined) {
          into.length = before
          return false
        }
        into.push(number)
        from = to
      }
      return into.length > before
    },
  }
}

function tableOf(vocabulary: readonly string[], textOf: (piece: string) => string | undefined): PieceTable {
  const numbers = new Map<string, number>()
  let longest = 0
  for (const [number, piece] of vocabulary.entries()) {
    const text = textOf(piece)
    if (text === undefined || text === '') continue
    numbers.set(text, number)
    longest = Math.max(longest, text.length)
  }
  return { numbers, longest }
}
