// Passages of a long text: runs of whole paragraphs and sentences, so that a record in which much is said is also measured
// by the place where it says what is asked. Only offsets are told; nothing is stored twice.
// Invariant: passages follow each other without a gap and without an overlap, and make up the whole text.

/** A text of at most this many UTF-16 units is one passage, and a passage is at most about that long. */
export const passageLength = 600
/** What cannot be parted at the end of a sentence is parted here. */
const longest = 2 * passageLength

/** UTF-16 offsets into a text: from the first unit to before the last. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Ends of paragraphs, lines and sentences, in the scripts that have such marks. */
const ends = /\n\s*|[.!?…][)"'”’»\]]*\s+|[。！？]\s*/gu

/** The passages of `text`, in their order. */
export function passagesOf(text: string): Span[] {
  const passages: Span[] = []
  let from = 0
  let last = 0
  const close = (to: number) => {
    if (to > from) passages.push({ from, to })
    from = to
  }
  const reach = (end: number) => {
    if (end - from > passageLength) close(last)
    while (end - from > longest) close(wordEnd(text, from + passageLength))
    last = end
  }
  for (const { index, 0: mark } of text.matchAll(ends)) reach(index + mark.length)
  reach(text.length)
  close(text.length)
  return passages
}

/** Where the word before `at` ends, or `at` where none does nearby; never inside of a character. */
function wordEnd(text: string, at: number): number {
  const space = text.lastIndexOf(' ', at)
  if (space > at - 100) return space + 1
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at
}
