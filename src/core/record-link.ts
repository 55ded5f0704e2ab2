// Links: ids of other records in a body (`links` of its kind), as shown to a reader who may not know every record.
// Invariants: only readers who may see a record see its id, and an id looks the same whether its record exists or not.
// Writing back a body with hidden ids loses none of them.
import { type Json, type JsonObject, isJsonObject, sameJson } from './json/path.ts'
import type { Kind } from './kind.ts'

/** True for the id of a record that the reader may see. */
export type IsShown = (id: string) => boolean

/** Step of a link path that matches every field of an object or every item of a list. */
const each = '*'

/** Most ids at one place; the shapes of bodies allow no more. */
const linkLimit = 1000

const pathsOf = (kind: Pick<Kind, 'links'> | undefined): readonly (readonly string[])[] =>
  (kind?.links ?? []).map((path) => path.split('.'))

/** Ids at the links of `body`, with repeats. */
export function linkedIds(kind: Pick<Kind, 'links'> | undefined, body: JsonObject): string[] {
  const found: string[] = []
  for (const path of pathsOf(kind))
    visit(body, path, (id) => {
      found.push(id)
      return true
    })
  return found
}

/** Returns `body` without the hidden ids; the same object if all are shown. */
export function withShownLinks<Body extends JsonObject>(
  kind: Pick<Kind, 'links'> | undefined,
  body: Body,
  isShown: IsShown,
): Body {
  return pathsOf(kind).reduce((rest, path) => visit(rest, path, isShown) as Body, body)
}

/** `value` with only those ids at the end of `path` that `isShown` accepts; undefined for a single hidden id. */
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
 * Returns `edit` with the ids that were hidden from its writer. The edit replaces `stored`; `isShown` is the writer's
 * view.
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
  // Nothing is hidden here, or the writer left it unchanged.
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

/** A parent that held hidden links only may be missing from the edit. */
const emptied = (before: Json, rest: readonly string[]): Json | undefined =>
  rest.length > 0 && isJsonObject(before) && rest[0] !== each ? {} : undefined

function mergeIds(edit: Json | undefined, stored: Json, isShown: IsShown): Json | undefined {
  // A single hidden id stays: another one can't stand beside it.
  if (!Array.isArray(stored)) return stored
  const hidden = stored.filter((id: Json) => typeof id === 'string' && !isShown(id))
  const ids = Array.isArray(edit) ? edit : []
  const more = hidden.filter((id: Json) => !ids.includes(id))
  return [...ids.slice(0, Math.max(0, linkLimit - more.length)), ...more]
}

/** An item that comes back unchanged keeps its hidden ids, at whatever index. */
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
