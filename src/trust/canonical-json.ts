// Canonical JSON (RFC 8785): one text for each value, so that a signature or a hash of it means the value.
import canonicalize from 'canonicalize'
import { DaybookError } from '../core/errors.ts'

/** The canonical text of a JSON value; throws `invalid-input` for what has none, such as half a character. */
export function canonicalJson(value: unknown): string {
  try {
    const text = canonicalize(value)
    if (text !== undefined) return text
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : ''
    throw new DaybookError('invalid-input', `It has no canonical form: ${reason}.`, { cause })
  }
  throw new DaybookError('invalid-input', 'It has no canonical form: it is no JSON value.')
}
