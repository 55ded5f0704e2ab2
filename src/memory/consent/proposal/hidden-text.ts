// Finds invisible content in a text: zero-width characters, direction controls, other controls, and words that mix
// scripts with similar letters. Pure. Tables: Unicode 16, UTS #39 (confusable scripts), RFC 9839 (controls).

export interface HiddenCharacter {
  /** Position in UTF-16 units. */
  readonly at: number
  /** Description for people, such as `zero-width space U+200B`. */
  readonly character: string
}

/** Most findings to report. */
const maxFindings = 100

const characterNames: Readonly<Record<number, string>> = {
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

const isDirectionControl = (code: number) =>
  (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)
const isControl = (code: number) =>
  (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) || (code >= 0x7f && code < 0xa0)
/** Tag characters, which spell a text that nobody sees; visible use: the flags of England, Scotland and Wales. */
const isTag = (code: number) => code >= 0xe0000 && code <= 0xe007f
/** Variation selectors, which change the look of the character before them. */
const isVariation = (code: number) =>
  (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)
// Test one character at a time: Chromium 156 fails to match characters of two UTF-16 units by a class before `$`.
const isEmojiPart = (last: string) =>
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u20e3#*0-9]/u.test(last)
/** Scripts whose spelling uses zero-width joiners and non-joiners. */
const joiningScriptPattern =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}]/u

/** The text before a character: its last character, and the last one that is not a combining mark. */
interface PrecedingText {
  readonly last: string
  readonly base: string
}

/** Describes the character `code` if it is invisible after `last` and `base`; undefined if it is visible. */
function hiddenNameOf(code: number, { last, base }: PrecedingText): string | undefined {
  if (isDirectionControl(code)) return 'control of direction'
  if (isControl(code)) return 'control character'
  if (isTag(code)) return /[\u{1f3f4}\u{e0000}-\u{e007f}]/u.test(last) ? undefined : 'tag character'
  if (isVariation(code)) return isEmojiPart(last) || !/\p{L}/u.test(last) ? undefined : 'variation selector'
  if ((code === 0x200d || code === 0x200c) && (isEmojiPart(last) || joiningScriptPattern.test(base)))
    return undefined
  return characterNames[code]
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

/** Invisible content of `text`, in order, at most `maxFindings` findings. */
export function findHiddenCharacters(text: string): HiddenCharacter[] {
  const findings: HiddenCharacter[] = []
  let at = 0
  let preceding: PrecedingText = { last: '', base: '' }
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    const hiddenName = hiddenNameOf(code, preceding)
    if (hiddenName !== undefined)
      findings.push({ at, character: `${hiddenName} U+${code.toString(16).toUpperCase().padStart(4, '0')}` })
    at += char.length
    preceding = { last: char, base: /\p{M}/u.test(char) ? preceding.base : char }
  }
  for (const match of text.matchAll(/[\p{L}\p{M}]+/gu)) {
    const [word] = match
    const wordScripts = scripts.filter(([, pattern]) => pattern.test(word)).map(([name]) => name)
    if (wordScripts.length > 1)
      findings.push({ at: match.index, character: `mixed scripts in a word: ${wordScripts.join(', ')}` })
  }
  return findings.sort((a, b) => a.at - b.at).slice(0, maxFindings)
}
