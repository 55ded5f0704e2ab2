// Compiles filters, JSONPath selections and kinds to SQL. A filter has the same meaning as in core/filter/match.ts,
// which a property test checks.
// Invariant: every test yields 0 or 1, never NULL, so that NOT negates it. Names and values are bound parameters
// only.
import type { Selection } from '../../core/capability/port/record-port.ts'
import { type Moment, resolveTimes } from '../../core/filter/filter-time.ts'
import type { Predicate, Scalar } from '../../core/filter/filter.ts'
import type { JsonStep } from '../../core/json/json-path.ts'
import type { Kind } from '../../core/kind.ts'
import type { SqlValue } from '../../core/ports.ts'
import { type ColumnPlace, fieldPlaceOf, type Fragment, type JsonPlace } from '../schema/column.ts'

const comparisonSigns = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const
const alwaysTrue: Fragment = { sql: '1', params: [] }
const alwaysFalse: Fragment = { sql: '0', params: [] }

/**
 * The condition over `records r` and `facets f` that a record of `kind` (undefined: any kind) satisfies `predicate`.
 */
export function filterSql(predicate: Predicate, kind: Kind | undefined, context?: FilterContext): Fragment {
  return compile(resolveTimes(predicate, kind ?? context?.kinds, context?.moment), kind)
}

/** Time and time zone of the question, and the kinds that a filter without `kind` applies to. */
export interface FilterContext {
  readonly moment: Moment
  readonly kinds: readonly Kind[]
}

/** A test of one field. */
export type FieldTest = Exclude<Predicate, { test: 'all' | 'any' | 'not' }>

function compile(predicate: Predicate, kind: Kind | undefined): Fragment {
  switch (predicate.test) {
    case 'all':
      return join(
        predicate.of.map((part) => compile(part, kind)),
        ' AND ',
        alwaysTrue,
      )
    case 'any':
      return join(
        predicate.of.map((part) => compile(part, kind)),
        ' OR ',
        alwaysFalse,
      )
    case 'not': {
      const { sql, params } = compile(predicate.of, kind)
      return { sql: `(NOT ${sql})`, params }
    }
    default: {
      const place = fieldPlaceOf(predicate.path, kind)
      return place.at === 'json' ? bodyTest(place, predicate) : columnOrBodyTest(place, predicate)
    }
  }
}

function join(parts: readonly Fragment[], separator: string, empty: Fragment): Fragment {
  if (parts.length === 0) return empty
  return {
    sql: `(${parts.map((part) => part.sql).join(separator)})`,
    params: parts.flatMap((part) => part.params),
  }
}

/**
 * The test of a hot column; for a value of another type, which the column lacks, also the test of the body.
 */
function columnOrBodyTest(place: ColumnPlace, predicate: FieldTest): Fragment {
  const test = columnTest(place, predicate)
  if (!place.body || isDecidedByColumn(place, predicate)) return test
  const rest = bodyTest(place.body, predicate)
  return join(
    [test, { sql: `(${place.sql} IS NULL AND ${rest.sql})`, params: rest.params }],
    ' OR ',
    alwaysFalse,
  )
}

function hasColumnType({ type }: ColumnPlace, value: Scalar): boolean {
  return type === (typeof value === 'string' ? 'text' : typeof value)
}

/** True when the column alone decides `predicate`, because only values of the column's type can satisfy it. */
export function isDecidedByColumn(place: ColumnPlace, predicate: FieldTest): boolean {
  if (predicate.test === 'exists' || predicate.test === 'contains') return false
  return predicate.test === 'in'
    ? predicate.values.every((value) => hasColumnType(place, value))
    : hasColumnType(place, predicate.value)
}

