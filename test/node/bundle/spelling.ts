// Other spellings of one JSON value: members in any order, white space, escapes, numbers written otherwise.
import fc from 'fast-check'
import { isJsonObject, type Json } from '../../../src/core/json/path.ts'

/** Draws whole numbers below `n`. */
export type Draw = (n: number) => number

/** A source of choices that fast-check can shrink and repeat. */
export const draws = fc.infiniteStream(fc.nat(999_999)).map((stream): Draw => {
  return (n) => Number(stream.next().value ?? 0) % n
})

const spaces = ['', '', '', ' ', '\n', '\r\n\t', '    ']

/** `value` in a spelling of its own; members of objects stand in any order, or in their own. */
export function respell(value: Json, draw: Draw, keepsOrder = false): string {
  const space = () => spaces[draw(spaces.length)] ?? ''
  const one = (part: Json): string => `${space()}${bare(part)}${space()}`
  const bare = (part: Json): string => {
    if (typeof part === 'string') return respellText(part, draw)
    if (typeof part === 'number') return respellNumber(part, draw)
    if (Array.isArray(part)) return `[${part.map(one).join(',') || space()}]`
    if (!isJsonObject(part)) return JSON.stringify(part)
    const members = Object.entries(part)
    if (!keepsOrder) shuffle(members, draw)
    const texts = members.map(
      ([key, member]) => `${space()}${respellText(key, draw)}${space()}:${one(member)}`,
    )
    return `{${texts.join(',') || space()}}`
  }
  return one(value)
}

function shuffle(list: unknown[], draw: Draw): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = draw(i + 1)
    const kept = list[i]
    list[i] = list[j]
    list[j] = kept
  }
}

function respellText(text: string, draw: Draw): string {
  let spelled = ''
  for (let i = 0; i < text.length; i++) {
    const unit = text[i] ?? ''
    const hex = text.charCodeAt(i).toString(16).padStart(4, '0')
    if (draw(8) === 0) spelled += `\\u${draw(2) === 0 ? hex : hex.toUpperCase()}`
    else if (unit === '/' && draw(2) === 0) spelled += '\\/'
    else spelled += JSON.stringify(unit).slice(1, -1)
  }
  return `"${spelled}"`
}

function respellNumber(number: number, draw: Draw): string {
  const usual = JSON.stringify(number)
  const others = [usual, number.toExponential(), number.toExponential().toUpperCase()]
  if (number !== 0 && Number.isInteger(number) && Math.abs(number) < 1e15)
    others.push(`${usual}.0`, `${usual}0e-1`, `${usual}E+0`)
  const other = others[draw(others.length)] ?? usual
  return Number(other) === number && !Object.is(number, -0) ? other : usual
}
