// What a person typed and the command line cannot make sense of.

/** What was typed makes no sense; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
