// Short keys of texts: FNV-1a over UTF-16 units, in one round of 32 bits or two of 52 together. They tell texts apart by
// accident, not against an adversary. Invariant: a text keeps its key for ever, because books hold ids and keys made of it.

const basis = 0x811c9dc5
const prime = 0x01000193
const pastUnits = 0xffff

/** The 32 bits of FNV-1a. */
export function shortKey(text: string): number {
  let hash = basis
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), prime)
  return hash >>> 0
}

/** A 52-bit key of texts, with a border after each. Equal texts have equal keys. */
export function textKey(texts: readonly string[]): number {
  return wideKey(texts, 0, true)
}

/** A 52-bit key of one text; keys of other rounds are other keys. */
export function roundKey(text: string, round: number): number {
  return wideKey([text], round, false)
}

function wideKey(texts: readonly string[], round: number, isEnded: boolean): number {
  let high = basis ^ round
  let low = prime + round
  for (const text of texts) {
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      high = Math.imul(high ^ unit, prime)
      low = Math.imul(low ^ (unit + i), prime)
    }
    if (isEnded) high = Math.imul(high ^ pastUnits, prime)
  }
  return (high >>> 12) * 0x1_0000_0000 + (low >>> 0)
}
