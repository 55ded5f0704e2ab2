// Checks of the options that identify a book and the scope of its records.
import { invalidInput } from './errors.ts'
import type { CallScope, Scope } from './record.ts'
import { trustClasses } from './trusted.ts'

const namePattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/

/** True for a valid name of a book; see `checkBookName`. */
export const isBookName = (name: unknown): name is string =>
  typeof name === 'string' && namePattern.test(name)

/**
 * Returns `name`. Throws `invalid-input` unless it has 1 to 64 letters, digits, `.`, `_` and `-`, and doesn't begin
 * with a dot.
 */
export function checkBookName(name: unknown): string {
  if (isBookName(name)) return name
  throw invalidInput('name', 'A book name has 1 to 64 letters, digits, dots, dashes and underscores')
}

/** Throws `invalid-input` unless `confirm` is the name of the book. Call it before irreversible changes. */
export function checkConfirmed(confirm: string | undefined, name: string): void {
  if (confirm === name) return
  const message =
    confirm === undefined ? 'Repeat the name of the book to confirm' : 'This is not the name of the book'
  throw invalidInput('confirm', `${message}. Nothing was changed.`)
}

/** Default scope of new records of a book. Without an option, the agent is `agent`. */
export function bookScope(options: {
  agent?: string | undefined
  session?: string | undefined
  resource?: string | undefined
}): Scope {
  return { agent: 'agent', ...checkCallScope(options) }
}

const scopeFields = ['agent', 'session', 'resource'] as const

/**
 * Returns the scope fields that are set. Throws `invalid-input` unless each has 1 to 1,000 characters of well-formed
 * Unicode.
 */
export function checkCallScope(scope: CallScope): Partial<Scope> {
  if (typeof scope !== 'object' || scope === null) throw invalidInput('scope', 'Must be an object')
  const checked: { -readonly [Name in keyof Scope]?: Scope[Name] } = {}
  for (const path of scopeFields) {
    const value: unknown = scope[path]
    if (value === undefined) continue
    if (typeof value !== 'string' || value === '' || value.length > 1000 || !value.isWellFormed())
      throw invalidInput(path, 'Must have 1 to 1,000 characters of well-formed Unicode')
    checked[path] = value
  }
  const { trust } = scope
  if (trust !== undefined && !trustClasses.includes(trust))
    throw invalidInput('trust', `Must be one of ${trustClasses.join(', ')}`)
  return trust === undefined ? checked : { ...checked, trust }
}
