// What a book is called and whose records it makes, as given when it is opened.
import { DaybookError } from './errors.ts'
import type { Scope } from './record.ts'

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

/** The default scope of what a book stores; `agent` when none is named. */
export function bookScope(options: { agent?: string; session?: string; resource?: string }): Scope {
  const scope = { agent: options.agent ?? 'agent', session: options.session, resource: options.resource }
  for (const [path, value] of Object.entries(scope)) {
    if (
      value === undefined ||
      (typeof value === 'string' && value !== '' && value.length <= 1000 && value.isWellFormed())
    )
      continue
    throw new DaybookError('invalid-input', `\`${path}\`: 1 to 1,000 characters of well-formed Unicode.`, {
      details: { path },
    })
  }
  return {
    agent: scope.agent,
    ...(scope.session === undefined ? {} : { session: scope.session }),
    ...(scope.resource === undefined ? {} : { resource: scope.resource }),
  }
}
