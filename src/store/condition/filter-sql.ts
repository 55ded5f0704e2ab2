// Compiles a filter to SQL with the meaning of core/filter/match.ts: a property test holds the two side by side.
// Invariant: every test yields 0 or 1, never NULL, so that NOT means not.
import type { Predicate, Scalar } from '../../core/filter/filter.ts'
import { type Moment, resolveTimes } from '../../core/filter/filter-time.ts'
import type { Kind } from '../../core/kind.ts'
import type { SqlValue } from '../../core/ports.ts'
import { type ColumnPlace, type Fragment, type JsonPlace, placeOf } from '../schema/column.ts'

const signs = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const
const yes: Fragment = { sql: '1', params: [] }
const no: Fragment = { sql: '0', params: [] }

/** A condition over `records r` and `facets f` that holds for the records of `kind` that satisfy `predicate`. */
export function filterSql(predicate: Predicate, kind: Kind | undefined, asked?: Asked): Fragment {
  return compile(resolveTimes(predicate, kind ?? asked?.kinds, asked?.moment), kind)
}

/** When and where it is asked, and about which kinds when it is not one alone. */
export interface Asked {
  readonly moment: Moment
  readonly kinds: readonly Kind[]
}

/** A test of one place. */
export type Test = Exclude<Predicate, { test: 'all' | 'any' | 'not' }>

function compile(predicate: Predicate, kind: Kind | undefined): Fragment {
  switch (predicate.test) {
    case 'all':
      return join(
        predicate.of.map((part) => compile(part, kind)),
        ' AND ',
        yes,
      )
    case 'any':
      return join(
        predicate.of.map((part) => compile(part, kind)),
        ' OR ',
        no,
      )
    case 'not': {
      const { sql, params } = compile(predicate.of, kind)
      return { sql: `(NOT ${sql})`, params }
    }
    default: {
      const place = placeOf(predicate.path, kind)
      return place.at === 'json' ? inJson(place, predicate) : inColumn(place, predicate)
    }
  }
}

function join(parts: readonly Fragment[], by: string, empty: Fragment): Fragment {
  if (parts.length === 0) return empty
  return { sql: `(${parts.map((part) => part.sql).join(by)})`, params: parts.flatMap((part) => part.params) }
}

function inColumn(place: ColumnPlace, predicate: Test): Fragment {
  const test = columnTest(place, predicate)
  if (!place.body || answersAlone(place, predicate)) return test
  const rest = inJson(place.body, predicate)
  return join([test, { sql: `(${place.sql} IS NULL AND ${rest.sql})`, params: rest.params }], ' OR ', no)
}

function fits({ type }: ColumnPlace, value: Scalar): boolean {
  return type === (typeof value === 'string' ? 'text' : typeof value)
}

/** True when what does not fit the column can't satisfy the predicate either. */
export function answersAlone(place: ColumnPlace, predicate: Test): boolean {
  if (predicate.test === 'exists' || predicate.test === 'contains') return false
  return predicate.test === 'in'
    ? predicate.values.every((value) => fits(place, value))
    : fits(place, predicate.value)
}

function columnTest(place: ColumnPlace, predicate: Test): Fragment {
  const { sql, type } = place
  switch (predicate.test) {
    case 'exists':
      return twoValued(place, '1', [])
    case 'contains':
      if (typeof predicate.value !== 'string' || type !== 'text') return no
      return twoValued(place, `instr(${sql}, ?) > 0`, [predicate.value])
    case 'in': {
      const list = predicate.values.filter((value) => fits(place, value))
      const values = type === 'text' ? 'value' : 'CAST(value AS REAL)'
      return list.length === 0
        ? no
        : twoValued(place, `${sql} IN (SELECT ${values} FROM json_each(?))`, [JSON.stringify(list)])
    }
    default: {
      const { value } = predicate
      if (!fits(place, value)) return no
      const sign = predicate.test === 'eq' ? '=' : signs[predicate.test]
      return twoValued(place, `${sql} ${sign} ?`, [typeof value === 'boolean' ? Number(value) : value])
    }
  }
}

