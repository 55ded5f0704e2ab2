// Makes values of imported files storable: what no verb takes (`checkJson` of core/json/json.ts) becomes text.
// Files may nest without a limit, so nothing here is recursive.
import { jsonLimits } from '../../core/json/json.ts'

type Container = Record<string, unknown>

/**
 * Parses JSON of a file. A whole number beyond 2^53 and a number beyond the range of JavaScript become texts with the
 * digits of the file; a key `__proto__` becomes `[__proto__]`.
 */
export function parseStorable(text: string): unknown {
  // Parses the text of the file first: with a quoted number, an invalid text may become valid.
  const value: unknown = JSON.parse(text)
  const exactText = mayHaveLargeNumber.test(text) ? quoteNumbers(text) : text
  const exactValue: unknown = exactText === text ? value : JSON.parse(exactText)
  return mayHaveProto.test(text) ? makeStorable(exactValue, Infinity) : exactValue
}

const mayHaveLargeNumber = /\d{16}|\d[eE]/
/** The name of the key, or an escape that may spell a part of it. */
const mayHaveProto = /__proto__|\\u00/

/**
 * Changes `value`, so that every verb takes it, and returns it: as `parseStorable`, and what nests deeper than
 * `depth` becomes JSON text. The object itself has level 0.
 */
export function makeStorable<T>(value: T, depth: number = jsonLimits.depth): T {
  const root: Container = { value }
  const pending = [{ parent: root, level: 0 }]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { parent, level } = next
    if (Object.hasOwn(parent, '__proto__')) renameProto(parent)
    for (const key of Object.keys(parent)) {
      const member = parent[key]
      if (typeof member === 'number' && !isStorable(member)) parent[key] = String(member)
      if (typeof member !== 'object' || member === null) continue
      if (level < depth) pending.push({ parent: member as Container, level: level + 1 })
      else parent[key] = toJsonText(member)
    }
  }
  return root['value'] as T
}

function renameProto(parent: Container): void {
  // Reading or setting `__proto__` would reach the prototype.
  const value: unknown = Object.getOwnPropertyDescriptor(parent, '__proto__')?.value
  delete parent['__proto__']
  let name = '[__proto__]'
  while (Object.hasOwn(parent, name)) name = `[${name}]`
  parent[name] = value
}

/** Returns the JSON text of a value of any depth. `JSON.stringify` overflows the stack at some thousand levels. */
export function toJsonText(value: unknown): string {
  const texts: string[] = []
  const pending: ({ readonly text: string } | { readonly value: unknown })[] = [{ value }]
  for (let next = pending.pop(); next; next = pending.pop()) {
    if ('text' in next) texts.push(next.text)
    else if (typeof next.value !== 'object' || next.value === null) texts.push(JSON.stringify(next.value))
    else {
      const isList = Array.isArray(next.value)
      const members = Object.entries(next.value)
      texts.push(isList ? '[' : '{')
      pending.push({ text: isList ? ']' : '}' })
      // The last one first, because `pop` takes from the end.
      for (const [i, [key, member]] of [...members.entries()].toReversed()) {
        pending.push({ value: member })
        pending.push({ text: `${i > 0 ? ',' : ''}${isList ? '' : `${JSON.stringify(key)}:`}` })
      }
    }
  }
  return texts.join('')
}

const isStorable = (value: number) =>
  Number.isFinite(value) &&
  (!Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21)

const numbers = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Quotes each number of a valid JSON text that parsing would change to another whole number or to infinity. */
function quoteNumbers(json: string): string {
  const quoted = (text: string) =>
    isStorable(Number(text)) && !(text.length > 21 && /^-?\d+$/.test(text)) ? text : `"${text}"`
  let result = ''
  for (let at = 0; at < json.length;) {
    const opening = json.indexOf('"', at)
    const start = opening === -1 ? json.length : opening
    const end = endOfString(json, start)
    result += json.slice(at, start).replaceAll(numbers, quoted) + json.slice(start, end)
    at = end
  }
  return result
}

/** The place after the string that opens at `start`. A regular expression overflows the stack for a long string. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let slashes = 0
    while (json[at - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return at + 1
  }
  return json.length
}
