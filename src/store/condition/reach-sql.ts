// A reach as a SQL condition over `facets f` and `records r`, with the meaning of core/access/reach.ts, which a
// property test checks.
// Invariant: the content of a token is a bound parameter only. In doubt a record is out of reach.
import {
  isScoped,
  type Kind,
  type Kinds,
  openPrefixes,
  type ScopeFacet,
  scopePrefix,
} from '../../core/kind.ts'
import { reachLevels, type Reach, reservedNames } from '../../core/access/reach.ts'
import type { ScopePattern } from '../../core/access/scope.ts'
import type { Fragment } from '../schema/column.ts'
import { governedSql } from './governed-sql.ts'
import {
  join,
  multiNamedKindsSql,
  alwaysFalse,
  patternsSql,
  quoteKindName,
  segmentsSql,
  alwaysTrue,
} from './reach-list-sql.ts'

/** A pattern, or the rest of one: its segments and separators in turn, and the separator before a final `**`. */
type Suffix = Pick<ScopePattern, 'parts' | 'rest'>

/**
 * The condition that a record of one of `kinds` is in `reach` by itself; source-reach-sql.ts checks its sources. `kind`: the
 * query is for this kind only, so most tests are left out.
 */
export function reachSql(reach: Reach, kinds: Kinds, kind?: Kind): Fragment {
  // The reach, and the wider ones from which it was narrowed: a record must be in each.
  const levels = reachLevels(reach)
  const byColumn = fitsColumns(levels, kinds)
  const bounds = levels.map((level) => levelSql(level, kinds, byColumn))
  return join([kindsSql(reach, kinds, kind), ...bounds], ' AND ')
}

/**
 * The conditions by kind that come besides the patterns. Most kinds need only one test. An unknown kind is out of
 * reach.
 */
function kindsSql(reach: Reach, kinds: Kinds, kind: Kind | undefined): Fragment {
  const scoped = [...kinds.values()].filter(isScoped)
  const isUnconditional = ({ scopeNames, byPolicy }: Kind) => !scopeNames && !byPolicy
  const inKinds = (listedKinds: readonly Kind[]): Fragment => ({
    sql: `f.kind IN (${listedKinds.map(({ name }) => quoteKindName(name)).join(', ')})`,
    params: [],
  })
  const unconditional = inKinds(scoped.filter(isUnconditional))
  if (kind && isUnconditional(kind)) return unconditional
  const multiNamed = multiNamedKindsSql(kinds)
  // A record of a kind with several names is out of reach when it has none.
  const named: Fragment = {
    sql: `(f.kind NOT IN (${multiNamed}) OR EXISTS (SELECT 1 FROM scope_names n WHERE n.seq = f.seq))`,
    params: [],
  }
  const consents = reachLevels(reach).flatMap(
    ({ governed }) => (governed && governedSql(governed, kinds)) ?? [],
  )
  const extraConditions = [...(multiNamed === '' ? [] : [named]), ...consents]
  const conditional = join(
    [inKinds(scoped.filter((kind) => !isUnconditional(kind))), ...extraConditions],
    ' AND ',
  )
  return join([unconditional, conditional], ' OR ')
}

/**
 * Most parameters of a reach by columns. Some hosts bind at most 100 to a query, which may repeat a reach four
 * times.
 */
const maxColumnParams = 12

/** True for few patterns: they become conditions on columns, which an index may serve. Many are compared by name. */
function fitsColumns(levels: readonly Reach[], kinds: Kinds): boolean {
  const patterns = levels.flatMap(({ allow, deny }) => [...allow, ...deny])
  const count = patterns.reduce((sum, pattern) => sum + patternSql(pattern, kinds).params.length, 0)
  return patterns.length === 1 || count <= maxColumnParams
}

/** The condition that one level allows the record and does not deny it. `byColumn`: see `fitsColumns`. */
function levelSql({ allow, deny }: Reach, kinds: Kinds, byColumn: boolean): Fragment {
  const anyOf = (patterns: readonly ScopePattern[]): Fragment => {
    if (patterns.length === 0) return alwaysFalse
    if (patterns.some(({ parts }) => parts.length === 0)) return alwaysTrue
    if (!byColumn) return patternsSql(patterns, kinds)
    return join(
      patterns.map((pattern) => patternSql(pattern, kinds)),
      ' OR ',
    )
  }
  const allowed = anyOf(allow)
  if (deny.length === 0) return allowed
  const denied = anyOf(deny)
  // A condition on a column without a value is NULL. Then the record has no such name, so it is not denied.
  return {
    sql: `(${allowed.sql} AND NOT ifnull(${denied.sql}, 0))`,
    params: [...allowed.params, ...denied.params],
  }
}

function patternSql(scope: ScopePattern, kinds: Kinds): Fragment {
  const [first] = scope.parts
  if (first === undefined) return alwaysTrue
  const byColumn = first === '*' ? starPatternSql(scope, kinds) : firstSegmentPatternSql(first, scope, kinds)
  const multiNamed = [...kinds.values()].filter(({ scopeNames }) => scopeNames)
  const mayMatchMultiNamed =
    first === '*' || openPrefixes.includes(first) || multiNamed.some((kind) => scopePrefix(kind) === first)
  if (multiNamed.length === 0 || !mayMatchMultiNamed) return byColumn
  const name = matchesColumn('n.name', scope)
  const byScopeName: Fragment = {
    sql: `(f.kind IN (${multiNamedKindsSql(kinds)}) AND EXISTS (SELECT 1 FROM scope_names n WHERE n.seq = f.seq AND ${name.sql}))`,
    params: name.params,
  }
  return join([byColumn, byScopeName], ' OR ')
}

