// Prepares stored text for a model or a terminal. Invisible characters and cursor movements can hide text from a
// person that a model still reads.
// Invariant: the result is the text that a person would see, line by line.
import type { Json } from '../json/path.ts'

/** Line ends of a terminal, a tokenizer or a line splitter, except `\n`. */
const lineEnd = /\r\n|[\r\v\f\u001c-\u001e\u0085\u2028\u2029]/g
/** Complete terminal escape sequences: with parameters, with a terminated text, or of two characters. */
const escapeSequence =
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g
/** Control characters, and characters that Unicode hides: zero width, bidi, tags, fillers, selectors, annotations. */
const unseen = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u200e\u200f\ufff9-\ufffb]/u
const unseenAll = new RegExp(unseen.source, 'gu')
const seenControl = /[\t\n]/

/** Joiners in their scripts and in emoji, one at a time, and at most one variation selector after a character. */
const joined =
  /(?<=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Tibetan}])[\u200c\u200d](?=\p{L}|\p{M})|(?<=[\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})|(?<=[\p{Extended_Pictographic}#*0-9])[\ufe0e\ufe0f]|(?<=\p{Script=Han})[\u{e0100}-\u{e01ef}]/uy

/** True if every character of `text` is visible. */
function isSeen(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- all characters except visible ASCII are searched
  return !/[^\t\n\u0020-\u007e]/.test(text) || !unseen.test(text.replaceAll(/[\t\n]/g, ''))
}

/** Returns `text` without invisible characters; each line ends with `lineBreak`. */
export function shownText(text: string, lineBreak = '\n'): string {
  if (isSeen(text) && !/[\u2028\u2029]/.test(text))
    return lineBreak === '\n' ? text : text.replaceAll('\n', lineBreak)
  const plain = text.replaceAll(escapeSequence, '').replaceAll(lineEnd, '\n')
  const seen = plain.replaceAll(unseenAll, (character, at: number) => {
    if (seenControl.test(character)) return character
    joined.lastIndex = at
    return joined.test(plain) ? character : ''
  })
  return lineBreak === '\n' ? seen : seen.replaceAll('\n', lineBreak)
}

/** Returns the JSON text of `value` with invisible characters as escapes: an equal value, with nothing hidden. */
export function shownJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(
    /[\u007f-\u009f\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu,
    (character) =>
      Array.from({ length: character.length }, (_, i) => {
        return `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`
      }).join(''),
  )
}

/** Returns a JSON value with `shownText` applied to all texts and field names. */
export function shownValue<Value>(value: Value): Value {
  if (typeof value === 'string') return shownText(value) as Value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one: unknown) => shownValue(one)) as Value
  const fields = Object.entries(value).map(([name, one]) => [shownText(name), shownValue<unknown>(one)])
  return Object.fromEntries(fields) as Value
}

/** Returns a string, number or boolean as text; empty for null, lists and objects. */
export function plainText(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''
}
