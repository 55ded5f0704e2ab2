// The ids of other records in a body (`links` of its kind), as somebody is shown them who may not know of every record.
// Invariants: an id is shown to whoever may see its record, and to nobody else, whether there is such a record or not; and who
// was shown less writes back no less than there was.
import { isJsonObject, type Json, type JsonObject } from './json/path.ts'
import { sameJson } from './json/same-json.ts'
import type { Kind } from './kind.ts'

/** True for the id of a record that the reader may see. */
export type IsShown = (id: string) => boolean

/** A step of a path of links that stands for each field of an object, or each item of a list. */
const each = '*'

/** Most ids at one place: what the shapes of bodies allow. */
const linkLimit = 1000

const pathsOf = (kind: Pick<Kind, 'links'> | undefined): readonly (readonly string[])[] =>
  (kind?.links ?? []).map((path) => path.split('.'))

/** The ids at the links of `body`, as often as they stand there. */
export function linkedIds(kind: Pick<Kind, 'links'> | undefined, body: JsonObject): string[] {
  const found: string[] = []
  for (const path of pathsOf(kind))
    visit(body, path, (id) => {
      found.push(id)
      return true
    })
  return found
}

/** `body` without the ids that are not shown; the same object where all are. */
export function withShownLinks<Body extends JsonObject>(
  kind: Pick<Kind, 'links'> | undefined,
  body: Body,
  isShown: IsShown,
): Body {
  return pathsOf(kind).reduce((told, path) => visit(told, path, isShown) as Body, body)
}

/** `value` with those ids alone at the end of `path` that `isLeft` takes; undefined for an id by itself that it does not. */
function visit(value: Json, path: readonly string[], isLeft: IsShown): Json | undefined {
  const [step, ...rest] = path
  if (step === undefined) return leftOf(value, isLeft)
  if (Array.isArray(value)) {
    if (step !== each) return value
    const items = value.map((item: Json) => visit(item, rest, isLeft) ?? null)
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (!isJsonObject(value)) return value
  let told: Record<string, Json> | undefined
  for (const name of step === each ? Object.keys(value) : [step]) {
    const before = Object.hasOwn(value, name) ? value[name] : undefined
    if (before === undefined) continue
    const after = visit(before, rest, isLeft)
    if (after === before) continue
    told ??= { ...value }
    if (after === undefined) delete told[name]
    else told[name] = after
  }
  return told ?? value
}

function leftOf(value: Json, isLeft: IsShown): Json | undefined {
  if (typeof value === 'string') return isLeft(value) ? value : undefined
  if (!Array.isArray(value)) return value
  const left = value.filter((id: Json) => typeof id !== 'string' || isLeft(id))
  return left.length === value.length ? value : left
}

/** `given`, which is written over `stands` by somebody to whom `isShown` says what was shown of it, with what was not shown. */
export function withHiddenLinks(
  kind: Pick<Kind, 'links'> | undefined,
  given: JsonObject,
  stands: JsonObject,
  isShown: IsShown,
): JsonObject {
  return pathsOf(kind).reduce((merged, path) => merge(merged, stands, path, isShown) as JsonObject, given)
}

function merge(
  given: Json | undefined,
  stands: Json,
  path: readonly string[],
  isShown: IsShown,
): Json | undefined {
  const shown = visit(stands, path, isShown)
  // Nothing is hidden here, or it comes back as it was shown.
  if (shown === stands) return given
  if (same(given, shown)) return stands
  const [step, ...rest] = path
  if (step === undefined) return mergeIds(given, stands, isShown)
  if (Array.isArray(given) && Array.isArray(stands)) return mergeItems(given, stands, rest, isShown)
  if (!isJsonObject(given) || !isJsonObject(stands)) return given
  const names = step === each ? Object.keys(given) : [step]
  const merged: Record<string, Json> = { ...given }
  for (const name of names) {
    const before = Object.hasOwn(stands, name) ? stands[name] : undefined
    if (before === undefined) continue
    const after = merge(given[name] ?? emptied(before, rest), before, rest, isShown)
    if (after !== undefined) merged[name] = after
  }
  return merged
}

/** What stands above a link may have been left out because nothing else stood there. */
const emptied = (before: Json, rest: readonly string[]): Json | undefined =>
  rest.length > 0 && isJsonObject(before) && rest[0] !== each ? {} : undefined

function mergeIds(given: Json | undefined, stands: Json, isShown: IsShown): Json | undefined {
  // One id that is hidden stays: another one can't stand beside it.
  if (!Array.isArray(stands)) return stands
  const hidden = stands.filter((id: Json) => typeof id === 'string' && !isShown(id))
  const said = Array.isArray(given) ? given : []
  const more = hidden.filter((id: Json) => !said.includes(id))
  return [...said.slice(0, Math.max(0, linkLimit - more.length)), ...more]
}

/** An item that comes back as it was shown is the one that it was, wherever it stands now. */
function mergeItems(
  given: readonly Json[],
  stands: readonly Json[],
  rest: readonly string[],
  isShown: IsShown,
): Json[] {
  const left = stands.map((item) => ({ item, shown: visit(item, rest, isShown) ?? null }))
  return given.map((item) => {
    const at = left.findIndex(({ shown }) => same(item, shown))
    const [found] = at < 0 ? [] : left.splice(at, 1)
    return found ? found.item : item
  })
}

const same = (one: Json | undefined, other: Json | undefined) => one === other || sameJson(one, other)