/** A pattern whose first segment determines the column of the rest. */
function firstSegmentPatternSql(first: string, scope: ScopePattern, kinds: Kinds): Fragment {
  const matchingKinds = [...kinds.values()].filter((kind) => !kind.scopeNames && scopePrefix(kind) === first)
  if (matchingKinds.length > 0) {
    const each = matchingKinds.map((kind) => {
      const ofKind = { sql: 'f.kind = ?', params: [kind.name] }
      const column = kind.scopedBy && facetColumn(kind, kind.scopedBy)
      return join([ofKind, matchesAfterFirstSegment(column ?? 'NULL', scope, true)], ' AND ')
    })
    return join(each, ' OR ')
  }
  if (first === 'agent') return matchesAfterFirstSegment('r.agent', scope, false)
  if (first === 'session') return matchesAfterFirstSegment('r.session', scope, false)
  // A reserved first segment without a column matches no record.
  return reservedNames(kinds).includes(first) ? alwaysFalse : matchesColumn('r.resource', scope)
}

/** A pattern that begins with `*`: it may match any name of a record. */
function starPatternSql(scope: ScopePattern, kinds: Kinds): Fragment {
  const multiNamed = multiNamedKindsSql(kinds)
  const cases = [...kinds.values()].flatMap((kind) => {
    const column = kind.scopedBy && facetColumn(kind, kind.scopedBy)
    return column ? [{ kind, column }] : []
  })
  const qualifier =
    cases.length === 0
      ? 'NULL'
      : `CASE f.kind ${cases.map(({ column }) => `WHEN ? THEN ${column}`).join(' ')} END`
  // Select the column once, as `q`, because the condition repeats it.
  const ofKind = matchesAfterFirstSegment('q', scope, true)
  const names = cases.map(({ kind }) => kind.name)
  const reserved = reservedNames(kinds)
  const isSingleNamed = multiNamed === '' ? '' : `f.kind NOT IN (${multiNamed}) AND `
  return join(
    [
      {
        sql: `(${isSingleNamed}EXISTS (SELECT 1 FROM (SELECT ${qualifier} AS q) WHERE ${ofKind.sql}))`,
        params: [...names, ...ofKind.params],
      },
      matchesAfterFirstSegment('r.agent', scope, false),
      matchesAfterFirstSegment('r.session', scope, false),
      join(
        [
          matchesColumn('r.resource', scope),
          {
            sql: `json_extract(${segmentsSql('r.resource')}, '$[0]') NOT IN (SELECT value FROM json_each(?))`,
            params: [JSON.stringify(reserved)],
          },
        ],
        ' AND ',
      ),
    ],
    ' OR ',
  )
}

function facetColumn(kind: Kind, facet: ScopeFacet): string | undefined {
  return kind.facets[facet] === undefined ? undefined : `f.${facet}`
}

/**
 * The condition that `column`, which has a name without its first segment and colon, matches the rest of a pattern.
 * `mayBeBare`: when the column is NULL, the name is the first segment only; otherwise the record has no such name.
 */
function matchesAfterFirstSegment(column: string, { parts, rest }: Suffix, mayBeBare: boolean): Fragment {
  const bare = mayBeBare ? { sql: `${column} IS NULL`, params: [] } : alwaysFalse
  if (parts.length === 1) {
    if (rest !== ':') return bare
    return mayBeBare ? alwaysTrue : { sql: `${column} IS NOT NULL`, params: [] }
  }
  return parts[1] === ':' ? matchesColumn(column, { parts: parts.slice(2), rest }) : alwaysFalse
}

/** The pattern matches the text in `column`. */
function matchesColumn(column: string, { parts, rest }: Suffix): Fragment {
  if (parts.includes('*')) return matchesSegments(column, { parts, rest })
  const text = parts.join('')
  const exact: Fragment = { sql: `${column} = ?`, params: [text] }
  if (rest === undefined) return exact
  // `;` follows `:`, and `/` follows `.`: the range contains exactly the texts with this prefix.
  const range = {
    sql: `(${column} >= ? AND ${column} < ?)`,
    params: [`${text}${rest}`, `${text}${rest === ':' ? ';' : '/'}`],
  }
  return join([exact, range], ' OR ')
}

/** The pattern, which has a `*`, matches the text in `column`. In the SQL, `a` is the list of the text's segments. */
function matchesSegments(column: string, { parts, rest }: Suffix): Fragment {
  // A segment has an even index, a separator an odd one.
  const tests: Fragment[] = parts.flatMap((part, i) =>
    part === '*' && i % 2 === 0 ? [] : [{ sql: 'json_extract(a, ?) = ?', params: [`$[${i}]`, part] }],
  )
  const length = { sql: 'json_array_length(a) = ?', params: [parts.length] }
  const beyond = { sql: 'json_extract(a, ?) = ?', params: [`$[${parts.length}]`, rest ?? ''] }
  const all = join([...tests, rest === undefined ? length : join([length, beyond], ' OR ')], ' AND ')
  return {
    sql: `(${column} IS NOT NULL AND EXISTS (SELECT 1 FROM (SELECT ${segmentsSql(column)} AS a) WHERE ${all.sql}
      AND json_array_length(a) >= ?))`,
    params: [...all.params, parts.length],
  }
}
