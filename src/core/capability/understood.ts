// Whether a record says what this Daybook takes for one of its kind. A later version, or another client, may have written
// it otherwise; then it is kept and handed on as it is, and nothing is made of it here.
import { DaybookError, isDaybookError } from '../errors.ts'
import type { JsonObject } from '../json/path.ts'
import { type Kind, settled } from '../kind.ts'
import { bodyOf } from '../record.ts'
import { parseWith } from '../schema.ts'

type Known = Pick<Kind, 'schema'>

/** True for a record whose body fits `kind`. */
export function isUnderstood({ schema }: Known, record: object): boolean {
  return schemaFault(schema, bodyOf(record)) === undefined
}

/** `body` as `settled` has it; one that is not understood as it came. */
export function settledIfUnderstood(kind: Kind | undefined, body: JsonObject): JsonObject {
  return kind?.settle && isUnderstood(kind, body) ? settled(kind, body) : body
}

/** Throws `record-newer` for a record whose body does not fit `kind`. */
export function needUnderstood({ schema }: Known, record: { readonly id: string }): void {
  needFit(schema, record.id, bodyOf(record))
}

/** Throws `record-newer` for a body of the record `id` that does not fit. */
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
