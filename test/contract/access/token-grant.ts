// A control token with its usual grant, for the tests of tokens and of guests.
import type { Daybook } from '../../../src/book/daybook.ts'
import { defined } from '../../../src/core/defined.ts'

export const later = '2099-01-01T00:00:00.000Z'
export const soon = '2098-01-01T00:00:00.000Z'
export type Grant = Parameters<Daybook['tokens']['grant']>[0]

let delegates = 0

/** Unless it is said, whoever is granted one below another has a name of its own. */
export const grant = async (book: Daybook, over: Partial<Grant> = {}, as?: string) => {
  const isBelow = as !== undefined || over.parent !== undefined
  const granted_to = isBelow ? `delegate-${++delegates}` : 'grader'
  return book.tokens.grant(
    { scope: '**', permissions: ['read'], granted_to, expires_at: later, ...over },
    defined({ as }),
  )
}
