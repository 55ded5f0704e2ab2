// What was made from other records is in reach where all of those are: as a condition of SQL over `facets f` and `records r`,
// with the meaning of `isSourceInReach` in core/access/reach.ts, which a property test holds beside it.
// Invariant: what a token or a policy says only ever becomes a bound parameter, and there are at most two for each level, however
// many patterns there are; and in doubt the answer is no.
import { isByPolicy, isScoped, type Kind, type Kinds } from '../../core/kind.ts'
import { grantsOfKind, levels, type Reach, reservedNames, seesAll } from '../../core/access/reach.ts'
import type { ScopePattern } from '../../core/access/scope.ts'
import type { Fragment } from '../schema/column.ts'
import { readableSql } from './governed-sql.ts'
import {
  firstSegment,
  hasStars,
  manyNamed,
  namesSql,
  patternRow,
  quote,
  starMatch,
} from './reach-list-sql.ts'

/**
 * In a database of sealed records that were opened, which has none of those in clear: stand among the sources of a record
 * for those that are not in it, and for those of them that policies decide about. No record has such an id.
 */
export const sourceElsewhere = '@elsewhere'
export const sourceByPolicy = '@by-policy'

/** What a pattern does: lets a source be seen, keeps it, or lets what was made be seen with all of its sources. */
const sorts = { deny: 0, allow: 1, grant: 2, reserved: 3 } as const

/** The condition that no source of the record is out of `reach`; undefined where no kind is made from others. */
export function madeSql(reach: Reach, kinds: Kinds): Fragment | undefined {
  const made = [...kinds.values()].filter((kind) => kind.madeFrom && isScoped(kind))
  if (made.length === 0) return undefined
  const all = levels(reach)
  const isNarrow = !seesAll(reach)
  const named = isNarrow ? namedSql(all, made, kinds) : undefined
  const closed = sourceSql(reach, kinds)
  const isClosed = [...closed, ...(named ? [named.isClosed] : [])]
  return {
    sql: `(f.kind NOT IN (${namesOf(made)}) OR NOT EXISTS (
      WITH RECURSIVE ${named ? `${named.patterns}, ` : ''}up (id, by, granted) AS (
        SELECT s.source, s.kind, ${named?.granted ?? 'NULL'} FROM sources s WHERE s.seq = f.seq AND s.source NOT GLOB '!*'
        UNION SELECT s.source, s.kind, up.granted FROM up JOIN records t ON t.id = up.id JOIN sources s ON s.seq = t.seq AND s.source NOT GLOB '!*')
      SELECT 1 FROM up LEFT JOIN records r ON r.id = up.id LEFT JOIN facets f ON f.seq = r.seq
      WHERE CASE WHEN f.seq IS NULL THEN ${doubtSql(reach, isNarrow, kinds)}
        ELSE ${isClosed.map(({ sql }) => sql).join(' OR ')} END))`,
    params: [...(named?.params ?? []), ...isClosed.flatMap(({ params }) => params)],
  }
}

const namesOf = (kinds: readonly Kind[]) => kinds.map(({ name }) => quote(name)).join(', ')

/** Whether a source that is not here in clear closes what was made from it. */
function doubtSql(reach: Reach, isNarrow: boolean, kinds: Kinds): string {
  if (isNarrow) return '1'
  const marks = [...kinds.values()].filter(({ madeFrom }) => madeFrom?.reachOnly)
  // A mark is the owner's alone while there is no record that it is of.
  const lone = `up.by IN (${namesOf(marks)}) AND ifnull(r.deleted, up.id NOT IN ('${sourceElsewhere}', '${sourceByPolicy}'))`
  return `(${lone} OR ${policySql(reach, kinds)})`
}

