// Scopes of tokens: patterns over names such as `trace:education.evaluation`. `:` and `.` separate segments. `*`
// matches one segment; a final `**` matches any number of segments, also none.

export interface ScopePattern {
  readonly text: string
  /** Segments and separators, alternating: `['trace', ':', '*']`. Excludes a final `**` and its separator. */
  readonly parts: readonly string[]
  /** Separator before the final `**`, empty if the pattern is just `**`; undefined without a final `**`. */
  readonly rest: '' | ':' | '.' | undefined
}

/** Maximum of characters and of segments of a pattern. */
export const scopeLimits = { length: 512, segments: 32 } as const

/** Splits a name or pattern into segments and separators, alternating. The first and last items are segments. */
export function scopeParts(text: string): string[] {
  return text.split(/([:.])/)
}

/** Normalises a name: names of memories become lower-case, so that case neither grants nor evades access. */
export function foldScopeName(text: string): string {
  return /^(?:a2p|ext)[:.]/.test(text) ? text.toLowerCase() : text
}

/** Parses a pattern over names of records; see `parseScope`. */
export function parseNames(text: string): ScopePattern | undefined {
  return parseScope(foldScopeName(text))
}

/**
 * Parses a pattern. Undefined if invalid: empty segment, `*` beside other characters, `**` before the end, too long.
 */
export function parseScope(text: string): ScopePattern | undefined {
  if (text === '' || text.length > scopeLimits.length || !text.isWellFormed()) return undefined
  const parts = scopeParts(text)
  if (parts.length > 2 * scopeLimits.segments) return undefined
  const isOpen = parts.at(-1) === '**'
  const closed = isOpen ? parts.slice(0, -2) : parts
  // eslint-disable-next-line no-control-regex -- controls are exactly what is refused
  const isSound = closed.every((part) => part === '*' || (part !== '' && !/[*\u0000-\u001f]/.test(part)))
  if (!isSound) return undefined
  const before = parts.length > 1 ? (parts.at(-2) as ':' | '.') : ''
  return { text, parts: closed, rest: isOpen ? before : undefined }
}

/** Patterns for the names of `pattern` and all names below them; `[pattern]` if it ends with `**`. */
export function withBelow(pattern: ScopePattern): ScopePattern[] {
  const { text, parts, rest } = pattern
  if (rest !== undefined) return [pattern]
  return ([':', '.'] as const).map((mark) => ({ text: `${text}${mark}**`, parts, rest: mark }))
}

/** True if `wide` matches every name that `narrow` matches. */
export function coversScope(wide: ScopePattern, narrow: ScopePattern): boolean {
  if (narrow.rest === undefined) return isMatch(wide, narrow.parts)
  if (wide.rest === undefined) return false
  return isMatch(wide, narrow.rest === '' ? [] : [...narrow.parts, narrow.rest])
}

/** True if some name matches both patterns. */
export function overlapsScope(one: ScopePattern, other: ScopePattern): boolean {
  const isShorter = one.parts.length <= other.parts.length
  const short = isShorter ? one : other
  const long = isShorter ? other : one
  const beyond = long.parts[short.parts.length]
  const isFit = beyond === undefined || short.rest === '' || short.rest === beyond
  const isSame = (part: string, i: number) => {
    const there = long.parts[i]
    return part === there || (i % 2 === 0 && (part === '*' || there === '*'))
  }
  // A pattern without `**` matches no further segments.
  const isLong = beyond === undefined || short.rest !== undefined
  return isLong && isFit && short.parts.every(isSame)
}

/** True if the pattern matches `name`. Characters of `name` are literal, `*` included. */
export function matchesScope(pattern: ScopePattern, name: string): boolean {
  return isMatch(pattern, scopeParts(name))
}

/** True for a pattern without wildcards. */
export function isConcrete({ parts, rest }: ScopePattern): boolean {
  return rest === undefined && !parts.includes('*')
}

function isMatch({ parts: pattern, rest }: ScopePattern, parts: readonly string[]): boolean {
  if (rest === undefined ? parts.length !== pattern.length : parts.length < pattern.length) return false
  if (!pattern.every((part, i) => part === parts[i] || (part === '*' && i % 2 === 0))) return false
  // The remaining name must start with the separator of the `**`.
  return (
    rest === undefined || rest === '' || parts.length === pattern.length || parts[pattern.length] === rest
  )
}
