// Cuts words that nobody types: keys, images as text. A full-text index holds each whole word several times, so a few
// megabytes of those would take all of a small disk.
// Invariant: a text and a question about it are cut alike.

/** Letters of a word that count; what follows is in the record, but not in the index. */
export const wordLimit = 256
const longWord = /[\p{L}\p{N}\p{Co}\p{M}]{257,}/gu

/** `text` with the first `wordLimit` letters of each word. */
export function cutLongWords(text: string): string {
  if (!mayHaveLong(text)) return text
  return text.replace(longWord, (word) => Array.from(word).slice(0, wordLimit).join(''))
}

/** A long word covers a place that is a multiple of the limit, so only words at those are looked at. */
function mayHaveLong(text: string): boolean {
  for (let at = wordLimit; at < text.length; at += wordLimit) {
    let end = at
    while (end < text.length && isInside(text.charCodeAt(end))) end += 1
    let from = at
    while (from > 0 && end - from <= wordLimit && isInside(text.charCodeAt(from - 1))) from -= 1
    if (end - from > wordLimit) return true
  }
  return false
}

/** True for a letter or digit of ASCII, and for anything beyond. */
function isInside(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code > 127
}
