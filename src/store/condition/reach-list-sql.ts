// Many patterns of a reach as one condition over `facets f` and `records r`: it compares every name of the
// record with every pattern. All patterns together take two bound parameters, because some hosts bind at most
// 100 to a query. Names of a record: those of `scopeNames` or `scopedBy` of its kind (core/kind.ts), of its
// agent, session and resource.
// Invariant: only names of declared kinds become SQL; the content of a token is a parameter.
import { reservedNames } from '../../core/access/reach.ts'
import { isConcrete, type ScopePattern } from '../../core/access/scope.ts'
import { type Kinds, scopePrefix } from '../../core/kind.ts'
import type { Fragment } from '../schema/column.ts'

/** The condition that a pattern matches one of the record's names. `patterns` must not include `**`. */
export function patternsSql(patterns: readonly ScopePattern[], kinds: Kinds): Fragment {
  const exact = patterns.filter(isConcrete).map(({ text }) => text)
  const wildcardPatterns = patterns.filter((pattern) => !isConcrete(pattern))
  const reserved = reservedNames(kinds).map(quoteKindName).join(', ')
  const stars = hasStars(wildcardPatterns)
  const matches = [
    ...(exact.length > 0 ? ['n.name IN (SELECT value FROM json_each(?))'] : []),
    ...(wildcardPatterns.length > 0 ? [wildcardsSql(wildcardPatterns)] : []),
  ]
  return {
    sql: `EXISTS (SELECT 1 FROM (${namesSql(kinds, stars)}) n WHERE (${matches.join(' OR ')})
      AND (NOT n.is_resource OR ${firstSegmentSql(stars)} NOT IN (${reserved})))`,
    params: [
      ...(exact.length > 0 ? [JSON.stringify(exact)] : []),
      ...(wildcardPatterns.length > 0 ? [JSON.stringify(wildcardPatterns.map(wildcardRow))] : []),
    ],
  }
}

/** SQL: a pattern with a wildcard matches `n.name`. The query reads the patterns once. */
function wildcardsSql(patterns: readonly ScopePattern[]): string {
  return `EXISTS (
    WITH p AS MATERIALIZED (SELECT value ->> 0 AS text, value ->> 1 AS low, value ->> 2 AS high,
      value -> 3 AS parts, value ->> 4 AS rest FROM json_each(?))
    SELECT 1 FROM p WHERE n.name = p.text OR (n.name >= p.low AND n.name < p.high)${hasStars(patterns) ? ` OR ${starMatchSql}` : ''})`
}

/** The kinds that declare several names for a record, as an SQL list; empty without such kinds. */
export function multiNamedKindsSql(kinds: Kinds): string {
  return [...kinds.values()]
    .filter(({ scopeNames }) => scopeNames)
    .map(({ name }) => quoteKindName(name))
    .join(', ')
}

/** A pattern, also without a wildcard, as a row for a JSON parameter: text, low, high, parts, rest. */
export function patternRow(pattern: ScopePattern): readonly unknown[] {
  return isConcrete(pattern) ? [pattern.text, null, null, null, null] : wildcardRow(pattern)
}

/**
 * A row of a pattern with a wildcard: its text and the range of longer names; with a `*`, its parts and the next
 * separator.
 */
export function wildcardRow({ parts, rest }: ScopePattern) {
  if (parts.includes('*')) return [null, null, null, parts, rest ?? null]
  const text = parts.join('')
  // `;` follows `:`, and `/` follows `.`: the range contains exactly the texts with this prefix.
  return [text, `${text}${rest}`, `${text}${rest === ':' ? ';' : '/'}`, null, null]
}

/** True when a pattern has a `*`: then names are compared by segments. */
export const hasStars = (patterns: readonly ScopePattern[]) =>
  patterns.some(({ parts }) => parts.includes('*'))

