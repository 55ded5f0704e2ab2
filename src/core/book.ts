// What a book is called and whose records it makes, as given when it is opened.
import { DaybookError } from './errors.ts'
import type { CallScope, Scope } from './record.ts'

const namePattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/

/** True for the name of a book; see `checkBookName`. */
export const isBookName = (name: unknown): name is string =>
  typeof name === 'string' && namePattern.test(name)

/** The name of a book, or `invalid-input`: 1 to 64 letters, digits, `.`, `_` and `-`, not beginning with a dot. */
export function checkBookName(name: unknown): string {
  if (isBookName(name)) return name
  throw new DaybookError(
    'invalid-input',
    '`name`: The name of a book is 1 to 64 letters, digits, dots, dashes and underscores.',
    { details: { path: 'name' } },
  )
}

/** Throws `invalid-input` unless `confirm` is the name of the book: what can't be undone asks for it. */
export function checkConfirmed(confirm: string | undefined, name: string): void {
  if (confirm === name) return
  const message = confirm === undefined ? 'The name of the book is wanted' : 'It is not the name of the book'
  throw new DaybookError('invalid-input', `\`confirm\`: ${message}. Nothing was changed.`, {
    details: { path: 'confirm' },
  })
}

/** The default scope of what a book stores; `agent` when none is named. */
export function bookScope(options: { agent?: string; session?: string; resource?: string }): Scope {
  return { agent: 'agent', ...checkCallScope(options) }
}

const scopeFields = ['agent', 'session', 'resource'] as const

/** What of a scope is given for a call or a handle, or `invalid-input`: each 1 to 1,000 characters of well-formed Unicode. */
export function checkCallScope(given: CallScope): Partial<Scope> {
  if (typeof given !== 'object' || given === null) throw wrongScope('scope', 'An object')
  const checked: { -readonly [Name in keyof Scope]?: string } = {}
  for (const path of scopeFields) {
    const value: unknown = given[path]
    if (value === undefined) continue
    if (typeof value !== 'string' || value === '' || value.length > 1000 || !value.isWellFormed())
      throw wrongScope(path, '1 to 1,000 characters of well-formed Unicode')
    checked[path] = value
  }
  return checked
}

function wrongScope(path: string, message: string): DaybookError {
  return new DaybookError('invalid-input', `\`${path}\`: ${message}.`, { details: { path } })
}
