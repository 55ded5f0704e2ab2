// Checks of the options that something is opened or called with, as small functions to put together: one table for each
// object of options, with a line for each option. Invariant: a name that is not in the table and a value that is not of its
// line are `invalid-input` with the path, and with what was meant where that is near; none is taken in silence.
import { DaybookError } from '../errors.ts'
import { nearName } from './near-name.ts'

/** Throws `invalid-input` unless `value` may stand at `path`. */
export type OptionCheck = (value: unknown, path: string) => void

/** A line for each option there is: one that is added to the type and not to its table does not compile. */
export type OptionTable<Options> = { readonly [Name in keyof Options]-?: OptionCheck }

function wrongOption(path: string, what: string, more: object = {}): DaybookError {
  const message = `${path === '' ? 'The options' : `\`${path}\``}: ${what}`
  return new DaybookError('invalid-input', message, { details: { path, ...more } })
}

const quoted = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

/** For what is none of `names`: the one that was meant, or all of them. */
function unlike(path: string, given: string, names: readonly string[], what: string): DaybookError {
  const meant = nearName(given, names)
  const known = `${names.length === 1 ? 'There is' : 'There are'} ${quoted(names)}.`
  if (meant === undefined) return wrongOption(path, `${what}. ${known}`)
  return wrongOption(path, `${what}. Did you mean \`${meant}\`?`, { meant })
}

const join = (path: string, name: string | number) => (path === '' ? String(name) : `${path}.${name}`)

/** An object of options. What is undefined counts as not given; `needed` are those that must be. */
export function optionsOf<Options>(
  table: OptionTable<Options>,
  needed: readonly (keyof Options & string)[] = [],
): OptionCheck {
  const checks = new Map(Object.entries(table) as [string, OptionCheck][])
  const names = [...checks.keys()]
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw wrongOption(path, 'An object is wanted.')
    for (const [name, one] of Object.entries(value) as [string, unknown][]) {
      if (one === undefined) continue
      const check = checks.get(name)
      if (!check) throw unlike(join(path, name), name, names, 'There is no such option')
      check(one, join(path, name))
    }
    for (const name of needed)
      if ((value as Record<string, unknown>)[name] === undefined)
        throw wrongOption(join(path, name), 'It is needed.')
  }
}

/** A text of 1 to `longest` characters of well-formed Unicode. */
export function textOption(longest = 2000): OptionCheck {
  return (value, path) => {
    const isFit = typeof value === 'string' && value !== '' && value.length <= longest && value.isWellFormed()
    if (!isFit)
      throw wrongOption(
        path,
        `A text of 1 to ${longest.toLocaleString('en')} well-formed characters is wanted.`,
      )
  }
}

export const flagOption: OptionCheck = (value, path) => {
  if (typeof value !== 'boolean') throw wrongOption(path, 'True or false is wanted.')
}

/** A number from `least` to `most`. */
export function numberOption(least: number, most: number): OptionCheck {
  return (value, path) => {
    if (!(typeof value === 'number' && value >= least && value <= most))
      throw wrongOption(path, `A number from ${least} to ${most} is wanted.`)
  }
}

/** A whole number. */
export function wholeOption(least: number, most: number): OptionCheck {
  return (value, path) => {
    if (!(Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most))
      throw wrongOption(path, `A whole number from ${least} to ${most.toLocaleString('en')} is wanted.`)
  }
}

/** One of these words. */
export function wordOption(...words: readonly string[]): OptionCheck {
  return (value, path) => {
    if (typeof value === 'string' && words.includes(value)) return
    throw unlike(path, typeof value === 'string' ? value : '', words, 'There is no such choice')
  }
}

export const functionOption: OptionCheck = (value, path) => {
  if (typeof value !== 'function') throw wrongOption(path, 'A function is wanted.')
}

/** A list of what `check` takes. */
export function listOption(check: OptionCheck): OptionCheck {
  return (value, path) => {
    if (!Array.isArray(value)) throw wrongOption(path, 'A list is wanted.')
    for (const [i, one] of value.entries()) check(one, join(path, i))
  }
}

/** An object that has `check` for each of its values, whatever their names are. */
export function recordOption(check: OptionCheck): OptionCheck {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw wrongOption(path, 'An object is wanted.')
    for (const [name, one] of Object.entries(value) as [string, unknown][])
      if (one !== undefined) check(one, join(path, name))
  }
}

/** Whatever it is: somebody else looks at it, who knows more. */
export const anyOption: OptionCheck = () => undefined

/** An `AbortSignal`. */
export const signalOption: OptionCheck = (value, path) => {
  const signal = value as { readonly aborted?: unknown; readonly addEventListener?: unknown } | null
  if (typeof signal?.aborted !== 'boolean' || typeof signal.addEventListener !== 'function')
    throw wrongOption(path, 'An AbortSignal is wanted.')
}

type ValueType = 'string' | 'number' | 'boolean' | 'function' | 'object'

/** What may be of several types, each with a check of its own. */
export function typedOption(types: { readonly [Type in ValueType]?: OptionCheck }): OptionCheck {
  const wanted = Object.keys(types).map((type) => (type === 'object' ? 'an object' : `a ${type}`))
  return (value, path) => {
    const check = types[typeof value as ValueType]
    if (!check || value === null) throw wrongOption(path, `${wanted.join(' or ')} is wanted.`)
    check(value, path)
  }
}

/** Options whose others depend on their `name`. */
export function variantOption(name: string, variants: Readonly<Record<string, OptionCheck>>): OptionCheck {
  const isKnown = wordOption(...Object.keys(variants))
  return (value, path) => {
    if (typeof value !== 'object' || value === null) throw wrongOption(path, 'An object is wanted.')
    const variant = (value as Record<string, unknown>)[name]
    isKnown(variant, join(path, name))
    variants[variant as string]?.(value, path)
  }
}

/** A key, or what fetches it. */
export const keyOption: OptionCheck = typedOption({ string: anyOption, function: functionOption })

/** The scope that a book is opened with: whose its records are, from which run, about whom. */
export const scopeOptionTable = {
  agent: textOption(1000),
  session: textOption(1000),
  resource: textOption(1000),
}
