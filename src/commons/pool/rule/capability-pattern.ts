// Patterns of capabilities: `name`, or `name:resource,resource`. In a resource `*` matches text without `/`, and `**`
// matches any text. Pure.
// Invariant: a claw matches only if it can do all of the request; the time grows at most with the product of both
// lengths.

export interface CapabilityPattern {
  readonly name: string
  /** Absent: all resources in an announcement, any resource in a request. Empty, as in `db.read:`: none, or any. */
  readonly resources?: readonly string[]
}

/** Parses a capability, such as `db.read:orders,customers`. */
export function parseCapability(text: string): CapabilityPattern {
  const colon = text.indexOf(':')
  if (colon === -1) return { name: text.trim() }
  const resources = text
    .slice(colon + 1)
    .split(',')
    .map((resource) => resource.trim())
    .filter((resource) => resource !== '')
  const name = text.slice(0, colon).trim()
  return { name, resources }
}

/**
 * The `announced` capabilities that together cover `request`; undefined if they don't cover a part of it. A request
 * without resources matches every capability of its name.
 */
export function coveringCapabilities(announced: readonly string[], request: string): string[] | undefined {
  const requested = parseCapability(request)
  const sameNamed = announced.filter((text) => parseCapability(text).name === requested.name)
  if (sameNamed.length === 0) return undefined
  if (!requested.resources?.length) return sameNamed
  const used = new Set<string>()
  for (const resource of requested.resources) {
    const covering = sameNamed.find((text) => {
      const { resources } = parseCapability(text)
      return !resources || resources.some((pattern) => coversResource(pattern, resource))
    })
    if (covering === undefined) return undefined
    used.add(covering)
  }
  return sameNamed.filter((text) => used.has(text))
}

type PatternToken = { readonly any: 'segment' | 'rest' } | string

/** Splits a resource into characters and the wildcards `*` and `**`. */
function tokensOf(pattern: string): PatternToken[] {
  const tokens: PatternToken[] = []
  for (const [part] of pattern.matchAll(/\*{2,}|\*|[^*]/gsu)) {
    if (part === '*') tokens.push({ any: 'segment' })
    else tokens.push(part.startsWith('**') ? { any: 'rest' } : part)
  }
  return tokens
}

/** True if `wide` matches every resource that `narrow` matches. */
export function coversResource(wide: string, narrow: string): boolean {
  const wideTokens = tokensOf(wide)
  const narrowTokens = tokensOf(narrow)
  // `reached[i]`: the tokens of `wide` so far match the first `i` tokens of `narrow`.
  let reached = new Array<boolean>(narrowTokens.length + 1).fill(false)
  reached[0] = true
  for (const token of wideTokens) reached = advance(reached, token, narrowTokens)
  return reached[narrowTokens.length] === true
}

function advance(
  reached: readonly boolean[],
  token: PatternToken,
  narrowTokens: readonly PatternToken[],
): boolean[] {
  const next = new Array<boolean>(narrowTokens.length + 1).fill(false)
  for (let i = 0; i <= narrowTokens.length; i++) {
    const previous = narrowTokens[i - 1]
    if (typeof token === 'string') next[i] = reached[i - 1] === true && previous === token
    else next[i] = reached[i] === true || (next[i - 1] === true && wildcardMatches(token.any, previous))
  }
  return next
}

/** True if a `*` or `**` matches `token`. */
function wildcardMatches(wildcard: 'segment' | 'rest', token: PatternToken | undefined): boolean {
  if (token === undefined) return false
  if (wildcard === 'rest') return true
  return typeof token === 'string' ? token !== '/' : token.any === 'segment'
}
