// The words and signs of a text that decide what it says, to find texts that say the same.
// Invariant: a text that says something else has another result, in every language: only articles and punctuation are
// left out, and the order counts (_Ann owes Ben_, _Ben owes Ann_). Pure.
import type { Json, JsonObject } from '../json/path.ts'

const articles: ReadonlySet<string> = new Set(['a', 'an', 'the'])

/** Words that are others in capital letters. */
const capitals: ReadonlySet<string> = new Set(['US', 'IT', 'WHO'])

const wordOrSign = new RegExp(
  [
    // A negation without its apostrophe would be two words.
    "[\\p{L}\\p{M}\\p{N}]+(?:['’]t(?![\\p{L}]))?",
    // A sign of a number, no hyphen or range.
    '(?<![\\p{L}\\p{N}])[-−](?=\\s?\\p{Sc}?\\s?\\p{N})',
    // C#, A-, !=.
    '(?<=\\p{L})(?:#|-(?![\\p{L}\\p{N}]))|!(?==)',
    '[\\p{Sc}\\p{Sm}\\p{So}%&@§]',
  ].join('|'),
  'gu',
)

/** A longer text is compared as it is written from here on. UTF-16 units. */
const maxReadChars = 20_000

/** Returns what `text` says, as one text to compare. */
export function sayingOf(text: string): string {
  const parts = text.slice(0, maxReadChars).match(wordOrSign) ?? []
  const deciding = parts.flatMap((part) => (capitals.has(part) ? part : (normalForm(part) ?? [])))
  return [...deciding, text.slice(maxReadChars)].join(' ').trim()
}

/** Undefined for an article. */
function normalForm(part: string): string | undefined {
  const word = part.normalize('NFKC').toLowerCase().replace('’', "'")
  return articles.has(word) ? undefined : word
}

/** The booleans in `value` with their paths, as texts such as `result.success true`, in the order of the paths. */
export function booleanTexts(value: Json | undefined, path = ''): string[] {
  if (typeof value === 'boolean') return [`${path} ${value}`]
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value)
    .toSorted()
    .flatMap((key) => booleanTexts((value as JsonObject)[key], path === '' ? key : `${path}.${key}`))
}
