// Links: ids of other records in a body (`links` of its kind), for a reader who may not see every record.
// Invariant: a reader sees an id only if it may see the record, and an id doesn't reveal whether its record exists.
// Writing back a body with hidden ids removes none of them.
import { type Json, type JsonObject, isJsonObject, sameJson } from './json/path.ts'
import type { Kind } from './kind.ts'

/** True if the reader may see the record of this id. */
export type IsShown = (id: string) => boolean

/** Step of a link path for every field of an object or every item of a list. */
const each = '*'

/** Maximum of ids in one list. The schemas of bodies allow no more. */
const linkLimit = 1000

const pathsOf = (kind: Pick<Kind, 'links'> | undefined): readonly (readonly string[])[] =>
  (kind?.links ?? []).map((path) => path.split('.'))

/** Returns the ids at the links of `body`, repeats included. */
export function linkedIds(kind: Pick<Kind, 'links'> | undefined, body: JsonObject): string[] {
  const found: string[] = []
  for (const path of pathsOf(kind))
    visit(body, path, (id) => {
      found.push(id)
      return true
    })
  return found
}

/** Returns `body` without hidden ids; the same object if no id is hidden. */
export function withShownLinks<Body extends JsonObject>(
  kind: Pick<Kind, 'links'> | undefined,
  body: Body,
  isShown: IsShown,
): Body {
  return pathsOf(kind).reduce((rest, path) => visit(rest, path, isShown) as Body, body)
}

/**
 * Returns `value` with only the ids at the end of `path` that `isShown` accepts; undefined for a single hidden id.
 */
function visit(value: Json, path: readonly string[], isShown: IsShown): Json | undefined {
  const [step, ...rest] = path
  if (step === undefined) return shownOf(value, isShown)
  if (Array.isArray(value)) {
    if (step !== each) return value
    const items = value.map((item: Json) => visit(item, rest, isShown) ?? null)
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (!isJsonObject(value)) return value
  let copy: Record<string, Json> | undefined
  for (const name of step === each ? Object.keys(value) : [step]) {
    const before = Object.hasOwn(value, name) ? value[name] : undefined
    if (before === undefined) continue
    const after = visit(before, rest, isShown)
    if (after === before) continue
    copy ??= { ...value }
    if (after === undefined) delete copy[name]
    else copy[name] = after
  }
  return copy ?? value
}

function shownOf(value: Json, isShown: IsShown): Json | undefined {
  if (typeof value === 'string') return isShown(value) ? value : undefined
  if (!Array.isArray(value)) return value
  const shown = value.filter((id: Json) => typeof id !== 'string' || isShown(id))
  return shown.length === value.length ? value : shown
}

/**
 * Adds the ids that were hidden from the writer of `edit`, which replaces `stored`. `isShown`: what the writer may
 * see.
 */
export function withHiddenLinks(
  kind: Pick<Kind, 'links'> | undefined,
  edit: JsonObject,
  stored: JsonObject,
  isShown: IsShown,
): JsonObject {
  return pathsOf(kind).reduce((merged, path) => merge(merged, stored, path, isShown) as JsonObject, edit)
}

function merge(
  edit: Json | undefined,
  stored: Json,
  path: readonly string[],
  isShown: IsShown,
): Json | undefined {
  const shown = visit(stored, path, isShown)
  // No id is hidden, or the writer left this value unchanged.
  if (shown === stored) return edit
  if (same(edit, shown)) return stored
  const [step, ...rest] = path
  if (step === undefined) return mergeIds(edit, stored, isShown)
  if (Array.isArray(edit) && Array.isArray(stored)) return mergeItems(edit, stored, rest, isShown)
  if (!isJsonObject(edit) || !isJsonObject(stored)) return edit
  const names = step === each ? Object.keys(edit) : [step]
  const merged: Record<string, Json> = { ...edit }
  for (const name of names) {
    const before = Object.hasOwn(stored, name) ? stored[name] : undefined
    if (before === undefined) continue
    const after = merge(edit[name] ?? emptied(before, rest), before, rest, isShown)
    if (after !== undefined) merged[name] = after
  }
  return merged
}

/** Default for a parent that is missing in the edit because it contained hidden links only. */
const emptied = (before: Json, rest: readonly string[]): Json | undefined =>
  rest.length > 0 && isJsonObject(before) && rest[0] !== each ? {} : undefined

function mergeIds(edit: Json | undefined, stored: Json, isShown: IsShown): Json | undefined {
  // There is no place for a second id, so the single hidden id stays.
  if (!Array.isArray(stored)) return stored
  const hidden = stored.filter((id: Json) => typeof id === 'string' && !isShown(id))
  const ids = Array.isArray(edit) ? edit : []
  const more = hidden.filter((id: Json) => !ids.includes(id))
  return [...ids.slice(0, Math.max(0, linkLimit - more.length)), ...more]
}

/** An item that the writer returns unchanged keeps its hidden ids, also at another index. */
function mergeItems(
  edit: readonly Json[],
  stored: readonly Json[],
  rest: readonly string[],
  isShown: IsShown,
): Json[] {
  const unmatched = stored.map((item) => ({ item, shown: visit(item, rest, isShown) ?? null }))
  return edit.map((item) => {
    const at = unmatched.findIndex(({ shown }) => same(item, shown))
    const [found] = at < 0 ? [] : unmatched.splice(at, 1)
    return found ? found.item : item
  })
}

const same = (one: Json | undefined, other: Json | undefined) => one === other || sameJson(one, other)
