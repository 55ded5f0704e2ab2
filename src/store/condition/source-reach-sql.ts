// The SQL condition over `facets f` and `records r` that all sources of a record are in reach, with the meaning of
// `isSourceInReach` in core/access/reach.ts, which a property test checks.
// A source out of reach closes the record: it is out of reach too.
// Invariant: the content of a token or policy is a bound parameter only, at most two for each level. In doubt a
// record is out of reach.
import { isByPolicy, isScoped, type Kind, type Kinds } from '../../core/kind.ts'
import { grantsOfKind, reachLevels, type Reach, reservedNames, seesAll } from '../../core/access/reach.ts'
import type { ScopePattern } from '../../core/access/scope.ts'
import type { Fragment } from '../schema/column.ts'
import { readableSql } from './governed-sql.ts'
import {
  firstSegmentSql,
  hasStars,
  multiNamedKindsSql,
  namesSql,
  patternRow,
  quoteKindName,
  starMatchSql,
} from './reach-list-sql.ts'

/**
 * Pseudo sources in the memory database of decrypted records, which lacks the records in clear. They stand for a
 * source that is not in that database, and for one that policies govern. No record has such an id.
 */
export const sourceElsewhere = '@elsewhere'
export const sourceByPolicy = '@by-policy'

/**
 * The column `sort` of the pattern rows: a pattern hides a source, shows it, or shows the sources of the records that
 * it grants; or a reserved name.
 */
const rowTypes = { deny: 0, allow: 1, grant: 2, reserved: 3 } as const

/** The condition that no source of the record is out of `reach`; undefined when no kind has sources. */
export function sourcesInReachSql(reach: Reach, kinds: Kinds): Fragment | undefined {
  const derivedKinds = [...kinds.values()].filter((kind) => kind.madeFrom && isScoped(kind))
  if (derivedKinds.length === 0) return undefined
  // The reach, and the wider ones from which it was narrowed: a source must be in each.
  const levels = reachLevels(reach)
  const isNarrow = !seesAll(reach)
  const patternRules = isNarrow ? patternRulesSql(levels, derivedKinds, kinds) : undefined
  const closedConditions = closedSourceConditions(reach, kinds)
  const isClosed = [...closedConditions, ...(patternRules ? [patternRules.isClosed] : [])]
  // `up` has the direct and indirect sources; `by`: the kind of the record that names the source. `!` begins the rows of
  // `sources` with a key in place of an id.
  return {
    sql: `(f.kind NOT IN (${kindNamesSql(derivedKinds)}) OR NOT EXISTS (
      WITH RECURSIVE ${patternRules ? `${patternRules.patterns}, ` : ''}up (id, by, granted) AS (
        SELECT s.source, s.kind, ${patternRules?.granted ?? 'NULL'} FROM sources s WHERE s.seq = f.seq AND s.source NOT GLOB '!*'
        UNION SELECT s.source, s.kind, up.granted FROM up JOIN records t ON t.id = up.id JOIN sources s ON s.seq = t.seq AND s.source NOT GLOB '!*')
      SELECT 1 FROM up LEFT JOIN records r ON r.id = up.id LEFT JOIN facets f ON f.seq = r.seq
      WHERE CASE WHEN f.seq IS NULL THEN ${missingSourceClosesSql(reach, isNarrow, kinds)}
        ELSE ${isClosed.map(({ sql }) => sql).join(' OR ')} END))`,
    params: [...(patternRules?.params ?? []), ...isClosed.flatMap(({ params }) => params)],
  }
}

const kindNamesSql = (kinds: readonly Kind[]) => kinds.map(({ name }) => quoteKindName(name)).join(', ')

/** SQL: true when a source that is not here in clear closes the record. */
function missingSourceClosesSql(reach: Reach, isNarrow: boolean, kinds: Kinds): string {
  if (isNarrow) return '1'
  const marks = [...kinds.values()].filter(({ madeFrom }) => madeFrom?.reachOnly)
  // Only the owner sees a mark without its record.
  const missingWithoutMark = `up.by IN (${kindNamesSql(marks)}) AND ifnull(r.deleted, up.id NOT IN ('${sourceElsewhere}', '${sourceByPolicy}'))`
  return `(${missingWithoutMark} OR ${mayBeGovernedSql(reach, kinds)})`
}

