// What claws say they can do, and who can do what is asked: `name`, or `name:place,place`, where a place may have `*` for what
// has no `/` in it and `**` for anything. Pure. Invariant: a claw is named only when it can do all that is asked; matching
// takes time in proportion to the lengths of both, whatever they say.

export interface CapabilityPattern {
  readonly name: string
  /** Absent: without any place, which stands for all of them. */
  readonly places?: readonly string[]
}

/** `db.read:orders,customers` in its parts. */
export function parseCapability(text: string): CapabilityPattern {
  const colon = text.indexOf(':')
  if (colon === -1) return { name: text.trim() }
  const places = text
    .slice(colon + 1)
    .split(',')
    .map((place) => place.trim())
    .filter((place) => place !== '')
  const name = text.slice(0, colon).trim()
  return places.length === 0 ? { name } : { name, places }
}

/**
 * Those of `announced` by which everything that `asked` names can be done; undefined when something of it can't. What is
 * asked without a place is answered by any place.
 */
export function whoCan(announced: readonly string[], asked: string): string[] | undefined {
  const wanted = parseCapability(asked)
  const named = announced.filter((text) => parseCapability(text).name === wanted.name)
  if (named.length === 0) return undefined
  if (!wanted.places) return named
  const used = new Set<string>()
  for (const place of wanted.places) {
    const by = named.find((text) => {
      const { places } = parseCapability(text)
      return !places || places.some((one) => coversPlace(one, place))
    })
    if (by === undefined) return undefined
    used.add(by)
  }
  return named.filter((text) => used.has(text))
}

type Sign = { readonly any: 'segment' | 'rest' } | string

/** The characters of a place, its `*` and `**` as signs of their own. */
function signsOf(place: string): Sign[] {
  const signs: Sign[] = []
  for (const [part] of place.matchAll(/\*{2,}|\*|[^*]/gsu)) {
    if (part === '*') signs.push({ any: 'segment' })
    else signs.push(part.startsWith('**') ? { any: 'rest' } : part)
  }
  return signs
}

/** True when `wide` stands for every place that `narrow` stands for. */
export function coversPlace(wide: string, narrow: string): boolean {
  const pattern = signsOf(wide)
  const asked = signsOf(narrow)
  // How far of `asked` each beginning of the pattern reaches: one row of a table for each sign of the pattern.
  let reached = new Array<boolean>(asked.length + 1).fill(false)
  reached[0] = true
  for (const sign of pattern) reached = step(reached, sign, asked)
  return reached[asked.length] === true
}

function step(reached: readonly boolean[], sign: Sign, asked: readonly Sign[]): boolean[] {
  const next = new Array<boolean>(asked.length + 1).fill(false)
  for (let i = 0; i <= asked.length; i++) {
    const before = asked[i - 1]
    if (typeof sign === 'string') next[i] = reached[i - 1] === true && before === sign
    else next[i] = reached[i] === true || (next[i - 1] === true && stands(sign.any, before))
  }
  return next
}

/** Whether a `*` or `**` takes in one sign of what is asked. */
function stands(any: 'segment' | 'rest', asked: Sign | undefined): boolean {
  if (asked === undefined) return false
  if (any === 'rest') return true
  return typeof asked === 'string' ? asked !== '/' : asked.any === 'segment'
}
