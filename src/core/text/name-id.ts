// Ids of records that are known by a name, such as a skill: made from the name, so that there is one of each in a book,
// also when two devices make it apart from each other.
import { roundKey } from './text-key.ts'

const limit = 128

/** As many characters of an id stand for the names themselves, however long they are. */
export const namedLength = limit - 30

/**
 * The id for `names` (most general first) among those of `prefix`. Letters, digits, `.`, `_` and `-` stand for
 * themselves; what is too long ends in a key of the whole (104 bits, two rounds of 52-bit FNV-1a).
 */
export function nameId(prefix: string, ...names: readonly string[]): string {
  const id = [prefix, ...names.map(escape)].join('::')
  if (id.length <= limit) return id
  return `${id.slice(0, namedLength)}:::${key(id, 0)}${key(id, 1)}`
}

function escape(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]/gu, (char) => `:${(char.codePointAt(0) ?? 0).toString(16)}:`)
}

function key(text: string, round: number): string {
  return roundKey(text, round).toString(16).padStart(13, '0')
}
