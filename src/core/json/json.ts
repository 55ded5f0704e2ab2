// Input from outside is plain JSON and nothing else: no cycles, no class instances, no `__proto__`, no bottomless nesting.
import { DaybookError, isDaybookError } from '../errors.ts'

/** Deepest nesting and most text (UTF-16 units, keys included) that one call may carry. */
export const jsonLimits = { depth: 64, length: 24_000_000 } as const

/**
 * Throws `invalid-input` or `too-large`, naming the path, unless `value` is plain JSON. `undefined` members count as
 * absent. An envelope around the input of a call may be deeper by the levels it adds.
 */
export function checkJson(value: unknown, depth: number = jsonLimits.depth): void {
  const path: string[] = []
  try {
    walk(value, path, { left: jsonLimits.length, depth })
  } catch (error) {
    if (isDaybookError(error)) throw error
    // A getter or a proxy throws what it likes when it is read.
    throw wrong(path, 'It can not be read: a getter or a proxy threw an error')
  }
}

const [quote, backslash] = ['"'.charCodeAt(0), '\\'.charCodeAt(0)]
const opening = ['[', '{'].map((one) => one.charCodeAt(0))
const closing = [']', '}'].map((one) => one.charCodeAt(0))

/** True for text whose lists and objects, as JSON, are nested deeper than `depth`. Parses nothing, so it costs no memory. */
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
  left: number
  readonly depth: number
}

function walk(value: unknown, path: string[], budget: Budget): void {
  switch (typeof value) {
    case 'string':
      return spend(value.length, path, budget)
    case 'number':
      if (!Number.isFinite(value)) throw wrong(path, `${value} is not a JSON number`)
      if (isInexact(value))
        throw wrong(path, `${value} is an integer that numbers do not hold exactly; send it as text`)
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
  if (path.length >= budget.depth) throw wrong(path, `Nested deeper than ${budget.depth}`)
  const isArray = Array.isArray(value)
  // A list may be long and hollow: written as JSON, each hole takes its place.
  if (isArray) spend(value.length, path, budget)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!isArray && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw wrong(path, 'Only plain objects, lists, texts, numbers, true, false and null are JSON')
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
 * True for an integer that is written digit by digit and beyond what a double counts by ones: it may have been another one
 * before it was read. From 1e21 on a number is written with an exponent, and nobody takes it for exact.
 */
function isInexact(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21
}

function spend(length: number, path: string[], budget: Budget): void {
  budget.left -= length
  if (budget.left >= 0) return
  throw new DaybookError('too-large', `The call carries more than ${jsonLimits.length} characters.`, {
    details: { path: path.join('.'), limit: jsonLimits.length },
  })
}

function wrong(path: readonly string[], message: string): DaybookError {
  const where = path.slice(0, 20).join('.').slice(0, 200)
  return new DaybookError('invalid-input', `${where === '' ? 'The input' : `\`${where}\``}: ${message}.`, {
    details: { path: where },
  })
}
