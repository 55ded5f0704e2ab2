// Checks of options, as small functions that combine: one table for each options object, one line for each option.
// Invariant: unknown names and wrong values throw `invalid-input` with the path, and with a suggestion if a valid name is
// near; nothing is ignored silently.
import { DaybookError } from './errors.ts'

/** Throws `invalid-input` unless `value` is valid at `path`. */
export type OptionCheck = (value: unknown, path: string) => void

/** One check for each option: a new option without a line doesn't compile. */
export type OptionTable<Options> = { readonly [Name in keyof Options]-?: OptionCheck }

function wrongOption(path: string, message: string, more: object = {}): DaybookError {
  const text = `${path === '' ? 'The options' : `\`${path}\``}: ${message}`
  return new DaybookError('invalid-input', text, { details: { path, ...more } })
}

const quoted = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

/** Error for a value outside of `names`: suggests the nearest one, or lists all. */
function unlike(path: string, written: string, names: readonly string[], message: string): DaybookError {
  const meant = nearName(written, names)
  const all = `Valid: ${quoted(names)}.`
  if (meant === undefined) return wrongOption(path, `${message}. ${all}`)
  return wrongOption(path, `${message}. Did you mean \`${meant}\`?`, { meant })
}

const join = (path: string, name: string | number) => (path === '' ? String(name) : `${path}.${name}`)

/** Checks an options object. Undefined options count as absent; `needed` ones must be present. */
export function optionsOf<Options>(
  table: OptionTable<Options>,
  needed: readonly (keyof Options & string)[] = [],
): OptionCheck {
  const checks = new Map(Object.entries(table) as [string, OptionCheck][])
  const names = [...checks.keys()]
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw wrongOption(path, 'Must be an object.')
    for (const [name, one] of Object.entries(value) as [string, unknown][]) {
      if (one === undefined) continue
      const check = checks.get(name)
      if (!check) throw unlike(join(path, name), name, names, 'Unknown option')
      check(one, join(path, name))
    }
    for (const name of needed)
      if ((value as Record<string, unknown>)[name] === undefined)
        throw wrongOption(join(path, name), 'This option is required.')
  }
}

/** A well-formed Unicode text of 1 to `longest` characters. */
export function textOption(longest = 2000): OptionCheck {
  return (value, path) => {
    const isFit = typeof value === 'string' && value !== '' && value.length <= longest && value.isWellFormed()
    if (!isFit)
      throw wrongOption(
        path,
        `Must be a text of 1 to ${longest.toLocaleString('en')} well-formed characters.`,
      )
  }
}

export const flagOption: OptionCheck = (value, path) => {
  if (typeof value !== 'boolean') throw wrongOption(path, 'Must be true or false.')
}

/** A number from `least` to `most`. */
export function numberOption(least: number, most: number): OptionCheck {
  return (value, path) => {
    if (!(typeof value === 'number' && value >= least && value <= most))
      throw wrongOption(path, `Must be a number from ${least} to ${most}.`)
  }
}

/** A whole number from `least` to `most`. */
export function wholeOption(least: number, most: number): OptionCheck {
  return (value, path) => {
    if (!(Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most))
      throw wrongOption(path, `Must be a whole number from ${least} to ${most.toLocaleString('en')}.`)
  }
}

/** One of these words. */
export function wordOption(...words: readonly string[]): OptionCheck {
  return (value, path) => {
    if (typeof value === 'string' && words.includes(value)) return
    throw unlike(path, typeof value === 'string' ? value : '', words, 'Unknown value')
  }
}

export const functionOption: OptionCheck = (value, path) => {
  if (typeof value !== 'function') throw wrongOption(path, 'Must be a function.')
}

/** A list whose items pass `check`. */
export function listOption(check: OptionCheck): OptionCheck {
  return (value, path) => {
    if (!Array.isArray(value)) throw wrongOption(path, 'Must be a list.')
    for (const [i, one] of value.entries()) check(one, join(path, i))
  }
}

/** An object whose values pass `check`, with any names. */
export function recordOption(check: OptionCheck): OptionCheck {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw wrongOption(path, 'Must be an object.')
    for (const [name, one] of Object.entries(value) as [string, unknown][])
      if (one !== undefined) check(one, join(path, name))
  }
}

/** Accepts everything: other code checks it. */
export const anyOption: OptionCheck = () => undefined

/** An `AbortSignal`. */
export const signalOption: OptionCheck = (value, path) => {
  const signal = value as { readonly aborted?: unknown; readonly addEventListener?: unknown } | null
  if (typeof signal?.aborted !== 'boolean' || typeof signal.addEventListener !== 'function')
    throw wrongOption(path, 'Must be an AbortSignal.')
}

type ValueType = 'string' | 'number' | 'boolean' | 'function' | 'object'

/** A value of one of several types, each with its own check. */
export function typedOption(types: { readonly [Type in ValueType]?: OptionCheck }): OptionCheck {
  const wanted = Object.keys(types).map((type) => (type === 'object' ? 'an object' : `a ${type}`))
  return (value, path) => {
    const check = types[typeof value as ValueType]
    if (!check || value === null) throw wrongOption(path, `Must be ${wanted.join(' or ')}.`)
    check(value, path)
  }
}

/** Options whose check depends on the field `name`. */
export function variantOption(name: string, variants: Readonly<Record<string, OptionCheck>>): OptionCheck {
  const isKnown = wordOption(...Object.keys(variants))
  return (value, path) => {
    if (typeof value !== 'object' || value === null) throw wrongOption(path, 'Must be an object.')
    const variant = (value as Record<string, unknown>)[name]
    isKnown(variant, join(path, name))
    variants[variant as string]?.(value, path)
  }
}

/** A key, or a function that fetches it. */
export const keyOption: OptionCheck = typedOption({ string: anyOption, function: functionOption })

/** The scope of a book: agent, run and subject of its records. */
export const scopeOptionTable = {
  agent: textOption(1000),
  session: textOption(1000),
  resource: textOption(1000),
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Edit distance: characters added, removed, replaced or swapped. */
function distance(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, j) => j)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const changed = (last[j - 1] ?? 0) + (isSame ? 0 : 1)
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed, swapped))
    }
    before = last
    last = row
  }
  return last[other.length] ?? 0
}

/** Longer texts are not misspelt names. */
const longest = 64

/**
 * Returns the one of `names` that `written` probably means: equal apart from case and separators, or at most one edit for
 * each three letters away (optimal string alignment).
 */
export function nearName(written: string, names: readonly string[]): string | undefined {
  if (written.length > longest) return undefined
  const wanted = plain(written)
  const limit = Math.max(1, Math.floor(wanted.length / 3))
  let best: string | undefined
  let least = limit + 1
  for (const name of names) {
    const steps = distance(wanted, plain(name))
    if (steps < least) {
      best = name
      least = steps
    }
  }
  return wanted === '' ? undefined : best
}
