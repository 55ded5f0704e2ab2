// What becomes of a record that is stored under an id that there is already. Invariant: nothing is changed unasked.
import type { WriteContext } from '../../core/capability/context.ts'
import { DaybookError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { sameJson } from '../../core/json/same-json.ts'
import { bodyOf } from '../../core/record.ts'

interface Known {
  readonly id: string | undefined
  readonly body: JsonObject
  /** What was said of whose it is and how sensitive. */
  readonly scope: object
  readonly replace: boolean
  /** Where the id stands in what was sent. */
  readonly path: string
}

/**
 * Whether the record `id` says what `body` says already: then there is nothing to store. One that says something else is a
 * `conflict`, unless it is to be replaced.
 */
export function isStored(
  { id, body, scope, replace, path }: Known,
  { records }: WriteContext<'records'>,
): boolean {
  // What is replaced need not be readable here.
  const before = id === undefined || replace ? undefined : records.get(id)
  if (!before) return false
  const said = JSON.parse(JSON.stringify(body)) as JsonObject
  const head: Readonly<Record<string, unknown>> = { sensitivity: 'standard', ...before }
  const isSame =
    sameJson(bodyOf(before), said) && Object.entries(scope).every(([name, value]) => head[name] === value)
  if (isSame) return true
  const message = `There is a record \`${id}\` already, and it says something else; pass replace: true to change it.`
  throw new DaybookError('conflict', message, { details: { path, id } })
}
