// Words as they are compared: what people take for the same word is the same text.

/** Lower case, without marks, with a plain apostrophe. */
export function fold(word: string): string {
  return word
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .normalize('NFC')
    .replaceAll('’', "'")
}
