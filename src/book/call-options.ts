// The options of a call, and where each of them goes. Invariant: a way to make calls hands all of them on; one that is
// added to the type and not placed here does not compile.
import type { AbortSignalLike } from '../core/abort.ts'

export interface BookCallOptions {
  /** Makes a write safe to send again: it takes effect once. */
  readonly requestId?: string
  /** The id of a stored control token: the call sees and may do what the token's holder would. */
  readonly as?: string
  readonly signal?: AbortSignalLike
  /** Milliseconds to wait for the answer. Default in a page 30,000, and none for long work; elsewhere none. */
  readonly deadlineMs?: number
}

/** What is kept on the caller's side: who waits, and for how long. The rest is for whoever runs the call. */
type Waiting = 'signal' | 'deadlineMs'
export type CarriedOptions = Omit<BookCallOptions, Waiting>

const places: { readonly [Name in keyof BookCallOptions]-?: Name extends Waiting ? 'waits' : 'carried' } = {
  requestId: 'carried',
  as: 'carried',
  signal: 'waits',
  deadlineMs: 'waits',
}

const isGiven = ([, value]: readonly [string, unknown]) => value !== undefined

/** What of `options` goes to whoever runs the call. */
export function carriedOf(options: BookCallOptions): CarriedOptions {
  return Object.fromEntries(
    Object.entries(options)
      .filter(isGiven)
      .filter(([name]) => Object.hasOwn(places, name) && places[name as keyof BookCallOptions] === 'carried'),
  )
}

/** The options of a call apart from what else stands among them. */
export function splitOptions<Options extends BookCallOptions>(options: Options) {
  const given = Object.entries(options).filter(isGiven)
  const isOfCall = ([name]: readonly [string, unknown]) => Object.hasOwn(places, name)
  return {
    call: Object.fromEntries(given.filter(isOfCall)) as BookCallOptions,
    rest: Object.fromEntries(given.filter((one) => !isOfCall(one))) as Omit<Options, keyof BookCallOptions>,
  }
}