function columnTest(place: ColumnPlace, predicate: FieldTest): Fragment {
  const { sql, type } = place
  switch (predicate.test) {
    case 'exists':
      return twoValued(place, '1', [])
    case 'contains':
      if (typeof predicate.value !== 'string' || type !== 'text') return alwaysFalse
      return twoValued(place, `instr(${sql}, ?) > 0`, [predicate.value])
    case 'in': {
      const list = predicate.values.filter((value) => hasColumnType(place, value))
      const values = type === 'text' ? 'value' : 'CAST(value AS REAL)'
      return list.length === 0
        ? alwaysFalse
        : twoValued(place, `${sql} IN (SELECT ${values} FROM json_each(?))`, [JSON.stringify(list)])
    }
    default: {
      const { value } = predicate
      if (!hasColumnType(place, value)) return alwaysFalse
      const sign = predicate.test === 'eq' ? '=' : comparisonSigns[predicate.test]
      return twoValued(place, `${sql} ${sign} ?`, [typeof value === 'boolean' ? Number(value) : value])
    }
  }
}

/** Makes a test of a column that may be NULL yield 0 or 1. An index still serves the inner comparison. */
function twoValued(
  { sql, optional, jsonColumn }: ColumnPlace,
  test: string,
  params: readonly SqlValue[],
): Fragment {
  // Test the whole column too, so that SQLite can use its partial index.
  if (jsonColumn !== undefined)
    return { sql: `(${jsonColumn} IS NOT NULL AND ${sql} IS NOT NULL AND ${test})`, params }
  return { sql: optional ? `(${sql} IS NOT NULL AND ${test})` : `(${test})`, params }
}

// In the SQL below, `t` is the JSON type of a value and `v` the value. Numbers compare as doubles, like in
// JavaScript, where some large integers are equal that differ in SQLite.
const isNumber = "t IN ('integer', 'real')"

function bodyTest({ jsonPath }: JsonPlace, predicate: FieldTest): Fragment {
  switch (predicate.test) {
    case 'exists':
      return { sql: '(json_type(r.body, ?) IS NOT NULL)', params: [jsonPath] }
    case 'eq':
      return testAtPath(jsonPath, equalsSql(predicate.value))
    case 'in':
      return testAtPath(jsonPath, equalsOneOfSql(predicate.values))
    case 'contains':
      return containsSql(jsonPath, predicate.value)
    default: {
      const sign = comparisonSigns[predicate.test]
      const test =
        typeof predicate.value === 'string'
          ? `t = 'text' AND v ${sign} ?`
          : `${isNumber} AND CAST(v AS REAL) ${sign} ?`
      return testAtPath(jsonPath, { sql: test, params: [predicate.value] })
    }
  }
}

function testAtPath(jsonPath: string, { sql, params }: Fragment): Fragment {
  const read =
    'SELECT json_type(r.body, place) AS t, json_extract(r.body, place) AS v FROM (SELECT ? AS place)'
  return { sql: `EXISTS (SELECT 1 FROM (${read}) WHERE ${sql})`, params: [jsonPath, ...params] }
}

/** The test that `v`, of JSON type `t`, equals `value`. `operand`: the SQL of the value; default a parameter. */
export function equalsSql(value: Scalar, operand = '?'): Fragment {
  if (value === null || typeof value === 'boolean') return { sql: `t = ${operand}`, params: [String(value)] }
  const test =
    typeof value === 'string'
      ? `t = 'text' AND v = ${operand}`
      : `${isNumber} AND CAST(v AS REAL) = ${operand}`
  return { sql: test, params: [value] }
}

function equalsOneOfSql(values: readonly Scalar[]): Fragment {
  const single = new Set(values.filter((value) => value === null || typeof value === 'boolean'))
  const parts = [...single].map((value) => equalsSql(value))
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
  return join(parts, ' OR ', alwaysFalse)
}

function containsSql(jsonPath: string, value: Scalar): Fragment {
  const { sql: item, params } = equalsSql(value, 'wanted')
  const each = 'SELECT type AS t, value AS v FROM json_each(r.body, place)'
  const inArray = `json_type(r.body, place) = 'array' AND EXISTS (SELECT 1 FROM (${each}) WHERE ${item})`
  const inText = "json_type(r.body, place) = 'text' AND instr(json_extract(r.body, place), wanted) > 0"
  const either = typeof value === 'string' ? `(${inArray}) OR (${inText})` : inArray
  return {
    sql: `EXISTS (SELECT 1 FROM (SELECT ? AS place, ? AS wanted) WHERE ${either})`,
    params: [jsonPath, ...params],
  }
}

