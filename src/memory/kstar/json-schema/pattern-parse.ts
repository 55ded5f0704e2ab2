// Parses a valid regular expression (ECMAScript, flag u) as far as its cost depends on it: alternatives, sequences,
// repetitions, and single characters.

export type Pattern =
  /** One character as written: `a`, `.`, `[a-z]`, `\d`. */
  | { readonly is: 'atom'; readonly source: string }
  | { readonly is: 'sequence' | 'choice'; readonly of: readonly Pattern[] }
  /** `max`: Infinity without an upper limit. */
  | { readonly is: 'repeat'; readonly of: Pattern; readonly min: number; readonly max: number }
  /** Lookahead or lookbehind, which consumes no character. */
  | { readonly is: 'look'; readonly of: Pattern }
  | { readonly is: 'start' }
  | { readonly is: 'nothing' }

const quantifier = /([*+?])\??|\{(\d+)(,(\d*))?\}\??/y
const group = /\((?:\?(?:(:)|(<?[=!])|<(?![=!])[^>]*>|([a-z-]+:)))?/y
const escape =
  /\\(?:(u\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\})|(k<|[1-9])|([bB])|[^])/uy
const characterClass = /\[(?:\\[^]|[^\]\\])*\]/uy

/** Returns the pattern; undefined if it uses backreferences or modifiers, which can't be judged. */
export function parsePattern(source: string): Pattern | undefined {
  let at = 0
  let isJudgeable = true
  const take = (expression: RegExp) => {
    expression.lastIndex = at
    const match = expression.exec(source)
    if (match) at += match[0].length
    return match
  }

  const choice = (): Pattern => {
    const of = [sequence()]
    while (source[at] === '|') {
      at += 1
      of.push(sequence())
    }
    return of.length === 1 && of[0] ? of[0] : { is: 'choice', of }
  }

  const sequence = (): Pattern => {
    const of: Pattern[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') of.push(repeated(term()))
    return { is: 'sequence', of }
  }

  const repeated = (of: Pattern): Pattern => {
    const match = take(quantifier)
    if (!match) return of
    const [, sign, from, to, limit] = match
    if (sign !== undefined)
      return { is: 'repeat', of, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity }
    const min = Number(from)
    return { is: 'repeat', of, min, max: to === undefined ? min : limit ? Number(limit) : Infinity }
  }

  const term = (): Pattern => {
    const begin = at
    const char = source[at]
    if (char === '(') {
      const [, , look, modifier] = take(group) ?? []
      if (modifier !== undefined) isJudgeable = false
      const of = choice()
      at += 1
      return look === undefined ? of : { is: 'look', of }
    }
    if (char === '[') take(characterClass)
    else if (char === '\\') {
      const [, , reference, edge] = take(escape) ?? []
      if (reference !== undefined) isJudgeable = false
      if (edge !== undefined) return { is: 'nothing' }
    } else {
      at += (source.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
      if (char === '^') return { is: 'start' }
      if (char === '$') return { is: 'nothing' }
    }
    // Skip a character that the parser doesn't know, so that parsing always ends.
    if (at === begin) at += 1
    return { is: 'atom', source: source.slice(begin, at) }
  }

  const pattern = choice()
  return isJudgeable && at === source.length ? pattern : undefined
}
