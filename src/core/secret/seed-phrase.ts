// Seed phrases of wallets (BIP-39): 12 to 24 words of a list of 2,048. The list would add 13 KB to every page, so this
// module checks the shape: as many words, three to eight small letters each, none of them a frequent word outside of the
// list.
// Invariant: time is linear in a bounded stretch of text.

const counts: ReadonlySet<number> = new Set([12, 15, 18, 21, 24])
const word = /^[a-z]{3,8}$/

/** Frequent English words that are not in the BIP-39 list. */
const missing = new Set(
  `the and was for with from his her are were been had has its which she him but not who did does into would could our how
  went came said got these those being both each few more most some such than too very`.split(/\s+/),
)
const isListed = (text: string) => word.test(text) && !missing.has(text)

/** Twelve words of three letters, and the spaces between them. */
export const leastSeedLength = 47
const onlyWords = /^\s*[a-z]{3,8}(?:\s+[a-z]{3,8}){11,23}\s*$/

/** True for a text of seed words only. */
export function isSeedWords(text: string): boolean {
  if (text.length < leastSeedLength || text.length > 240 || !onlyWords.test(text)) return false
  const words = text.trim().split(/\s+/)
  return counts.has(words.length) && words.every(isListed)
}

/** Longest distance from the announcing word, and longest phrase. */
const reach = 300
/** Words that announce the phrase. */
const speaking = /^(?:seed|phrase|words?|mnemonic|recovery|wallet|backup|my|is|of|the|are|nemonic|ecovery)$/

/** Range of the words that a text announces at `index`. */
export function seedAfter(text: string, index: number): readonly [start: number, end: number] | undefined {
  const stretch = text.slice(index, index + reach)
  let start = -1
  let end = 0
  let count = 0
  for (const match of stretch.matchAll(/[^\s"'`:=,]+|[:="'`,]/g)) {
    const [token] = match
    const isFirst = count === 0
    if (isListed(token) && !(isFirst && speaking.test(token))) {
      if (isFirst) start = match.index
      count += 1
      end = match.index + token.length
    } else if (count >= 12) {
      break
    } else {
      count = 0
      if (match.index > 80) return undefined
    }
    if (count === 24) break
  }
  return count >= 12 ? [index + start, index + end] : undefined
}
