// A control token with its usual grant, for the tests of tokens and of guests.
import type { Daybook } from '../../../src/book/daybook.ts'

export const later = '2099-01-01T00:00:00.000Z'
export const soon = '2098-01-01T00:00:00.000Z'
export type Grant = Parameters<Daybook['tokens']['grant']>[0]

export const grant = async (book: Daybook, over: Partial<Grant> = {}, as?: string) =>
  book.tokens.grant(
    { scope: '**', permissions: ['read'], granted_to: 'grader', expires_at: later, ...over },
    as === undefined ? {} : { as },
  )
