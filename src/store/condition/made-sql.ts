// The SQL condition over `facets f` and `records r` that all sources of a record are in reach, with the meaning of
// `isSourceInReach` in core/access/reach.ts, which a property test checks.
// Invariant: the content of a token or policy is a bound parameter only, at most two for each level. In doubt a
// record is out of reach.
import { isByPolicy, isScoped, type Kind, type Kinds } from '../../core/kind.ts'
import { grantsOfKind, reachLevels, type Reach, reservedNames, seesAll } from '../../core/access/reach.ts'
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
 * Pseudo sources in the memory database of decrypted records, which lacks the records in clear. They stand for a
 * source that is not in that database, and for one that policies govern. No record has such an id.
 */
export const sourceElsewhere = '@elsewhere'
export const sourceByPolicy = '@by-policy'

/**
 * Sorts of rows: a pattern hides a source, shows it, or shows the sources of the records it grants; or a reserved
 * name.
 */
const sorts = { deny: 0, allow: 1, grant: 2, reserved: 3 } as const

/** The condition that no source of the record is out of `reach`; undefined when no kind has sources. */
export function madeSql(reach: Reach, kinds: Kinds): Fragment | undefined {
  const made = [...kinds.values()].filter((kind) => kind.madeFrom && isScoped(kind))
  if (made.length === 0) return undefined
  const all = reachLevels(reach)
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

/** SQL: true when a source that is not here in clear closes the record. */
function doubtSql(reach: Reach, isNarrow: boolean, kinds: Kinds): string {
  if (isNarrow) return '1'
  const marks = [...kinds.values()].filter(({ madeFrom }) => madeFrom?.reachOnly)
  // Only the owner sees a mark without its record.
  const lone = `up.by IN (${namesOf(marks)}) AND ifnull(r.deleted, up.id NOT IN ('${sourceElsewhere}', '${sourceByPolicy}'))`
  return `(${lone} OR ${policySql(reach, kinds)})`
}

/** SQL: true when the source is, or may quote, a record that policies govern. */
function policySql(reach: Reach, kinds: Kinds): string {
  if (reachLevels(reach).every(({ governed }) => !governed)) return '0'
  const byPolicy = [...kinds.values()].filter((kind) => kind.byPolicy)
  const quoting = [...kinds.values()].filter((kind) => kind.madeFrom && isByPolicy(kind, kinds))
  return `CASE WHEN r.seq IS NOT NULL THEN r.kind IN (${namesOf(byPolicy)}) WHEN up.id = '${sourceElsewhere}' THEN 0
    ELSE up.id = '${sourceByPolicy}' OR up.by IN (${namesOf(quoting)}) END`
}

/** The conditions that close a source whatever the patterns of the reach match. */
function sourceSql(reach: Reach, kinds: Kinds): Fragment[] {
  const byPolicy = [...kinds.values()].filter((kind) => kind.byPolicy)
  const many = manyNamed(kinds)
  const unnamed = `(f.kind IN (${many}) AND NOT EXISTS (SELECT 1 FROM scope_names n WHERE n.seq = f.seq))`
  const governed = byPolicy.length === 0 ? [] : reachLevels(reach).flatMap(({ governed: one }) => one ?? [])
  return [
    { sql: `f.kind NOT IN (${namesOf([...kinds.values()].filter(isScoped))})`, params: [] },
    ...(many === '' ? [] : [{ sql: unnamed, params: [] }]),
    ...governed.map((one) => {
      const { sql, params } = readableSql(one, byPolicy)
      return { sql: `(f.kind IN (${namesOf(byPolicy)}) AND NOT ${sql})`, params }
    }),
  ]
}

/**
 * SQL that applies the patterns of the reach to a source. `granted`: the levels that grant the record made from the
 * source; this SQL must be outside of the subquery whose `f` is the source.
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
  // The first segment of a resource must not be one of these.
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
