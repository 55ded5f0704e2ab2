// Checks of options. Small functions combine into a table with one line for each option.
// Invariant: an unknown name or a wrong value throws `invalid-input` with the path, and with a suggestion if a valid
// name is similar. No option is ignored silently.
import { type DaybookError, invalidInput } from './errors.ts'
import { trustClasses } from './trusted.ts'

/** Throws `invalid-input` unless `value` is valid at `path`. */
export type OptionCheck = (value: unknown, path: string) => void

/** One check for each option. A missing line is a type error. */
export type OptionTable<Options> = { readonly [Name in keyof Options]-?: OptionCheck }

const quoted = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

/** Creates the error for a value that is not in `names`. The error suggests the most similar name, or lists all. */
function unlike(path: string, written: string, names: readonly string[], message: string): DaybookError {
  const meant = nearName(written, names)
  const all = `Valid: ${quoted(names)}.`
  if (meant === undefined) return invalidInput(path, `${message}. ${all}`)
  return invalidInput(path, `${message}. Did you mean \`${meant}\`?`, { meant })
}

const join = (path: string, name: string | number) => (path === '' ? String(name) : `${path}.${name}`)

/** Checks an object of options. Undefined counts as absent; options in `needed` must be present. */
export function optionsOf<Options>(
  table: OptionTable<Options>,
  needed: readonly (keyof Options & string)[] = [],
): OptionCheck {
  const checks = new Map(Object.entries(table) as [string, OptionCheck][])
  const names = [...checks.keys()]
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw invalidInput(path, 'Must be an object.')
    for (const [name, one] of Object.entries(value) as [string, unknown][]) {
      if (one === undefined) continue
      const check = checks.get(name)
      if (!check) throw unlike(join(path, name), name, names, 'Unknown option')
      check(one, join(path, name))
    }
    for (const name of needed)
      if ((value as Record<string, unknown>)[name] === undefined)
        throw invalidInput(join(path, name), 'This option is required.')
  }
}

/** Checks a well-formed Unicode text of `least` to `longest` characters. */
export function textOption(longest = 2000, least = 1): OptionCheck {
  return (value, path) => {
    const isFit =
      typeof value === 'string' && value.length >= least && value.length <= longest && value.isWellFormed()
    if (!isFit)
      throw invalidInput(
        path,
        `Must be a text of ${least} to ${longest.toLocaleString('en')} well-formed characters.`,
      )
  }
}

export const flagOption: OptionCheck = (value, path) => {
  if (typeof value !== 'boolean') throw invalidInput(path, 'Must be true or false.')
}

/** Checks a number from `least` to `most`. */
export function numberOption(least: number, most: number): OptionCheck {
  return (value, path) => {
    if (!(typeof value === 'number' && value >= least && value <= most))
      throw invalidInput(path, `Must be a number from ${least} to ${most}.`)
  }
}

/** Checks an integer from `least` to `most`. */
export function integerOption(least: number, most: number): OptionCheck {
  return (value, path) => {
    if (!(Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most))
      throw invalidInput(path, `Must be a whole number from ${least} to ${most.toLocaleString('en')}.`)
  }
}

/** Checks that a value is one of `words`. */
export function wordOption(...words: readonly string[]): OptionCheck {
  return (value, path) => {
    if (typeof value === 'string' && words.includes(value)) return
    throw unlike(path, typeof value === 'string' ? value : '', words, 'Unknown value')
  }
}

export const functionOption: OptionCheck = (value, path) => {
  if (typeof value !== 'function') throw invalidInput(path, 'Must be a function.')
}

/** Checks a list whose items all pass `check`. */
export function listOption(check: OptionCheck): OptionCheck {
  return (value, path) => {
    if (!Array.isArray(value)) throw invalidInput(path, 'Must be a list.')
    for (const [i, one] of value.entries()) check(one, join(path, i))
  }
}

/** Checks an object with any names whose values all pass `check`. */
export function recordOption(check: OptionCheck): OptionCheck {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw invalidInput(path, 'Must be an object.')
    for (const [name, one] of Object.entries(value) as [string, unknown][])
      if (one !== undefined) check(one, join(path, name))
  }
}

/** Accepts every value, because other code checks it. */
export const anyOption: OptionCheck = () => undefined

/** Checks an `AbortSignal`. */
export const signalOption: OptionCheck = (value, path) => {
  const signal = value as { readonly aborted?: unknown; readonly addEventListener?: unknown } | null
  if (typeof signal?.aborted !== 'boolean' || typeof signal.addEventListener !== 'function')
    throw invalidInput(path, 'Must be an AbortSignal.')
}

type ValueType = 'string' | 'number' | 'boolean' | 'function' | 'object'

/** Checks a value of one of several types, each with its own check. */
export function typedOption(types: { readonly [Type in ValueType]?: OptionCheck }): OptionCheck {
  const wanted = Object.keys(types).map((type) => (type === 'object' ? 'an object' : `a ${type}`))
  return (value, path) => {
    const check = types[typeof value as ValueType]
    if (!check || value === null) throw invalidInput(path, `Must be ${wanted.join(' or ')}.`)
    check(value, path)
  }
}

/** Checks options by the variant that their field `name` selects. */
export function variantOption(name: string, variants: Readonly<Record<string, OptionCheck>>): OptionCheck {
  const isKnown = wordOption(...Object.keys(variants))
  return (value, path) => {
    if (typeof value !== 'object' || value === null) throw invalidInput(path, 'Must be an object.')
    const variant = (value as Record<string, unknown>)[name]
    isKnown(variant, join(path, name))
    variants[variant as string]?.(value, path)
  }
}

/** Checks a key, or a function that fetches one. */
export const keyOption: OptionCheck = typedOption({ string: anyOption, function: functionOption })

/** Checks of the scope of a book: agent, run, subject and highest trust of its records. */
export const scopeOptionTable = {
  agent: textOption(1000),
  session: textOption(1000),
  resource: textOption(1000),
  trust: wordOption(...trustClasses),
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Edit distance: number of characters added, removed, replaced or swapped. */
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

/** Longer texts get no suggestion. */
const longest = 64

/**
 * Returns the name that `written` probably means: equal apart from case and separators, or at most one edit per three
 * letters away, but always within one edit (optimal string alignment). Undefined if no name is similar.
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
