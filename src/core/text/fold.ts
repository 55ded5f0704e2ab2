// Folding: normal forms in which words and names are compared. Stored text stays as it was written.

/** Folds a word: lower case, no diacritics, a plain apostrophe. */
export function fold(word: string): string {
  return word
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .normalize('NFC')
    .replaceAll('’', "'")
}

/** Printable ASCII without capitals: most names. */
const plainName = /^[!-@[-~]*$/

/**
 * Folds a name: full case folding over NFKC, without invisible characters. Idempotent: names that differ in case, width
 * or composition only give the same text.
 */
export function foldName(name: string): string {
  if (plainName.test(name)) return name
  const plain = name.normalize('NFKC').replaceAll(/\p{DI}/gu, '')
  const folded = plain.toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC').trim()
  return folded === name ? name : foldName(folded)
}

/** Letters of other scripts, and digits, with the Latin letters they look like. */
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

/** The name within a local DID; any other name as it is. */
function nameOf(agent: string): string {
  if (!local.test(agent)) return agent
  return agent.replace(local, '').replaceAll(/_([0-9a-f]{1,6})_/giu, (escaped, code: string) => {
    const point = Number.parseInt(code, 16)
    return point <= 0x10_ff_ff ? String.fromCodePoint(point) : escaped
  })
}

/**
 * Folds the name of an agent, where one agent must not pass for another: case, width, accents, punctuation, invisible
 * characters and look-alike letters don't count. A name of punctuation only is compared as it is.
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

/** True if both spellings name one agent: by name, by its local DID, or by a look-alike name. */
export const isAlikeAgent = (one: string, other: string): boolean =>
  one === other || foldAgent(one) === foldAgent(other)
