// Canonical JSON (RFC 8785): members sorted by UTF-16 code units, no whitespace, ECMAScript numbers.
// Invariant: each value has one text, so a signature or hash of the text covers the value.
import { DaybookError } from '../errors.ts'
import type { Json } from '../json/path.ts'

/**
 * Returns the canonical text of plain JSON without undefined members. Writes a lone surrogate, which the RFC
 * excludes, as its escape: a book may contain one, and its bundle must not lose it.
 */
export function canonicalText(value: Json | undefined): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalText(item)).join(',')}]`
  let text = ''
  for (const [key, member] of Object.entries(value).sort(byKey)) {
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalText(member)}`
  }
  return `{${text}}`
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

/** Returns the canonical text for a signature. Throws `invalid-input` for a value that the RFC excludes. */
export function strictCanonicalText(value: unknown): string {
  checkStrict(value)
  return canonicalText(value as Json)
}

function checkStrict(value: unknown): void {
  if (value === null || typeof value === 'boolean') return
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw noCanonicalForm('Lone surrogate is not allowed')
  } else if (typeof value === 'number') {
    if (Number.isNaN(value)) throw noCanonicalForm('NaN is not allowed')
    if (!Number.isFinite(value)) throw noCanonicalForm('Infinity is not allowed')
  } else if (Array.isArray(value)) value.forEach(checkStrict)
  else if (typeof value === 'object') {
    for (const [key, member] of Object.entries(value).sort(byKey)) {
      if (member === undefined) continue
      checkStrict(key)
      checkStrict(member)
    }
  } else throw noCanonicalForm('it is not a JSON value')
}

function noCanonicalForm(reason: string): DaybookError {
  return new DaybookError('invalid-input', `It has no canonical form: ${reason}.`)
}
