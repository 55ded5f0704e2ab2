// Private keys of wallets as wallets import them (WIF): 51 or 52 digits of Base58, with a checksum. They have no beginning of their
// own. Invariant: time grows with the length of the text alone, and of words few are looked at.
import { hasBase58Checksum } from './base58-check.ts'

const least = 51
const most = 52
const form = /^(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51})$/

type Place = readonly [start: number, end: number]
const none: readonly Place[] = []

/** The half-open ranges of such keys, in order. */
export function walletKeysIn(text: string): readonly Place[] {
  if (text.length < least) return none
  let found: Place[] | undefined
  let from = 0
  while (from + least <= text.length) {
    // From behind: where a run ends that is too short, the next one may begin after it.
    let at = from + least - 1
    while (at >= from && isWord(text.charCodeAt(at))) at -= 1
    if (at >= from) {
      from = at + 1
      continue
    }
    let end = from + least
    while (isWord(text.charCodeAt(end))) end += 1
    const key = end - from > most ? '' : text.slice(from, end)
    if (form.test(key) && hasBase58Checksum(key)) {
      found ??= []
      found.push([from, end])
    }
    from = end + 1
  }
  return found ?? none
}

/** Letters and digits of ASCII. */
const isWord = (code: number) =>
  // 32 makes a small letter of a capital.
  ((code | 32) >= 97 && (code | 32) <= 122) || (code >= 48 && code <= 57)