/** The condition over `records r` that the body has a value at `steps`; with `value`, one that equals it. */
export function selectionSql({ steps, value }: Selection): Fragment {
  const paths = pathsBetweenWildcards(steps)
  const params: SqlValue[] = []
  // Each wildcard adds a table: the children at the place of the steps before it.
  const tables = paths.slice(0, -1).map((path, i) => {
    params.push(path)
    return `(SELECT ? AS place) p${i} JOIN json_each(CASE WHEN json_type(${documentOf(i)}, p${i}.place)
      IN ('array', 'object') THEN json_extract(${documentOf(i)}, p${i}.place) ELSE '[]' END) c${i}`
  })
  const last = paths.length - 1
  const document = documentOf(last)
  const path = paths[last] ?? '$'
  const test: Fragment = value === undefined ? { sql: 't IS NOT NULL', params: [] } : equalsSql(value)
  // After a last wildcard, compare the children directly: to make a document of each costs four times as much.
  const isChild = last > 0 && path === '$'
  if (!isChild) params.push(path)
  const found = isChild
    ? `SELECT c${last - 1}.type AS t, c${last - 1}.value AS v`
    : `SELECT json_type(${document}, e.place) AS t, json_extract(${document}, e.place) AS v`
  const from = [...tables, ...(isChild ? [] : ['(SELECT ? AS place) e'])].join(' JOIN ')
  return {
    sql: `EXISTS (SELECT 1 FROM (${found} FROM ${from}) WHERE ${test.sql})`,
    params: [...params, ...test.params],
  }
}

/** SQL of the document in which part `i` of a path begins: the body, or the child of the wildcard before it. */
const documentOf = (i: number): string =>
  i === 0 ? 'r.body' : `CASE WHEN c${i - 1}.type IN ('array', 'object') THEN c${i - 1}.value END`

/** The paths between the wildcards. A path after a wildcard begins in the child. */
function pathsBetweenWildcards(steps: readonly JsonStep[]): string[] {
  const paths = ['$']
  for (const step of steps) {
    if (step.step === 'children') paths.push('$')
    else paths[paths.length - 1] += jsonPathStep(step)
  }
  return paths
}

function jsonPathStep(step: Exclude<JsonStep, { step: 'children' }>): string {
  if (step.step === 'member') return `."${step.name}"`
  return step.index < 0 ? `[#${step.index}]` : `[${step.index}]`
}

/**
 * The condition of a kind. For a filter by name it adds a plus, which disables the indexes by kind: without
 * statistics SQLite would choose one to avoid a sort, and scan the whole kind for one record.
 */
export function kindSql(kind: Kind, predicate: Predicate): Fragment {
  const { name, facets } = kind
  const isNamed =
    facets.name !== undefined && isNameColumn(facets.name, kind) && selectsByText(predicate, facets.name)
  return { sql: isNamed ? '+f.kind = ?' : 'f.kind = ?', params: [name] }
}

/**
 * True when `path` is in the column `name`. The name of a claw is in the column `actor`, which has many equal
 * values.
 */
function isNameColumn(path: string, kind: Kind): boolean {
  const place = fieldPlaceOf(path, kind)
  return place.at === 'column' && place.sql === 'f.name'
}

/** True when only records with given texts at `path` satisfy `predicate`. */
function selectsByText(predicate: Predicate, path: string): boolean {
  switch (predicate.test) {
    case 'all':
      return predicate.of.some((part) => selectsByText(part, path))
    case 'eq':
      return predicate.path === path && typeof predicate.value === 'string'
    case 'in':
      return predicate.path === path && predicate.values.every((value) => typeof value === 'string')
    default:
      return false
  }
}
