// Splits a text into words as BERT's uncased tokenizer does: no controls, no accents, lower case; each mark of
// punctuation and each Chinese character is a word.
// Invariant: the time is linear in the length of the text, whatever it contains.
import { classOf, droppedClass, letterClass, nearClasses, spaceClass } from './character-class.ts'

/**
 * Calls `visit` for each run of a text: the longest parts without a space, a mark of punctuation or a Chinese
 * character, and each of the last two alone. `wordsOfRun` makes words of it.
 */
export function eachRun(text: string, visit: (run: string) => void): void {
  const near = nearClasses()
  const { length } = text
  let from = 0
  let at = 0
  while (at < length) {
    const unit = text.charCodeAt(at)
    const isPair = unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text, at + 1)
    const as = isPair ? classOf(text.codePointAt(at) as number) : (near[unit] as number)
    const next = isPair ? at + 2 : at + 1
    if (as >= spaceClass) {
      if (at > from) visit(text.slice(from, at))
      if (as !== spaceClass) visit(text.slice(at, next))
      from = next
    }
    at = next
  }
  if (length > from) visit(text.slice(from))
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit < 0xe000
}

/** A word of a text, in its normal form. */
export interface TextWord {
  readonly text: string
  /** Number of its characters. */
  readonly size: number
  /** `letterClass`, or the class of its only character. */
  readonly as: number
}

/** The words of a run. Most have one; none remains of controls, and the normal form of `a≠b` is `a=b`, three words. */
export function wordsOfRun(run: string): TextWord[] {
  const words: TextWord[] = []
  let text = ''
  let size = 0
  const end = () => {
    if (size > 0) words.push({ text, size, as: letterClass })
    text = ''
    size = 0
  }
  for (const character of run) {
    for (const part of normalForm(character)) {
      const as = classOf(part.codePointAt(0) as number)
      if (as === letterClass) {
        text += part
        size += 1
      } else if (as !== droppedClass) {
        end()
        if (as !== spaceClass) words.push({ text: part, size: 1, as })
      }
    }
  }
  end()
  return words
}

/**
 * A character by NFD, in lower case; empty for a control. One at a time: in a long run of marks, a normalisation of the
 * whole text may take the square of its length.
 */
function normalForm(character: string): string {
  const codePoint = character.codePointAt(0) as number
  if (codePoint < 0x80) return character.toLowerCase()
  if (classOf(codePoint) === droppedClass) return ''
  const parts = character.normalize('NFD')
  if (parts.length === character.length) return parts.toLowerCase()
  // Each part for itself, so that no rule about its neighbours applies.
  return Array.from(parts, (part) => part.toLowerCase()).join('')
}
