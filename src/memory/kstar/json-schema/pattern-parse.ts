// Parses a valid regular expression (ECMAScript, flag u) as far as its cost depends on it: alternatives, sequences,
// repetitions, and single characters.

export type Pattern =
  /** One character as written: `a`, `.`, `[a-z]`, `\d`. */
  | { readonly type: 'character'; readonly source: string }
  | { readonly type: 'sequence' | 'choice'; readonly items: readonly Pattern[] }
  /** `max`: Infinity without an upper limit. */
  | { readonly type: 'repeat'; readonly body: Pattern; readonly min: number; readonly max: number }
  /** Lookahead or lookbehind, which consumes no character. */
  | { readonly type: 'look'; readonly body: Pattern }
  | { readonly type: 'start' }
  /** `$`, `\b` or `\B`, which consume no character. */
  | { readonly type: 'empty' }

// The groups of these expressions, in order. quantifier: sign, least number, comma with the rest, greatest
// number. group: non-capturing, look, modifier. escape: a code or property, a reference, an edge (`\b`).
const quantifier = /([*+?])\??|\{(\d+)(,(\d*))?\}\??/y
const group = /\((?:\?(?:(:)|(<?[=!])|<(?![=!])[^>]*>|([a-z-]+:)))?/y
const escape =
  /\\(?:(u\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\})|(k<|[1-9])|([bB])|[^])/uy
const characterClass = /\[(?:\\[^]|[^\]\\])*\]/uy

/** Returns the pattern; undefined if it uses backreferences or modifiers, which can't be judged. */
export function parsePattern(source: string): Pattern | undefined {
  let offset = 0
  let isJudgeable = true
  const consume = (expression: RegExp) => {
    expression.lastIndex = offset
    const match = expression.exec(source)
    if (match) offset += match[0].length
    return match
  }

  const choice = (): Pattern => {
    const alternatives = [sequence()]
    while (source[offset] === '|') {
      offset += 1
      alternatives.push(sequence())
    }
    const [only] = alternatives
    return only && alternatives.length === 1 ? only : { type: 'choice', items: alternatives }
  }

  const sequence = (): Pattern => {
    const items: Pattern[] = []
    while (offset < source.length && source[offset] !== '|' && source[offset] !== ')')
      items.push(repeated(term()))
    return { type: 'sequence', items }
  }

  const repeated = (body: Pattern): Pattern => {
    const match = consume(quantifier)
    if (!match) return body
    const [, sign, from, comma, to] = match
    if (sign !== undefined)
      return { type: 'repeat', body, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity }
    const min = Number(from)
    return { type: 'repeat', body, min, max: maxRepeats(min, comma, to) }
  }

  const term = (): Pattern => {
    const begin = offset
    const char = source[offset]
    if (char === '(') {
      const [, , look, modifier] = consume(group) ?? []
      if (modifier !== undefined) isJudgeable = false
      const body = choice()
      offset += 1
      return look === undefined ? body : { type: 'look', body }
    }
    if (char === '[') consume(characterClass)
    else if (char === '\\') {
      const [, , reference, edge] = consume(escape) ?? []
      if (reference !== undefined) isJudgeable = false
      if (edge !== undefined) return { type: 'empty' }
    } else {
      offset += (source.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
      if (char === '^') return { type: 'start' }
      if (char === '$') return { type: 'empty' }
    }
    // Skip a character that the parser doesn't know, so that parsing always ends.
    if (offset === begin) offset += 1
    return { type: 'character', source: source.slice(begin, offset) }
  }

  const pattern = choice()
  return isJudgeable && offset === source.length ? pattern : undefined
}

/** The upper limit of `{min}`, `{min,}` or `{min,max}`. `comma`: the text from the comma on. */
function maxRepeats(min: number, comma: string | undefined, max: string | undefined): number {
  if (comma === undefined) return min
  return max ? Number(max) : Infinity
}
