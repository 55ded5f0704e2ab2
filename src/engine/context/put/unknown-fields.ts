// Fields of a later Daybook in a body that this one changes. Invariant: none is lost.
import type { JsonObject } from '../../../core/json/path.ts'
import type { Kind } from '../../../core/kind.ts'
import { fieldsOf } from '../../../core/schema.ts'

/** `body` with the fields of `stands` that its kind does not know. */
export function withUnknown(kind: Kind, stands: JsonObject, body: JsonObject): JsonObject {
  const known = fieldsOf(kind.schema)
  const kept =
    known && Object.entries(stands).filter(([name]) => !known.has(name) && !Object.hasOwn(body, name))
  return kept && kept.length > 0 ? { ...body, ...Object.fromEntries(kept) } : body
}
