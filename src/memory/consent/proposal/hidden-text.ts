// Finds invisible content in a text: characters that Unicode hides, direction controls, other controls, and words that
// mix scripts with similar letters. Pure. Tables: Unicode 16, UTS #39 (confusable scripts), RFC 9839 (controls).

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
/** Tag characters, which spell a text that nobody sees. */
const isTag = (code: number) => code >= 0xe0000 && code <= 0xe007f
/** Their visible use: the flags of England, Scotland and Wales. */
const tagFlags =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu
/** Variation selectors, which change the look of the character before them; the second range for Mongolian letters. */
const isVariation = (code: number) =>
  (code >= 0xfe00 && code <= 0xfe0f) ||
  (code >= 0x180b && code <= 0x180f && code !== 0x180e) ||
  (code >= 0xe0100 && code <= 0xe01ef)
/** True if the selector `code` changes the look of `last`. Each of the others could carry a part of a hidden text. */
function isSelected(code: number, last: string): boolean {
  if (code === 0xfe0e || code === 0xfe0f) return /[\p{Extended_Pictographic}\p{Emoji}]/u.test(last)
  if (code <= 0x180f) return /[\u1820-\u18aa]/.test(last)
  return (code <= 0xfe02 || code >= 0xe0100) && /\p{Script=Han}/u.test(last)
}
/** Characters without a name here that Unicode hides, and marks of annotations. */
const unnamedPattern = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u
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

/** Describes `char`, the character `code`, if it is invisible after `last` and `base`; undefined if it is visible. */
function hiddenNameOf(char: string, code: number, { last, base }: PrecedingText): string | undefined {
  if (isDirectionControl(code)) return 'control of direction'
  if (isControl(code)) return 'control character'
  if (isTag(code)) return 'tag character'
  if (isVariation(code)) return isSelected(code, last) ? undefined : 'variation selector'
  if (code === 0x2800 && !/\p{Script=Braille}/u.test(last)) return 'Braille blank'
  if ((code === 0x200d || code === 0x200c) && (isEmojiPart(last) || joiningScriptPattern.test(base)))
    return undefined
  return characterNames[code] ?? (unnamedPattern.test(char) ? 'invisible character' : undefined)
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
  // Each flag as visible characters of the same length.
  for (const char of text.replaceAll(tagFlags, '🏴'.repeat(7))) {
    const code = char.codePointAt(0) ?? 0
    const hiddenName = hiddenNameOf(char, code, preceding)
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
