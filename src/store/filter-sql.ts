// Compiles a filter to SQL with the meaning of core/match.ts: a property test holds the two side by side.
// Invariant: every test yields 0 or 1, never NULL, so that NOT means not.
import { canonicalTime, isDateOnly } from '../core/time.ts'
import type { Predicate, Scalar } from '../core/filter.ts'
import type { Kind } from '../core/kind.ts'
import type { SqlValue } from '../core/ports.ts'
import { type Fragment, isTimePath, type Place, placeOf } from './expression.ts'

const signs = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const
const yes: Fragment = { sql: '1', params: [] }
const no: Fragment = { sql: '0', params: [] }

/** A condition over `records r` and `facets f` that holds for the records of `kind` that satisfy `predicate`. */
export function filterSql(predicate: Predicate, kind: Kind | undefined): Fragment {
  switch (predicate.test) {
    case 'all':
      return join(predicate.of.map((part) => filterSql(part, kind)), ' AND ', yes)
    case 'any':
      return join(predicate.of.map((part) => filterSql(part, kind)), ' OR ', no)
    case 'not':
      return wrap('NOT ', filterSql(predicate.of, kind))
    case 'exists':
      return exists(placeOf(predicate.path, kind))
    case 'eq':
      return isTimePath(predicate.path, kind) ? sameTime(predicate, kind) : equals(placeOf(predicate.path, kind), predicate.value)
    case 'in':
      return isIn(placeOf(predicate.path, kind), predicate.values)
    case 'contains':
      return contains(placeOf(predicate.path, kind), predicate.value)
    default: {
      const time = isTimePath(predicate.path, kind)
      const value = time ? bound(predicate.value, predicate.test) : predicate.value
      return compare(placeOf(predicate.path, kind), signs[predicate.test], value)
    }
  }
}

function join(parts: readonly Fragment[], by: string, empty: Fragment): Fragment {
  if (parts.length === 0) return empty
  return { sql: `(${parts.map((part) => part.sql).join(by)})`, params: parts.flatMap((part) => part.params) }
}

function wrap(before: string, { sql, params }: Fragment): Fragment {
  return { sql: `(${before}${sql})`, params }
}

/** A test on a column that may be NULL, made two-valued. An index still serves the inner comparison. */
function column(place: Place & { at: 'column' }, test: string, params: readonly SqlValue[]): Fragment {
  const sql = `${place.sql} ${test}`
  return { sql: place.optional ? `(${place.sql} IS NOT NULL AND ${sql})` : sql, params }
}

function exists(place: Place): Fragment {
  if (place.at === 'column') return { sql: `(${place.sql} IS NOT NULL)`, params: [] }
  return { sql: '(json_type(r.body, ?) IS NOT NULL)', params: [place.jsonPath] }
}

function equals(place: Place, value: Scalar): Fragment {
  if (place.at === 'column') return value === null || !fits(place, value) ? no : column(place, '= ?', [toSql(value)])
  if (value === null || typeof value === 'boolean') {
    return { sql: "ifnull(json_type(r.body, ?) = ?, 0)", params: [place.jsonPath, String(value)] }
  }
  return typed(place.jsonPath, value, '= ?')
}

function compare(place: Place, sign: string, value: string | number): Fragment {
  if (place.at === 'column') return fits(place, value) ? column(place, `${sign} ?`, [value]) : no
  return typed(place.jsonPath, value, `${sign} ?`)
}

/** A comparison inside the JSON that holds only between values of one type. */
function typed(jsonPath: string, value: string | number, test: string): Fragment {
  const types = typeof value === 'string' ? "= 'text'" : "IN ('integer', 'real')"
  const sql = `(ifnull(json_type(r.body, ?) ${types}, 0) AND json_extract(r.body, ?) ${test})`
  return { sql, params: [jsonPath, jsonPath, value] }
}

function isIn(place: Place, values: readonly Scalar[]): Fragment {
  const single = values.filter((value) => value === null || typeof value === 'boolean')
  const parts = [...new Set(single)].map((value) => equals(place, value))
  for (const type of ['string', 'number'] as const) {
    const list = values.filter((value) => typeof value === type) as (string | number)[]
    if (list.length > 0) parts.push(among(place, list))
  }
  return join(parts, ' OR ', no)
}

function among(place: Place, list: readonly (string | number)[]): Fragment {
  const test = 'IN (SELECT value FROM json_each(?))'
  const json = JSON.stringify(list)
  if (place.at === 'column') return fits(place, list[0] ?? null) ? column(place, test, [json]) : no
  const { sql, params } = typed(place.jsonPath, list[0] ?? '', test)
  return { sql, params: [...params.slice(0, 2), json] }
}

function contains(place: Place, value: Scalar): Fragment {
  if (place.at === 'column') {
    return typeof value === 'string' && place.type === 'text' ? instr(place.sql, place.optional, value) : no
  }
  const { jsonPath } = place
  const item =
    value === null || typeof value === 'boolean'
      ? { sql: 'j.type = ?', params: [String(value)] }
      : { sql: `j.type ${typeof value === 'string' ? "= 'text'" : "IN ('integer', 'real')"} AND j.value = ?`, params: [value] }
  const inArray: Fragment = {
    sql: `(ifnull(json_type(r.body, ?) = 'array', 0) AND EXISTS (SELECT 1 FROM json_each(r.body, ?) j WHERE ${item.sql}))`,
    params: [jsonPath, jsonPath, ...item.params],
  }
  if (typeof value !== 'string') return inArray
  const inText: Fragment = {
    sql: "(ifnull(json_type(r.body, ?) = 'text', 0) AND instr(json_extract(r.body, ?), ?) > 0)",
    params: [jsonPath, jsonPath, value],
  }
  return join([inArray, inText], ' OR ', no)
}

function instr(sql: string, optional: boolean, value: string): Fragment {
  return { sql: optional ? `(${sql} IS NOT NULL AND instr(${sql}, ?) > 0)` : `instr(${sql}, ?) > 0`, params: [value] }
}

function fits(place: Place & { at: 'column' }, value: Scalar): boolean {
  return place.type === (typeof value === 'string' ? 'text' : typeof value)
}

function toSql(value: Exclude<Scalar, null>): SqlValue {
  return typeof value === 'boolean' ? (value ? 1 : 0) : value
}

/** Equality with an instant, or with any instant of a day. */
function sameTime(predicate: { path: string; value: Scalar }, kind: Kind | undefined): Fragment {
  const place = placeOf(predicate.path, kind)
  if (typeof predicate.value !== 'string' || !isDateOnly(predicate.value)) {
    return equals(place, typeof predicate.value === 'string' ? bound(predicate.value, 'gte') : predicate.value)
  }
  const edges = [compare(place, '>=', bound(predicate.value, 'gte')), compare(place, '<=', bound(predicate.value, 'lte'))]
  return join(edges, ' AND ', yes)
}

/** The canonical instant that a time filter compares with: a bare date means its first or its last millisecond. */
function bound<Value extends string | number>(value: Value, test: 'gt' | 'gte' | 'lt' | 'lte'): Value | string {
  if (typeof value !== 'string') return value
  if (isDateOnly(value) && (test === 'gt' || test === 'lte')) return `${value}T23:59:59.999Z`
  return canonicalTime(value) ?? value
}
