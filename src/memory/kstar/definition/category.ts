// What a registered category asks of a trace. A bare name is looked for where a trace carries the data of its domain:
// in `action.parameters` (what went in) or `result.outcome` (what came out). A path that begins with a part of the
// trace is looked for exactly there. A run that failed or has not ended may never have come so far: what is required is asked
// for when the result is there and is a success.
import { DaybookError } from '../../../core/errors.ts'
import { checkPath, readPath } from '../../../core/json/path.ts'
import type { TraceCategory } from './definition-schema.ts'
import type { TraceBody } from '../trace-schema.ts'

const parts: ReadonlySet<string> = new Set(['situation', 'task', 'action', 'result', 'metadata'])

/** Throws unless each of `fields` is a name or a path that can be looked for. */
export function checkRequiredFields(fields: readonly string[]): void {
  fields.forEach((field, i) => {
    const where = `required_fields.${i}`
    try {
      checkPath(field, where)
    } catch (cause) {
      throw new DaybookError('invalid-input', `\`${where}\`: is not a name or a dotted path.`, {
        details: { path: where },
        cause,
      })
    }
  })
}

/** Where a trace may carry `field`, the usual place first. */
function placesOf(field: string): readonly string[] {
  const [first = ''] = field.split('.')
  const isWhole = first !== field && parts.has(first)
  return isWhole ? [field] : [`action.parameters.${field}`, `result.outcome.${field}`]
}

/** Throws `invalid-input` with the path of the first field that `category` asks for and `trace` lacks. */
export function checkCategory(
  category: TraceCategory,
  trace: Pick<TraceBody, 'result'>,
  where: string,
): void {
  if (trace.result?.success !== true) return
  const missing = category.required_fields
    .map(placesOf)
    .filter((places) => !places.some((place) => readPath(trace, place) !== undefined))
  const [first] = missing
  if (!first) return
  const [path = '', ...others] = first.map((place) => `${where}${place}`)
  const or = others.length > 0 ? ` (or \`${others.join('`, `')}\`)` : ''
  const about = `\`${category.name.slice(0, 80)}\` in \`${category.domain.slice(0, 80)}\``
  throw new DaybookError('invalid-input', `\`${path}\`${or} is required of traces of ${about}.`, {
    details: { path, missing: missing.map(([place = '']) => `${where}${place}`) },
  })
}
