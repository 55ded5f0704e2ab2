// Options of a call: the check of each option, and whether it stays at the caller or travels to the engine.
// Invariant: every transport forwards all options that travel; a new option without a line in the table doesn't
// compile.
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
} from '../core/option-check.ts'
import type { CallScope } from '../core/record.ts'
import { longestTimerMs } from '../core/time.ts'

export interface BookCallOptions {
  /** Makes a write safe to repeat: it takes effect once. */
  readonly requestId?: string | undefined
  /**
   * Id of a stored control token: the call sees and may do what the token's holder would. Of several tokens, the last
   * counts, and each must be granted below the token before it.
   */
  readonly as?: string | readonly string[] | undefined
  /**
   * Default scope of stored records, instead of the scope of the book. With `as`, the agent is the token's holder.
   */
  readonly scope?: CallScope | undefined
  /** Purpose of the call in the caller's words, for the owner's access log. */
  readonly purpose?: string | undefined
  /**
   * Id of a receipt (`consent.request`, `consent.decide`): limits the call to the receipt, within its token. Only
   * with `as`, or with a presented token or key: the owner has no limits to narrow.
   */
  readonly receipt?: string | undefined
  readonly signal?: AbortSignalLike | undefined
  /**
   * Milliseconds to wait for the answer. Default: in a page 30,000, and no limit for long work; elsewhere no limit.
   */
  readonly deadlineMs?: number | undefined
}

/** Options that stay at the caller, which waits for the answer. All other options travel to the engine. */
type Waiting = 'signal' | 'deadlineMs'
export type CarriedOptions = Omit<BookCallOptions, Waiting>

interface OptionLine<Name> {
  /** `waits`: the option stays at the caller; `carried`: it travels to the engine. */
  readonly goes: Name extends Waiting ? 'waits' : 'carried'
  readonly check: OptionCheck
}

const tokensOption = typedOption({ string: textOption(1000), object: listOption(textOption(1000)) })

const lines: { readonly [Name in keyof BookCallOptions]-?: OptionLine<Name> } = {
  requestId: { goes: 'carried', check: textOption(1000) },
  as: { goes: 'carried', check: tokensOption },
  scope: { goes: 'carried', check: optionsOf(scopeOptionTable) },
  purpose: { goes: 'carried', check: textOption(purposeLimit) },
  receipt: { goes: 'carried', check: textOption(200) },
  signal: { goes: 'waits', check: signalOption },
  deadlineMs: { goes: 'waits', check: numberOption(0, longestTimerMs) },
}

/** Checks of call options, for the checks of objects that have further options too. */
export const callOptionTable = Object.fromEntries(
  Object.entries(lines).map(([name, { check }]) => [name, check]),
) as OptionTable<BookCallOptions>
const checkOptions = optionsOf(callOptionTable)

/** Throws `invalid-input` unless these are options of a call. */
export function checkCallOptions(options: unknown): void {
  checkOptions(options, 'options')
}

const isPresent = ([, value]: readonly [string, unknown]) => value !== undefined

/** Returns the options that travel to the engine. */
export function carriedOf(options: BookCallOptions): CarriedOptions {
  return Object.fromEntries(
    Object.entries(options)
      .filter(isPresent)
      .filter(
        ([name]) => Object.hasOwn(lines, name) && lines[name as keyof BookCallOptions].goes === 'carried',
      ),
  )
}

/** Separates call options (`call`) from all other options (`rest`). */
export function splitOptions<Options extends BookCallOptions>(options: Options) {
  const present = Object.entries(options).filter(isPresent)
  const isOfCall = ([name]: readonly [string, unknown]) => Object.hasOwn(lines, name)
  return {
    call: Object.fromEntries(present.filter(isOfCall)) as BookCallOptions,
    rest: Object.fromEntries(present.filter((one) => !isOfCall(one))) as Omit<Options, keyof BookCallOptions>,
  }
}
