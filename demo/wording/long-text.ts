// The part of a very long text that a page looks for words in: to read all of it would stop the page.

/** A longer text is read in part. UTF-16 units. */
const maxRead = 50_000
const before = 1000
const after = 5000

/** The text around the first of `words`, in lower case, else its beginning; a text that is not very long whole. */
export function partWith(text: string, words: readonly string[]): string {
  if (text.length <= maxRead) return text
  const lower = text.toLowerCase()
  const found = words
    .map((word) => lower.indexOf(word.slice(0, Math.max(4, word.length - 3))))
    .filter((at) => at >= 0)
  const at = Math.min(...found, text.length)
  const from = at === text.length ? 0 : Math.max(0, at - before)
  return `${from > 0 ? '…' : ''}${text.slice(from, from + before + after).toWellFormed()}…`
}
