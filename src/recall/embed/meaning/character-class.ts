// The class of a character, as the tokenizer of BERT sorts it.
// Invariant: it depends on the tables only, not on the host's version of Unicode.
import { characterTable } from './character-table.ts'

/** Letters, digits, symbols: all that makes words. */
export const letterClass = 0
/** Controls, and marks such as accents after NFD: no part of any word. */
export const droppedClass = 1
export const spaceClass = 2
/** Punctuation: each is a word of its own. */
export const punctuationClass = 3
/** Chinese characters: each is a word of its own. */
export const ideographClass = 4

const classTables = [
  [droppedClass, characterTable.dropped],
  [spaceClass, characterTable.spaces],
  [punctuationClass, characterTable.punctuation],
  [ideographClass, characterTable.ideographs],
] as const

/** Calls `visit` with the first and the last code point of each range of a packed table. */
function eachRange(table: string, visit: (first: number, last: number) => void): void {
  const numbers = table.split(' ').map((digits) => Number.parseInt(digits, 36))
  let end = 0
  for (let i = 0; i < numbers.length; i += 2) {
    const first = end + (numbers[i] as number)
    end = first + (numbers[i + 1] as number)
    visit(first, end)
  }
}

/** The number of planes whose characters have a byte each: Unicode assigns nearly all to the first three. */
const tableSize = 0x30000

let classes: Uint8Array | undefined
const farRanges: { readonly first: number; readonly last: number; readonly as: number }[] = []

function readClasses(): Uint8Array {
  const found = new Uint8Array(tableSize)
  for (const [as, table] of classTables)
    eachRange(table, (first, last) => {
      found.fill(as, first, last + 1)
      if (last >= tableSize) farRanges.push({ first, last, as })
    })
  // A lone half of a pair is no character. The original never sees one: it would get U+FFFD, which it drops.
  found.fill(droppedClass, 0xd800, 0xe000)
  return found
}

/** The classes of the code points below `0x30000`, by code point. */
export const nearClasses = (): Uint8Array => (classes ??= readClasses())

/** The class of a code point. */
export function classOf(codePoint: number): number {
  const near = nearClasses()
  if (codePoint < tableSize) return near[codePoint] as number
  return farRanges.find(({ first, last }) => first <= codePoint && codePoint <= last)?.as ?? letterClass
}
