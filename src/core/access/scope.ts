// Scopes of tokens: patterns over names such as `trace:education.evaluation`, in segments parted by `:` and `.`.
// `*` stands for one segment, `**` at the end for the rest or nothing. Matching goes once from left to right.

export interface ScopePattern {
  readonly text: string
  /** Segments, with the separators between them: `['trace', ':', '*']`. Without the `**` and what parts it off. */
  readonly parts: readonly string[]
  /** The separator before a `**` at the end, an empty text for `**` alone; undefined when the pattern is closed. */
  readonly rest: '' | ':' | '.' | undefined
}

export const scopeLimits = { length: 512, segments: 32 } as const

/** Segments and separators of a name or a pattern, in turns; the first and the last are segments. */
export function scopeParts(text: string): string[] {
  return text.split(/([:.])/)
}

/** Categories of memories have one spelling, whoever writes them: nothing is reached or kept past a denial by another one. */
export function foldName(text: string): string {
  return /^(?:a2p|ext)[:.]/.test(text) ? text.toLowerCase() : text
}

/** Reads a pattern over names of records, as `parseScope` does. */
export function parseNames(text: string): ScopePattern | undefined {
  return parseScope(foldName(text))
}

/** Reads a pattern as it is written, or undefined when it is none: an empty segment, a `*` in company, a `**` before the end. */
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

/** Patterns that together match the names of `pattern` and every name below one of them. */
export function withBelow(pattern: ScopePattern): ScopePattern[] {
  const { text, parts, rest } = pattern
  if (rest !== undefined) return [pattern]
  return ([':', '.'] as const).map((mark) => ({ text: `${text}${mark}**`, parts, rest: mark }))
}

/** True when every name that `narrow` matches is matched by `wide`. */
export function coversScope(wide: ScopePattern, narrow: ScopePattern): boolean {
  if (narrow.rest === undefined) return isMatch(wide, narrow.parts)
  if (wide.rest === undefined) return false
  return isMatch(wide, narrow.rest === '' ? [] : [...narrow.parts, narrow.rest])
}

/** True when there is a name that both match. */
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
  // What is closed has no more segments than it says.
  const isLong = beyond === undefined || short.rest !== undefined
  return isLong && isFit && short.parts.every(isSame)
}

/** True when `name` is one that the pattern stands for. Whatever stands in a name stands for itself. */
export function matchesScope(pattern: ScopePattern, name: string): boolean {
  return isMatch(pattern, scopeParts(name))
}

/** True for a pattern that stands for one name: its own text. */
export function isConcrete({ parts, rest }: ScopePattern): boolean {
  return rest === undefined && !parts.includes('*')
}

function isMatch({ parts, rest }: ScopePattern, given: readonly string[]): boolean {
  if (rest === undefined ? given.length !== parts.length : given.length < parts.length) return false
  if (!parts.every((part, i) => part === given[i] || (part === '*' && i % 2 === 0))) return false
  // What is left over must be parted off as the `**` is.
  return rest === undefined || rest === '' || given.length === parts.length || given[parts.length] === rest
}
