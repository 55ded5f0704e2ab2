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
    // A-, !=, !ready.
    '(?<=\\p{L})-(?![\\p{L}\\p{N}])|!(?=[=(_$\\p{L}])',
    // C#, and the marks of a comment in code.
    '#|--|//|/\\*|<!|(?<=^|\\n)\\s*;',
    // A point or a colon within a number: 3.1, 3:1.
    '(?<=\\p{N})[.,:/](?=\\p{N})',
    '[\\p{Sc}\\p{Sm}\\p{So}%&@§]',
  ].join('|'),
  'gu',
)

/** A longer text is compared as it is written from here on. UTF-16 units. */
const maxReadChars = 20_000

/** Returns what `text` says, as one text to compare. */
export function sayingOf(text: string): string {
  const parts = text.slice(0, maxReadChars).match(wordOrSign) ?? []
  const last = parts.length - 1
  const deciding = parts.flatMap((part, i) => (i < last && isArticle(part) ? [] : normalForm(part)))
  return [...deciding, text.slice(maxReadChars)].join(' ').trim()
}

/** A capital A may be a name, as of team A, and a last word is no article: _Die Heizung ist an_. */
const isArticle = (part: string): boolean => part !== 'A' && articles.has(part.toLowerCase())

const normalForm = (part: string): string =>
  capitals.has(part) ? part : part.normalize('NFC').toLowerCase().replace('’', "'")

/** The booleans in `value` with their paths, as texts such as `result.success true`, in the order of the paths. */
export function booleanTexts(value: Json | undefined, path = ''): string[] {
  if (typeof value === 'boolean') return [`${path} ${value}`]
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value)
    .toSorted()
    .flatMap((key) => booleanTexts((value as JsonObject)[key], path === '' ? key : `${path}.${key}`))
}
