// Compiles a JSONPath to SQL over the JSON of a record: a table of the places it selects, at most one row is needed.
// Invariant: SQLite follows the path itself; names and values only ever become bound parameters.
import type { Selection } from '../../core/capability/port/record-port.ts'
import type { JsonStep } from '../../core/json/json-path.ts'
import type { SqlValue } from '../../core/ports.ts'
import type { Fragment } from '../schema/column.ts'
import { isOne } from './filter-sql.ts'

/** A condition on `records r` that the body has something at the steps, equal to `value` when one is given. */
export function selectionSql({ steps, value }: Selection): Fragment {
  const parts = partsOf(steps)
  const params: SqlValue[] = []
  // Each wildcard is one more table of children, made from the place that the steps before it lead to.
  const tables = parts.slice(0, -1).map((path, i) => {
    params.push(path)
    return `(SELECT ? AS place) p${i} JOIN json_each(CASE WHEN json_type(${documentOf(i)}, p${i}.place)
      IN ('array', 'object') THEN json_extract(${documentOf(i)}, p${i}.place) ELSE '[]' END) c${i}`
  })
  const last = parts.length - 1
  const document = documentOf(last)
  const path = parts[last] ?? '$'
  const test: Fragment = value === undefined ? { sql: 't IS NOT NULL', params: [] } : isOne(value)
  // A child that is itself looked for is compared as it lies there: making a document of each costs four times as much.
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

/** The document in which the `i`th part of a path begins: the body, then each child that has something in it. */
const documentOf = (i: number): string =>
  i === 0 ? 'r.body' : `CASE WHEN c${i - 1}.type IN ('array', 'object') THEN c${i - 1}.value END`

/** Paths between the wildcards. Those after one begin in the child. */
function partsOf(steps: readonly JsonStep[]): string[] {
  const parts = ['$']
  for (const step of steps) {
    if (step.step === 'children') parts.push('$')
    else parts[parts.length - 1] += written(step)
  }
  return parts
}

function written(step: Exclude<JsonStep, { step: 'children' }>): string {
  if (step.step === 'member') return `."${step.name}"`
  return step.index < 0 ? `[#${step.index}]` : `[${step.index}]`
}
