// The words of a text in ASCII that may have a term of the index: a stem differs from its word in the last letters.
// Invariant: no expression is made for a term; compiling one for each record takes longer than the rest of a recall.

/** A word of a text, from `from` to before `to`. */
interface WordPlace {
  readonly from: number
  readonly to: number
}

/** The words of `lower`, a text in lower case, that begin like `term`, in order. */
export function* wordsLike(lower: string, term: string): Generator<WordPlace> {
  const begin = term.slice(0, Math.max(1, term.length - 2))
  for (let from = lower.indexOf(begin); from >= 0; from = lower.indexOf(begin, from + 1)) {
    if (isLetter(lower.charCodeAt(from - 1))) continue
    let to = from + begin.length
    while (isLetter(lower.charCodeAt(to))) to += 1
    yield { from, to }
  }
}

/** True for a lower-case letter or a digit of ASCII; false beyond the ends of a text. */
export const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 48 && code <= 57)
