// Reads imported files. An error names the file, the place in it, and the fault.
import { DaybookError } from '../../core/errors.ts'
import { jsonErrorPlace } from '../../core/json/json.ts'
import { parseStorable } from './storable.ts'
import { parseWith, type OutputOf, type Schema } from '../../core/schema.ts'

/** The error for a fault in an imported file. `path`: its place in the file; empty for the whole file. */
export function invalidFile(file: string, path: string, message: string, cause?: unknown): DaybookError {
  const location = path === '' ? file : `${file}, ${path}`
  return new DaybookError('invalid-file', `${location}: ${message}.`, { details: { file, path }, cause })
}

/**
 * Throws `incomplete-file` if a file has fewer records than it states, unless `allowIncomplete`; throws
 * `invalid-file` if it has more.
 */
export function assertComplete(
  { name, allowIncomplete }: { readonly name: string; readonly allowIncomplete?: boolean | undefined },
  path: string,
  { stated, found }: { readonly stated: number; readonly found: number },
): void {
  if (stated === found || (stated > found && allowIncomplete === true)) return
  const message = `The file says ${stated}, but has ${found}`
  if (stated < found) throw invalidFile(name, path, message)
  throw new DaybookError('incomplete-file', `${name}, ${path}: ${message}.`, {
    details: { file: name, path, said: stated, found },
  })
}

/** Returns `text` without its byte order mark. Call it before parsing: the parsers below don't remove it. */
export const withoutByteOrderMark = (text: string): string => text.replace(/^\uFEFF/, '')

/**
 * Parses JSON as `parseStorable` does: values that can't be stored become texts. Throws `invalid-file` with the line and
 * column.
 */
export function parseFileJson(file: string, text: string): unknown {
  try {
    return parseStorable(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : ''
    throw invalidFile(file, jsonErrorPlace(text) ?? '', `It is not JSON: ${reason}`, cause)
  }
}

/** Parses JSON lines, with their numbers from 1. Skips empty lines. Throws `invalid-file`. */
export function parseJsonLines(
  file: string,
  text: string,
): { readonly line: number; readonly value: unknown }[] {
  return text.split('\n').flatMap((lineText, i) => {
    if (lineText.trim() === '') return []
    try {
      return [{ line: i + 1, value: parseStorable(lineText) }]
    } catch (cause) {
      throw invalidFile(file, `line ${i + 1}`, 'This line is not JSON', cause)
    }
  })
}

/** Checks a part of a file against `shape`. Throws `invalid-file` with the place of the part. */
export function parseShape<S extends Schema>(
  file: string,
  path: string,
  shape: S,
  value: unknown,
): OutputOf<S> {
  try {
    return parseWith(shape, value, 'invalid-file')
  } catch (cause) {
    if (!(cause instanceof DaybookError)) throw cause
    // `parseWith` lists the faults in `details.issues`.
    const [issue] = cause.details['issues'] as { path: string; message: string }[]
    const issuePath = [path, issue?.path].filter(Boolean).join('.')
    throw invalidFile(file, issuePath, issue?.message ?? 'It has the wrong shape', cause)
  }
}