/** Whether it is, or may quote, what policies decide about. */
function policySql(reach: Reach, kinds: Kinds): string {
  if (levels(reach).every(({ governed }) => !governed)) return '0'
  const asked = [...kinds.values()].filter(({ byPolicy }) => byPolicy)
  const quoting = [...kinds.values()].filter((kind) => kind.madeFrom && isByPolicy(kind, kinds))
  return `CASE WHEN r.seq IS NOT NULL THEN r.kind IN (${namesOf(asked)}) WHEN up.id = '${sourceElsewhere}' THEN 0
    ELSE up.id = '${sourceByPolicy}' OR up.by IN (${namesOf(quoting)}) END`
}

/** What closes a source whatever the patterns of the reach say. */
function sourceSql(reach: Reach, kinds: Kinds): Fragment[] {
  const asked = [...kinds.values()].filter(({ byPolicy }) => byPolicy)
  const many = manyNamed(kinds)
  const unnamed = `(f.kind IN (${many}) AND NOT EXISTS (SELECT 1 FROM scope_names n WHERE n.seq = f.seq))`
  const governed = asked.length === 0 ? [] : levels(reach).flatMap(({ governed: one }) => one ?? [])
  return [
    { sql: `f.kind NOT IN (${namesOf([...kinds.values()].filter(isScoped))})`, params: [] },
    ...(many === '' ? [] : [{ sql: unnamed, params: [] }]),
    ...governed.map((one) => {
      const { sql, params } = readableSql(one, asked)
      return { sql: `(f.kind IN (${namesOf(asked)}) AND NOT ${sql})`, params }
    }),
  ]
}

/**
 * What the patterns of the reach say of a source. `granted`: the levels that grant what was made from it, which is counted where
 * that is the outer `f`; a table of its own would be read where the inner one hides it.
 */
function namedSql(all: readonly Reach[], made: readonly Kind[], kinds: Kinds) {
  const rows = all.flatMap(({ allow, deny }, level) => {
    const granting = made.flatMap(({ name }) => grantsOfKind(allow, name, kinds))
    const asRows = (patterns: readonly ScopePattern[], sort: number) =>
      patterns.filter(({ parts }) => parts.length > 0).map((one) => [...patternRow(one), level, sort])
    return [
      ...asRows(deny, sorts.deny),
      ...(isWhole(allow) ? [] : asRows(allow, sorts.allow)),
      ...(isWhole(allow) ? [] : asRows([...new Set(granting)], sorts.grant)),
    ]
  })
  // No resource is named by one of these.
  const reserved = reservedNames(kinds).map((name) => [name, null, null, null, null, 0, sorts.reserved])
  const limited = all.filter(({ allow }) => !isWhole(allow)).length
  const stars = all.some(({ allow, deny }) => hasStars([...allow, ...deny]))
  const matches = (sort: number) => `FROM (${namesSql(kinds, stars)}) n JOIN p ON p.sort = ${sort}
    AND (n.name = p.text OR (n.name >= p.low AND n.name < p.high)${stars ? ` OR ${starMatch}` : ''})
    AND (NOT n.is_resource OR ${firstSegment(stars)} NOT IN (SELECT text FROM p WHERE sort = ${sorts.reserved}))`
  return {
    patterns: `p AS MATERIALIZED (SELECT value ->> 0 AS text, value ->> 1 AS low, value ->> 2 AS high, value -> 3 AS parts,
        value ->> 4 AS rest, value ->> 5 AS level, value ->> 6 AS sort FROM json_each(?))`,
    granted: rows.some((row) => row.at(-1) === sorts.grant)
      ? `(SELECT json_group_array(DISTINCT p.level) ${matches(sorts.grant)})`
      : "'[]'",
    params: [JSON.stringify([...rows, ...reserved])],
    isClosed: {
      sql: `EXISTS (SELECT 1 ${matches(sorts.deny)})${
        limited === 0
          ? ''
          : ` OR (SELECT count(*) FROM (SELECT value AS level FROM json_each(up.granted) UNION SELECT p.level ${matches(sorts.allow)})) < ${limited}`
      }`,
      params: [],
    },
  }
}

const isWhole = (allow: readonly ScopePattern[]) => allow.some(({ parts }) => parts.length === 0)
