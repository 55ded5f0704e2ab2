// Names of agents as they are compared where one must not pass for another.
// Invariant: case, width, accents, punctuation, invisible characters and letters of other scripts that look the same make no
// other agent. What a name is stored under stays as it was written.

/** Letters of other scripts, and digits, beside the Latin letters that people take them for. */
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

/** A name out of the DID that an agent has by it; other names as they are. */
function nameOf(agent: string): string {
  if (!local.test(agent)) return agent
  return agent.replace(local, '').replaceAll(/_([0-9a-f]{1,6})_/giu, (escaped, code: string) => {
    const point = Number.parseInt(code, 16)
    return point <= 0x10_ff_ff ? String.fromCodePoint(point) : escaped
  })
}

/** The text by which agents are compared. A name of nothing but punctuation is compared as it is written. */
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

/** True for one agent, however it is spelled: by its name, by the DID that it has by that, or so that people take it for the same. */
export const isAlikeAgent = (one: string, other: string): boolean =>
  one === other || foldAgent(one) === foldAgent(other)