/** A test on a column that may be NULL, made two-valued. An index still serves the inner comparison. */
function twoValued(
  { sql, optional, within }: ColumnPlace,
  test: string,
  params: readonly SqlValue[],
): Fragment {
  // Said of the whole column: it has an index of what is there.
  if (within !== undefined)
    return { sql: `(${within} IS NOT NULL AND ${sql} IS NOT NULL AND ${test})`, params }
  return { sql: optional ? `(${sql} IS NOT NULL AND ${test})` : `(${test})`, params }
}

// Inside the JSON: `t` is the type of what is found and `v` its value. Numbers are compared as doubles, as JavaScript
// knows them; to SQLite some integers differ that are equal to JavaScript.
const isNumber = "t IN ('integer', 'real')"

function inJson({ jsonPath }: JsonPlace, predicate: Test): Fragment {
  switch (predicate.test) {
    case 'exists':
      return { sql: '(json_type(r.body, ?) IS NOT NULL)', params: [jsonPath] }
    case 'eq':
      return found(jsonPath, isOne(predicate.value))
    case 'in':
      return found(jsonPath, isAmong(predicate.values))
    case 'contains':
      return contains(jsonPath, predicate.value)
    default: {
      const sign = signs[predicate.test]
      const test =
        typeof predicate.value === 'string'
          ? `t = 'text' AND v ${sign} ?`
          : `${isNumber} AND CAST(v AS REAL) ${sign} ?`
      return found(jsonPath, { sql: test, params: [predicate.value] })
    }
  }
}

function found(jsonPath: string, { sql, params }: Fragment): Fragment {
  const read =
    'SELECT json_type(r.body, place) AS t, json_extract(r.body, place) AS v FROM (SELECT ? AS place)'
  return { sql: `EXISTS (SELECT 1 FROM (${read}) WHERE ${sql})`, params: [jsonPath, ...params] }
}

/** A test that `v`, of JSON type `t`, is `value`. */
export function isOne(value: Scalar, operand = '?'): Fragment {
  if (value === null || typeof value === 'boolean') return { sql: `t = ${operand}`, params: [String(value)] }
  const test =
    typeof value === 'string'
      ? `t = 'text' AND v = ${operand}`
      : `${isNumber} AND CAST(v AS REAL) = ${operand}`
  return { sql: test, params: [value] }
}

function isAmong(values: readonly Scalar[]): Fragment {
  const single = new Set(values.filter((value) => value === null || typeof value === 'boolean'))
  const parts = [...single].map((value) => isOne(value))
  const texts = values.filter((value) => typeof value === 'string')
  if (texts.length > 0) {
    parts.push({
      sql: "(t = 'text' AND v IN (SELECT value FROM json_each(?)))",
      params: [JSON.stringify(texts)],
    })
  }
  const numbers = values.filter((value) => typeof value === 'number')
  if (numbers.length > 0) {
    const list = 'SELECT CAST(value AS REAL) FROM json_each(?)'
    parts.push({ sql: `(${isNumber} AND CAST(v AS REAL) IN (${list}))`, params: [JSON.stringify(numbers)] })
  }
  return join(parts, ' OR ', no)
}

function contains(jsonPath: string, value: Scalar): Fragment {
  const { sql: item, params } = isOne(value, 'wanted')
  const each = 'SELECT type AS t, value AS v FROM json_each(r.body, place)'
  const inArray = `json_type(r.body, place) = 'array' AND EXISTS (SELECT 1 FROM (${each}) WHERE ${item})`
  const inText = "json_type(r.body, place) = 'text' AND instr(json_extract(r.body, place), wanted) > 0"
  const either = typeof value === 'string' ? `(${inArray}) OR (${inText})` : inArray
  return {
    sql: `EXISTS (SELECT 1 FROM (SELECT ? AS place, ? AS wanted) WHERE ${either})`,
    params: [jsonPath, ...params],
  }
}
