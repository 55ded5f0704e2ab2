// Checks of JSON values and JSON texts from outside.
import { DaybookError, isDaybookError } from '../errors.ts'

/** Limits of one call: levels, and UTF-16 units of all texts and keys. */
export const jsonLimits = { depth: 64, length: 24_000_000 } as const

/**
 * Throws `invalid-input` or `too-large` with the path unless `value` is plain JSON, without cycles, class instances
 * or `__proto__`. Ignores `undefined` members. `depth`: maximum of levels; raise it for an envelope around an input.
 */
export function checkJson(value: unknown, depth: number = jsonLimits.depth): void {
  const path: string[] = []
  try {
    walk(value, path, { remaining: jsonLimits.length, depth })
  } catch (error) {
    if (isDaybookError(error)) throw error
    // Getters and proxies may throw anything.
    throw wrong(path, "It can't be read: a getter or a proxy threw an error")
  }
}

/** The codes of the characters `"`, `\\`, `[` and `{`, `]` and `}`: numbers, so that a script without their use drops them. */
const [quote, backslash] = [34, 92]
const opening = [91, 123]
const closing = [93, 125]

/** True if a JSON text nests deeper than `depth`. Doesn't parse, so it needs no memory. */
export function isDeeper(text: string, depth: number): boolean {
  let level = 0
  let isInText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isInText) {
      if (code === backslash) at += 1
      else isInText = code !== quote
    } else if (code === quote) isInText = true
    else if (code === opening[0] || code === opening[1]) {
      level += 1
      if (level > depth) return true
    } else if (code === closing[0] || code === closing[1]) level -= 1
  }
  return false
}

interface Budget {
  remaining: number
  readonly depth: number
}

/** The fault of an object that is not JSON. */
export const notPlain = (value: object) =>
  Object.prototype.toString.call(value) === '[object AbortSignal]'
    ? 'A signal is no part of the input: pass it in the last argument'
    : 'Only plain objects, lists, texts, numbers, true, false and null are JSON'

export const tooDeep = (depth: number) => `It nests deeper than ${depth} levels, or it contains itself`

function walk(value: unknown, path: string[], budget: Budget): void {
  switch (typeof value) {
    case 'string':
      return spend(value.length, path, budget)
    case 'number':
      if (!Number.isFinite(value)) throw wrong(path, `${value} is not a JSON number`)
      if (isInexact(value)) throw wrong(path, `${value} can't be exact beyond 2^53; send it as text`)
      return
    case 'boolean':
    case 'undefined':
      return
    case 'object':
      break
    default:
      throw wrong(path, `A ${typeof value} is not JSON`)
  }
  if (value === null) return
  if (path.length >= budget.depth) throw wrong(path, tooDeep(budget.depth))
  const isArray = Array.isArray(value)
  // Counts holes of a sparse list too: each takes space as JSON.
  if (isArray) spend(value.length, path, budget)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!isArray && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw wrong(path, notPlain(value))
  }
  for (const key of Object.keys(value)) {
    path.push(key)
    const member: unknown = (value as Readonly<Record<string, unknown>>)[key]
    if (key === '__proto__') throw wrong(path, 'A field must not be named __proto__')
    if (!isArray) spend(key.length, path, budget)
    walk(member, path, budget)
    path.pop()
  }
}

/**
 * True for an integer below 1e21 that a double may not represent exactly, so parsing may have changed its digits.
 * JavaScript writes larger numbers with an exponent, and no reader expects exact digits there.
 */
function isInexact(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21
}

/** Throws `too-large` once the lengths are more than the budget. */
export function spend(length: number, path: readonly string[], budget: Pick<Budget, 'remaining'>): void {
  budget.remaining -= length
  if (budget.remaining >= 0) return
  throw new DaybookError('too-large', `The call carries more than ${jsonLimits.length} characters.`, {
    details: { path: path.join('.'), limitCharacters: jsonLimits.length },
  })
}

export function wrong(path: readonly string[], message: string, cause?: unknown): DaybookError {
  const where = path.slice(0, 20).join('.').slice(0, 200)
  return new DaybookError('invalid-input', `${where === '' ? 'The input' : `\`${where}\``}: ${message}.`, {
    details: { path: where },
    cause,
  })
}

/** Most characters of a text that a pattern reads: on a longer string it may run out of stack. */
const maxMatchedLength = 6_000_000

const strings = /"(?:[^"\\]|\\.)*"/g
const numbers = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/**
 * False if parsing may change a number of the JSON text, or if the text is very long: doubles keep 15 digits of a
 * fraction for certain.
 */
export function hasExactNumbers(json: string): boolean {
  if (json.length > maxMatchedLength) return false
  return [...json.replaceAll(strings, '').matchAll(numbers)].every(([number]) => isExact(number))
}

function isExact(text: string): boolean {
  const value = Number(text)
  if (!Number.isFinite(value)) return false
  if (/^-?\d+$/.test(text)) return BigInt(text) === BigInt(value)
  const digits = text
    .replace(/[eE].*$/, '')
    .replaceAll(/[-.]/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '')
  return digits.length <= 15 && (value !== 0 || digits === '')
}

const token =
  /[ \t\n\r]*(?:([[{])|([\]}])|(,)|(:)|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y

/** The tokens that may follow. */
type Wanted = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing'

/**
 * Returns the place of the first invalid character (RFC 8259), such as `line 3, column 7`; undefined for valid
 * JSON, and for a very long text. Some engines don't report this place.
 */
export function jsonErrorPlace(text: string): string | undefined {
  if (text.length > maxMatchedLength) return undefined
  const closers: string[] = []
  let wanted: Wanted = 'value'
  let at = 0
  const after = (): Wanted => (closers.length === 0 ? 'nothing' : 'comma or end')
  for (;;) {
    token.lastIndex = at
    const match = token.exec(text)
    if (!match) break
    const [matched, open, close, comma, colon, string, other] = match
    const value = wanted === 'value' || wanted === 'value or end'
    if (open !== undefined && value) {
      closers.push(open === '{' ? '}' : ']')
      wanted = open === '{' ? 'key or end' : 'value or end'
    } else if (close !== undefined && wanted.endsWith('end') && closers.at(-1) === close) {
      closers.pop()
      wanted = after()
    } else if (comma !== undefined && wanted === 'comma or end')
      wanted = closers.at(-1) === '}' ? 'key' : 'value'
    else if (colon !== undefined && wanted === 'colon') wanted = 'value'
    else if (string !== undefined && (wanted === 'key' || wanted === 'key or end')) wanted = 'colon'
    else if ((string ?? other) !== undefined && value) wanted = after()
    else break
    at += matched.length
  }
  while (/[ \t\n\r]/.test(text.charAt(at))) at += 1
  if (at >= text.length && wanted === 'nothing') return undefined
  const lines = text.slice(0, at).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
}
