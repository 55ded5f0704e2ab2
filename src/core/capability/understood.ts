// Checks whether this Daybook understands a record of a known kind. A later version or another client may write
// bodies that this version doesn't know. The book stores and forwards them unchanged, and never interprets them.
import { DaybookError, isDaybookError } from '../errors.ts'
import type { JsonObject } from '../json/path.ts'
import { type Kind, settled } from '../kind.ts'
import { bodyOf } from '../record.ts'
import { parseWith } from '../schema.ts'

type WithSchema = Pick<Kind, 'schema'>

/** True if the body of the record fits `kind`. */
export function isUnderstood({ schema }: WithSchema, record: object): boolean {
  return schemaFault(schema, bodyOf(record)) === undefined
}

/** Returns `body` with recomputed derived fields, or unchanged if it doesn't fit its kind. */
export function settledIfUnderstood(kind: Kind | undefined, body: JsonObject): JsonObject {
  return kind?.settle && isUnderstood(kind, body) ? settled(kind, body) : body
}

/** Throws `record-newer` unless the body of the record fits the kind. */
export function needUnderstood({ schema }: WithSchema, record: { readonly id: string }): void {
  needFit(schema, record.id, bodyOf(record))
}

function needFit(schema: Kind['schema'], id: string, body: object): void {
  const fault = schemaFault(schema, body)
  if (!fault) return
  throw new DaybookError('record-newer', undefined, {
    details: { path: 'id', id, at: fault.details['path'] },
  })
}

function schemaFault(schema: Kind['schema'], body: object): DaybookError | undefined {
  try {
    parseWith(schema, body)
    return undefined
  } catch (error) {
    if (isDaybookError(error, 'invalid-input')) return error
    throw error
  }
}
