// Seed phrases of wallets (BIP-39): 12 to 24 words of a list of 2,048. The list would add 13 KB to every page. So
// this module checks the form instead: number of words, three to eight lower-case letters each, no frequent word
// outside the list.
// Invariant: the time is linear in a bounded part of the text.

const counts: ReadonlySet<number> = new Set([12, 15, 18, 21, 24])
const word = /^[a-z]{3,8}$/

/** Frequent English words that the BIP-39 list doesn't contain. */
const missing = new Set(
  `the and was for with from his her are were been had has its which she him but not who did does into would could our how
  went came said got these those being both each few more most some such than too very`.split(/\s+/),
)
const isListed = (text: string) => word.test(text) && !missing.has(text)

/** Length of twelve words of three letters with their spaces. */
export const leastSeedLength = 47
/** Length of 24 words of eight letters with their spaces, and some further spaces. */
const mostSeedLength = 240
const onlyWords = /^\s*[a-z]{3,8}(?:\s+[a-z]{3,8}){11,23}\s*$/

/** True if the text consists of seed words. */
export function isSeedWords(text: string): boolean {
  if (text.length < leastSeedLength || text.length > mostSeedLength || !onlyWords.test(text)) return false
  const words = text.trim().split(/\s+/)
  return counts.has(words.length) && words.every(isListed)
}

/** Maximum of characters from the announcing word to the end of the phrase. */
const reach = 300
/** Words before a phrase that announce it. The prefixes `nemonic` and `ecovery` lack their first letter. */
const speaking = /^(?:seed|phrase|words?|mnemonic|recovery|wallet|backup|my|is|of|the|are|nemonic|ecovery)$/

/** Returns the range of the seed words that the text announces at `index`; undefined without 12 words. */
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
      // Only words close to `index` may announce the phrase.
      if (match.index > 80) return undefined
    }
    if (count === 24) break
  }
  return count >= 12 ? [index + start, index + end] : undefined
}
