// Where SQLite begins to look for records of a kind.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clawKind, poolFactKind } from '../../../../src/commons/pool/pool-kind.ts'
import { parseFilters } from '../../../../src/core/filter/filter.ts'
import type { Kind } from '../../../../src/core/kind.ts'
import type { SqlDatabase, SqlRow } from '../../../../src/core/ports.ts'
import { filterSql, kindSql } from '../../../../src/store/condition/filter-sql.ts'
import { openTestEngine, type TestEngine } from '../../../support/test-engine.ts'

let engine: TestEngine['engine']
let db: SqlDatabase
beforeEach(() => {
  ;({ engine, db } = openTestEngine())
})
afterEach(() => engine.close())

/** The index by which the newest records are found that satisfy the filters. */
function indexFor(filters: object, kind: Kind = poolFactKind as Kind): string | undefined {
  const asked = parseFilters(filters)
  const parts = [kindSql(kind, asked), filterSql(asked, kind)]
  const plan = db.all<SqlRow & { readonly detail: string }>(
    `EXPLAIN QUERY PLAN SELECT f.seq FROM facets f JOIN records r ON r.seq = f.seq
     WHERE ${parts.map(({ sql }) => sql).join(' AND ')} ORDER BY f.happened_at DESC, f.seq DESC LIMIT 20`,
    parts.flatMap(({ params }) => params),
  )
  return plan.map(({ detail }) => /USING (?:COVERING )?INDEX (\w+)/.exec(detail)?.[1]).find(Boolean)
}

describe('records of a kind', () => {
  it.each([
    [{ fact: 'kf-1' }],
    [{ fact: { in: ['kf-1', 'kf-2'] } }],
    [{ and: [{ tags: { contains: 'ops' } }, { fact: 'kf-1' }] }],
  ])('are found by their name where that is asked for: %j', (filters) => {
    expect(indexFor(filters)).toBe('facets_name')
  })

  it('are gone through where their name is looked for in a column that many share: a claw is the actor of what it said', () => {
    expect(indexFor({ claw: { in: ['ada@ops', 'bob@ops'] } }, clawKind as Kind)).toBe('facets_happened')
  })

  it.each([[{}], [{ not: { fact: 'kf-1' } }], [{ or: [{ fact: 'kf-1' }, { tags: { contains: 'ops' } }] }]])(
    'are gone through from the newest on where any of them may do: %j',
    (filters) => {
      expect(indexFor(filters)).toBe('facets_happened')
    },
  )
})