/** SQL: true when the source is, or may quote, a record that policies govern. */
function mayBeGovernedSql(reach: Reach, kinds: Kinds): string {
  if (reachLevels(reach).every(({ governed }) => !governed)) return '0'
  const byPolicy = [...kinds.values()].filter((kind) => kind.byPolicy)
  const quoting = [...kinds.values()].filter((kind) => kind.madeFrom && isByPolicy(kind, kinds))
  return `CASE WHEN r.seq IS NOT NULL THEN r.kind IN (${kindNamesSql(byPolicy)}) WHEN up.id = '${sourceElsewhere}' THEN 0
    ELSE up.id = '${sourceByPolicy}' OR up.by IN (${kindNamesSql(quoting)}) END`
}

/** The conditions that close a source whatever the patterns of the reach match. */
function closedSourceConditions(reach: Reach, kinds: Kinds): Fragment[] {
  const byPolicy = [...kinds.values()].filter((kind) => kind.byPolicy)
  const multiNamed = multiNamedKindsSql(kinds)
  const unnamed = `(f.kind IN (${multiNamed}) AND NOT EXISTS (SELECT 1 FROM scope_names n WHERE n.seq = f.seq))`
  const governed =
    byPolicy.length === 0 ? [] : reachLevels(reach).flatMap(({ governed: rules }) => rules ?? [])
  return [
    { sql: `f.kind NOT IN (${kindNamesSql([...kinds.values()].filter(isScoped))})`, params: [] },
    ...(multiNamed === '' ? [] : [{ sql: unnamed, params: [] }]),
    ...governed.map((rules) => {
      const { sql, params } = readableSql(rules, byPolicy)
      return { sql: `(f.kind IN (${kindNamesSql(byPolicy)}) AND NOT ${sql})`, params }
    }),
  ]
}

/**
 * SQL that applies the patterns of the reach to a source. `granted`: the levels that grant the record made from the
 * source; this SQL must be outside of the subquery whose `f` is the source.
 */
function patternRulesSql(levels: readonly Reach[], derivedKinds: readonly Kind[], kinds: Kinds) {
  const rows = levels.flatMap(({ allow, deny }, level) => {
    const granting = derivedKinds.flatMap(({ name }) => grantsOfKind(allow, name, kinds))
    const asRows = (patterns: readonly ScopePattern[], sort: number) =>
      patterns.filter(({ parts }) => parts.length > 0).map((pattern) => [...patternRow(pattern), level, sort])
    return [
      ...asRows(deny, rowTypes.deny),
      ...(allowsEverything(allow) ? [] : asRows(allow, rowTypes.allow)),
      ...(allowsEverything(allow) ? [] : asRows([...new Set(granting)], rowTypes.grant)),
    ]
  })
  // The first segment of a resource must not be one of these.
  const reserved = reservedNames(kinds).map((name) => [name, null, null, null, null, 0, rowTypes.reserved])
  // Each of these levels must allow the source, by its names or by a grant.
  const limited = levels.filter(({ allow }) => !allowsEverything(allow)).length
  const withSegments = levels.some(({ allow, deny }) => hasStars([...allow, ...deny]))
  const matches = (sort: number) => `FROM (${namesSql(kinds, withSegments)}) n JOIN p ON p.sort = ${sort}
    AND (n.name = p.text OR (n.name >= p.low AND n.name < p.high)${withSegments ? ` OR ${starMatchSql}` : ''})
    AND (NOT n.is_resource OR ${firstSegmentSql(withSegments)} NOT IN (SELECT text FROM p WHERE sort = ${rowTypes.reserved}))`
  return {
    patterns: `p AS MATERIALIZED (SELECT value ->> 0 AS text, value ->> 1 AS low, value ->> 2 AS high, value -> 3 AS parts,
        value ->> 4 AS rest, value ->> 5 AS level, value ->> 6 AS sort FROM json_each(?))`,
    granted: rows.some((row) => row.at(-1) === rowTypes.grant)
      ? `(SELECT json_group_array(DISTINCT p.level) ${matches(rowTypes.grant)})`
      : "'[]'",
    params: [JSON.stringify([...rows, ...reserved])],
    isClosed: {
      sql: `EXISTS (SELECT 1 ${matches(rowTypes.deny)})${
        limited === 0
          ? ''
          : ` OR (SELECT count(*) FROM (SELECT value AS level FROM json_each(up.granted) UNION SELECT p.level ${matches(rowTypes.allow)})) < ${limited}`
      }`,
      params: [],
    },
  }
}

const allowsEverything = (allow: readonly ScopePattern[]) => allow.some(({ parts }) => parts.length === 0)
