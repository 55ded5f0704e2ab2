// The keys of an edge, as its deployment sets them. Invariant: a key that can be guessed opens nothing: with one that is too
// short among them, nobody is let in.
import { shortestKey } from '../../../core/address.ts'
import { DaybookError } from '../../../core/errors.ts'

/** The keys in `text`, apart by blanks or commas. */
export function readEdgeKeys(text = ''): string[] {
  const keys = text.split(/[\s,]+/).filter((key) => key !== '')
  if (keys.every((key) => key.length >= shortestKey)) return keys
  throw new DaybookError(
    'unauthorized',
    `This edge lets nobody in: a key in DAYBOOK_KEY has fewer than ${shortestKey} characters. Set a longer one.`,
  )
}
