// Folding: normal forms for the comparison of words and names. Stored text is not folded.

/** Folds a word: lower case, no diacritics, a plain apostrophe. */
export function fold(word: string): string {
  return word
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .normalize('NFC')
    .replaceAll('’', "'")
}

/** Matches printable ASCII without capitals, which folding doesn't change: most names. */
const plainName = /^[!-@[-~]*$/

/**
 * Folds a name: full case folding over NFKC, without invisible characters. Idempotent. Names that differ only in
 * case, width or composition have the same folded name.
 */
export function foldName(name: string): string {
  if (plainName.test(name)) return name
  const plain = name.normalize('NFKC').replaceAll(/\p{DI}/gu, '')
  const folded = plain.toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC').trim()
  return folded === name ? name : foldName(folded)
}

/** Letters and digits, each with the Latin letter that it resembles. */
const lookAlikes: Readonly<Record<string, string>> = {
  а: 'a',
  α: 'a',
  ɑ: 'a',
  в: 'b',
  β: 'b',
  с: 'c',
  ϲ: 'c',
  ԁ: 'd',
  е: 'e',
  ε: 'e',
  ҽ: 'e',
  ɡ: 'g',
  һ: 'h',
  н: 'h',
  і: 'l',
  ӏ: 'l',
  ι: 'l',
  ı: 'l',
  i: 'l',
  '1': 'l',
  ј: 'j',
  к: 'k',
  κ: 'k',
  м: 'm',
  μ: 'm',
  п: 'n',
  η: 'n',
  ո: 'n',
  о: 'o',
  ο: 'o',
  σ: 'o',
  օ: 'o',
  '0': 'o',
  р: 'p',
  ρ: 'p',
  ԛ: 'q',
  г: 'r',
  ѕ: 's',
  т: 't',
  τ: 't',
  υ: 'u',
  ս: 'u',
  ν: 'v',
  ѵ: 'v',
  ѡ: 'w',
  ω: 'w',
  ԝ: 'w',
  х: 'x',
  χ: 'x',
  у: 'y',
  γ: 'y',
  ү: 'y',
  ᴢ: 'z',
  ζ: 'z',
}

const local = /^did:a2p:agent:local:/iu

/** Returns the name in a local DID; any other name unchanged. */
function nameOf(agent: string): string {
  if (!local.test(agent)) return agent
  return agent.replace(local, '').replaceAll(/_([0-9a-f]{1,6})_/giu, (escaped, code: string) => {
    const point = Number.parseInt(code, 16)
    return point <= 0x10_ff_ff ? String.fromCodePoint(point) : escaped
  })
}

/**
 * Folds the name of an agent, so that no agent can use a name that resembles another. Ignores case, width, accents,
 * punctuation and invisible characters, and replaces look-alike letters. Returns a name without letters and digits
 * unchanged.
 */
export function foldAgent(agent: string): string {
  const name = nameOf(agent)
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll(/./gu, (char) => lookAlikes[char] ?? char)
  return letters === '' ? name : letters
}

/** True if both names may mean one agent: equal, a local DID of the other, or look-alike. */
export const isAlikeAgent = (one: string, other: string): boolean =>
  one === other || foldAgent(one) === foldAgent(other)
