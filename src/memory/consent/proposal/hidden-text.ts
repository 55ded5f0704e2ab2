// Finds invisible content in a text: zero-width characters, direction controls, other controls, and words that mix
// scripts with similar letters. Pure. Tables: Unicode 16, UTS #39 (confusable scripts), RFC 9839 (controls).

export interface Hidden {
  /** Position in UTF-16 units. */
  readonly at: number
  /** Description for people, such as `zero-width space U+200B`. */
  readonly character: string
}

/** Most findings to report. */
const hiddenLimit = 100

const named: Readonly<Record<number, string>> = {
  0xad: 'soft hyphen',
  0x61c: 'direction mark',
  0x180e: 'vowel separator without width',
  0x200b: 'zero-width space',
  0x200c: 'zero-width non-joiner',
  0x200d: 'zero-width joiner',
  0x200e: 'direction mark',
  0x200f: 'direction mark',
  0x2028: 'line separator',
  0x2029: 'paragraph separator',
  0x2060: 'word joiner',
  0x3164: 'Hangul filler',
  0x115f: 'Hangul filler',
  0x1160: 'Hangul filler',
  0xfeff: 'byte order mark',
  0xffa0: 'Hangul filler',
}

const bidi = (code: number) => (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)
const isControl = (code: number) =>
  (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) || (code >= 0x7f && code < 0xa0)
const isTag = (code: number) => code >= 0xe0000 && code <= 0xe007f
const isVariation = (code: number) =>
  (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)
// Test one character at a time: Chromium 156 fails to match characters of two UTF-16 units by a class before `$`.
const isPicture = (last: string) =>
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u20e3#*0-9]/u.test(last)
/** Scripts whose spelling uses zero-width joiners and non-joiners. */
const isJoining =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}]/u

/** The text before a character: its last character, and the last one that is not a combining mark. */
interface Before {
  readonly last: string
  readonly base: string
}

/** Describes the character `code` if it is invisible after `last` and `base`; undefined if it is visible. */
function hides(code: number, { last, base }: Before): string | undefined {
  if (bidi(code)) return 'control of direction'
  if (isControl(code)) return 'control character'
  if (isTag(code)) return /[\u{1f3f4}\u{e0000}-\u{e007f}]/u.test(last) ? undefined : 'tag character'
  if (isVariation(code)) return isPicture(last) || !/\p{L}/u.test(last) ? undefined : 'variation selector'
  if ((code === 0x200d || code === 0x200c) && (isPicture(last) || isJoining.test(base))) return undefined
  return named[code]
}

/** Scripts with letters that look like letters of another of these scripts. */
const scripts = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Lisu', /\p{Script=Lisu}/u],
] as const

/** Invisible content of `text`, in order, at most `hiddenLimit` findings. */
export function hiddenIn(text: string): Hidden[] {
  const found: Hidden[] = []
  let at = 0
  let before: Before = { last: '', base: '' }
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    const hidden = hides(code, before)
    if (hidden !== undefined)
      found.push({ at, character: `${hidden} U+${code.toString(16).toUpperCase().padStart(4, '0')}` })
    at += char.length
    before = { last: char, base: /\p{M}/u.test(char) ? before.base : char }
  }
  for (const match of text.matchAll(/[\p{L}\p{M}]+/gu)) {
    const [word] = match
    const mixed = scripts.filter(([, pattern]) => pattern.test(word)).map(([name]) => name)
    if (mixed.length > 1)
      found.push({ at: match.index, character: `mixed scripts in a word: ${mixed.join(', ')}` })
  }
  return found.sort((one, other) => one.at - other.at).slice(0, hiddenLimit)
}
