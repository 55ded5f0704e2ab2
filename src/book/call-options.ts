// The options of a call: what each may be, and where it goes. Invariant: a way to make calls hands all of them on; one that
// is added to the type and has no line in the table here does not compile.
import type { AbortSignalLike } from '../core/abort.ts'
import { purposeLimit } from '../core/capability/access-log.ts'
import {
  listOption,
  numberOption,
  type OptionCheck,
  optionsOf,
  type OptionTable,
  scopeOptionTable,
  signalOption,
  textOption,
  typedOption,
} from '../core/option/option-check.ts'
import type { CallScope } from '../core/record.ts'

export interface BookCallOptions {
  /** Makes a write safe to send again: it takes effect once. */
  readonly requestId?: string
  /**
   * The id of a stored control token: the call sees and may do what the token's holder would. Of several the last one counts,
   * and each must have been granted below the one before it.
   */
  readonly as?: string | readonly string[]
  /** Default scope of what the call stores, in place of the book's own. With `as`, the agent is the token's holder. */
  readonly scope?: CallScope
  /** What the call is for, in the caller's words: for the log of access, where the owner reads it. */
  readonly purpose?: string
  /**
   * The id of a receipt (`consent.request`, `consent.decide`): the call reaches what that says, within the token. With `as`, or
   * where a token or key is presented: the owner has no bounds to be narrowed.
   */
  readonly receipt?: string
  readonly signal?: AbortSignalLike
  /** Milliseconds to wait for the answer. Default in a page 30,000, and none for long work; elsewhere none. */
  readonly deadlineMs?: number
}

/** What is kept on the caller's side: who waits, and for how long. The rest is for whoever runs the call. */
type Waiting = 'signal' | 'deadlineMs'
export type CarriedOptions = Omit<BookCallOptions, Waiting>

interface OptionLine<Name> {
  readonly goes: Name extends Waiting ? 'waits' : 'carried'
  readonly check: OptionCheck
}

/** A timer of the platforms takes no longer span. */
const longestMs = 2_147_483_647

const tokensOption = typedOption({ string: textOption(1000), object: listOption(textOption(1000)) })

const lines: { readonly [Name in keyof BookCallOptions]-?: OptionLine<Name> } = {
  requestId: { goes: 'carried', check: textOption(1000) },
  as: { goes: 'carried', check: tokensOption },
  scope: { goes: 'carried', check: optionsOf(scopeOptionTable) },
  purpose: { goes: 'carried', check: textOption(purposeLimit) },
  receipt: { goes: 'carried', check: textOption(200) },
  signal: { goes: 'waits', check: signalOption },
  deadlineMs: { goes: 'waits', check: numberOption(0, longestMs) },
}

/** The checks of the options of a call, for those that stand among others. */
export const callOptionTable = Object.fromEntries(
  Object.entries(lines).map(([name, { check }]) => [name, check]),
) as OptionTable<BookCallOptions>
const checkOptions = optionsOf(callOptionTable)

/** Throws `invalid-input` unless these are options of a call. */
export function checkCallOptions(options: unknown): void {
  checkOptions(options, 'options')
}

const isGiven = ([, value]: readonly [string, unknown]) => value !== undefined

/** What of `options` goes to whoever runs the call. */
export function carriedOf(options: BookCallOptions): CarriedOptions {
  return Object.fromEntries(
    Object.entries(options)
      .filter(isGiven)
      .filter(
        ([name]) => Object.hasOwn(lines, name) && lines[name as keyof BookCallOptions].goes === 'carried',
      ),
  )
}

/** The options of a call apart from what else stands among them. */
export function splitOptions<Options extends BookCallOptions>(options: Options) {
  const given = Object.entries(options).filter(isGiven)
  const isOfCall = ([name]: readonly [string, unknown]) => Object.hasOwn(lines, name)
  return {
    call: Object.fromEntries(given.filter(isOfCall)) as BookCallOptions,
    rest: Object.fromEntries(given.filter((one) => !isOfCall(one))) as Omit<Options, keyof BookCallOptions>,
  }
}