/** SQL of the first segment of `n.name`. `stars`: the column `n.segments` exists. */
export const firstSegmentSql = (stars: boolean) =>
  `json_extract(${stars ? 'n.segments' : segmentsSql('n.name')}, '$[0]')`

/**
 * A query of the names of the record: `name`, and `is_resource`, 1 for its resource, whose first segment must not be
 * reserved. `stars`: also `segments`, computed here because workerd refuses expressions deeper than 100, and each
 * nested query counts.
 */
export function namesSql(kinds: Kinds, stars: boolean): string {
  const names = plainNamesSql(kinds)
  if (!stars) return names
  return `SELECT name, is_resource, ${segmentsSql('name')} AS segments FROM (${names}) LIMIT -1`
}

function plainNamesSql(kinds: Kinds): string {
  // A kind that uses its own name needs no case: some hosts give a query little memory.
  const cases = [...kinds.values()].flatMap((kind) => {
    if (kind.scopeNames) return [`WHEN ${quoteKindName(kind.name)} THEN NULL`]
    const prefix = quoteKindName(scopePrefix(kind))
    const column =
      kind.scopedBy && kind.facets[kind.scopedBy] !== undefined ? `f.${kind.scopedBy}` : undefined
    if (column) return [`WHEN ${quoteKindName(kind.name)} THEN ${prefix} || ifnull(':' || ${column}, '')`]
    return scopePrefix(kind) === kind.name ? [] : [`WHEN ${quoteKindName(kind.name)} THEN ${prefix}`]
  })
  const named = cases.length === 0 ? 'f.kind' : `CASE f.kind ${cases.join(' ')} ELSE f.kind END`
  const qualified = [`SELECT ${named} AS name, 0 AS is_resource`]
  const listed =
    multiNamedKindsSql(kinds) === ''
      ? []
      : ['SELECT s.name AS name, 0 AS is_resource FROM scope_names s WHERE s.seq = f.seq']
  const names = [
    ...qualified,
    ...listed,
    `SELECT 'agent:' || r.agent AS name, 0 AS is_resource`,
    `SELECT 'session:' || r.session AS name, 0 AS is_resource`,
    `SELECT r.resource AS name, 1 AS is_resource`,
  ]
  // LIMIT keeps SQLite from copying the outer condition into each part of the union: workerd refuses programs of
  // over 25,000 steps.
  return `${names.join(' UNION ALL ')} LIMIT -1`
}

/**
 * SQL: `n.name` has the parts of the pattern `p` (`*`: any segment), and then ends or continues with the separator
 * `rest`.
 */
export const starMatchSql = `(p.parts IS NOT NULL AND n.name IS NOT NULL
  AND json_array_length(n.segments) >= json_array_length(p.parts)
  AND (json_array_length(n.segments) = json_array_length(p.parts)
    OR json_extract(n.segments, '$[' || json_array_length(p.parts) || ']') = p.rest)
  AND NOT EXISTS (SELECT 1 FROM json_each(p.parts) k
    WHERE NOT (k.value = '*' AND k.key % 2 = 0) AND json_extract(n.segments, '$[' || k.key || ']') <> k.value))`

/** The name of a declared kind as an SQL string. Throws for any other text. */
export function quoteKindName(name: string): string {
  if (!/^[a-z][a-z0-9_-]*$/.test(name)) throw new Error(`\`${name}\` is no name of a kind.`)
  return `'${name}'`
}

export const alwaysTrue: Fragment = { sql: '1', params: [] }
export const alwaysFalse: Fragment = { sql: '0', params: [] }

export function join(parts: readonly Fragment[], by: ' AND ' | ' OR '): Fragment {
  return { sql: `(${parts.map(({ sql }) => sql).join(by)})`, params: parts.flatMap(({ params }) => params) }
}

/** SQL of the segments and separators of a text as a JSON array. `json_quote` escapes the text first. */
export function segmentsSql(column: string): string {
  return `('[' || replace(replace(json_quote(${column}), ':', '",":","'), '.', '",".","') || ']')`
}
