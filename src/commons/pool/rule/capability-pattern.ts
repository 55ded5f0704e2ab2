// Patterns of capabilities: `name`, or `name:place,place`. In a place `*` matches text without `/`, and `**`
// matches any text. Pure.
// Invariant: a claw matches only if it can do all of the request; the time grows at most with the product of both
// lengths.

export interface CapabilityPattern {
  readonly name: string
  /** Absent: all places. */
  readonly places?: readonly string[]
}

/** Parses a capability, such as `db.read:orders,customers`. */
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
 * The `announced` capabilities that together cover `request`; undefined if they don't cover a part of it. A request
 * without places matches every capability of its name.
 */
export function whoCan(announced: readonly string[], request: string): string[] | undefined {
  const wanted = parseCapability(request)
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

/** The characters of a place, with `*` and `**` as signs. */
function signsOf(place: string): Sign[] {
  const signs: Sign[] = []
  for (const [part] of place.matchAll(/\*{2,}|\*|[^*]/gsu)) {
    if (part === '*') signs.push({ any: 'segment' })
    else signs.push(part.startsWith('**') ? { any: 'rest' } : part)
  }
  return signs
}

/** True if `wide` matches every place that `narrow` matches. */
export function coversPlace(wide: string, narrow: string): boolean {
  const pattern = signsOf(wide)
  const signs = signsOf(narrow)
  // `reached[i]`: the signs of the pattern so far match the first `i` signs of `narrow`.
  let reached = new Array<boolean>(signs.length + 1).fill(false)
  reached[0] = true
  for (const sign of pattern) reached = step(reached, sign, signs)
  return reached[signs.length] === true
}

function step(reached: readonly boolean[], sign: Sign, signs: readonly Sign[]): boolean[] {
  const next = new Array<boolean>(signs.length + 1).fill(false)
  for (let i = 0; i <= signs.length; i++) {
    const before = signs[i - 1]
    if (typeof sign === 'string') next[i] = reached[i - 1] === true && before === sign
    else next[i] = reached[i] === true || (next[i - 1] === true && matchesSign(sign.any, before))
  }
  return next
}

/** True if a `*` or `**` matches `sign`. */
function matchesSign(any: 'segment' | 'rest', sign: Sign | undefined): boolean {
  if (sign === undefined) return false
  if (any === 'rest') return true
  return typeof sign === 'string' ? sign !== '/' : sign.any === 'segment'
}
