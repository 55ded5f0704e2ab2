// Whether a body is what this Daybook takes for one of its kind. What it does not know fits.
import { isDaybookError } from '../../core/errors.ts'
import type { Kind } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { parseWith } from '../../core/schema.ts'

export function fitsKind(kind: Kind | undefined, body: JsonObject): boolean {
  if (!kind) return true
  try {
    parseWith(kind.schema, body)
    return true
  } catch (error) {
    if (isDaybookError(error)) return false
    throw error
  }
}
