// Several patterns of a reach as one condition over `facets f` and `records r`: every name of the record is compared with
// every pattern, which go in as two bound parameters, however many they are (some hosts bind no more than 100 to a query).
// Invariant: only names of declared kinds become SQL; what a token says stays inside the parameter.
import { type Kinds, scopePrefix } from '../../core/kind.ts'
import { reservedNames } from '../../core/access/reach.ts'
import { isConcrete, type ScopePattern } from '../../core/access/scope.ts'
import type { Fragment } from '../schema/column.ts'
import { segmentsOf } from './scope-fragment.ts'

/** The condition that one of the record's names is one that a pattern stands for. None of `patterns` is `**` alone. */
export function patternsSql(patterns: readonly ScopePattern[], kinds: Kinds): Fragment {
  const exact = patterns.filter(isConcrete).map(({ text }) => text)
  const others = patterns.filter((one) => !isConcrete(one))
  const reserved = reservedNames(kinds).map(quote).join(', ')
  const stars = hasStars(others)
  const matches = [
    ...(exact.length > 0 ? ['n.name IN (SELECT value FROM json_each(?))'] : []),
    ...(others.length > 0 ? [othersSql(others)] : []),
  ]
  return {
    sql: `EXISTS (SELECT 1 FROM (${namesSql(kinds, stars)}) n WHERE (${matches.join(' OR ')})
      AND (NOT n.is_resource OR ${firstSegment(stars)} NOT IN (${reserved})))`,
    params: [
      ...(exact.length > 0 ? [JSON.stringify(exact)] : []),
      ...(others.length > 0 ? [JSON.stringify(others.map(toRow))] : []),
    ],
  }
}

/** That the name `n.name` is one for which a pattern stands that may have several. They are read once for a query. */
function othersSql(patterns: readonly ScopePattern[]): string {
  return `EXISTS (
    WITH p AS MATERIALIZED (SELECT value ->> 0 AS text, value ->> 1 AS low, value ->> 2 AS high,
      value -> 3 AS parts, value ->> 4 AS rest FROM json_each(?))
    SELECT 1 FROM p WHERE n.name = p.text OR (n.name >= p.low AND n.name < p.high)${hasStars(patterns) ? ` OR ${starMatch}` : ''})`
}

/** The kinds that say the names of their records themselves, as a list of SQL; an empty text without any. */
export function manyNamed(kinds: Kinds): string {
  return [...kinds.values()]
    .filter(({ scopeNames }) => scopeNames)
    .map(({ name }) => quote(name))
    .join(', ')
}

/** A pattern as a row, also one that stands for one name. */
export function patternRow(pattern: ScopePattern): readonly unknown[] {
  return isConcrete(pattern) ? [pattern.text, null, null, null, null] : toRow(pattern)
}

/** The text and the range of those that go on from it; or with a `*` the parts, and what follows them. */
export function toRow({ parts, rest }: ScopePattern) {
  if (parts.includes('*')) return [null, null, null, parts, rest ?? null]
  const text = parts.join('')
  // Both separators are followed by a character that parts nothing, so that a range of texts is what begins so.
  return [text, `${text}${rest}`, `${text}${rest === ':' ? ';' : '/'}`, null, null]
}

/** True where names are compared by their segments. */
export const hasStars = (patterns: readonly ScopePattern[]) =>
  patterns.some(({ parts }) => parts.includes('*'))

/** The first segment of the name `n.name`; `stars`: of which the segments are there. */
export const firstSegment = (stars: boolean) =>
  `json_extract(${stars ? 'n.segments' : segmentsOf('n.name')}, '$[0]')`

/**
 * The names of the record, each with whether it is its resource, whose first segment must not be a reserved one. `stars`: and with
 * its segments, which are told once: each further query within a query counts to how deep an expression is, and workerd refuses
 * those deeper than 100.
 */
export function namesSql(kinds: Kinds, stars: boolean): string {
  const names = plainNamesSql(kinds)
  if (!stars) return names
  return `SELECT name, is_resource, ${segmentsOf('name')} AS segments FROM (${names}) LIMIT -1`
}

function plainNamesSql(kinds: Kinds): string {
  // Some hosts give a question little memory: most kinds go by their own name, and need no words here.
  const cases = [...kinds.values()].flatMap((kind) => {
    if (kind.scopeNames) return [`WHEN ${quote(kind.name)} THEN NULL`]
    const prefix = quote(scopePrefix(kind))
    const column =
      kind.scopedBy && kind.facets[kind.scopedBy] !== undefined ? `f.${kind.scopedBy}` : undefined
    if (column) return [`WHEN ${quote(kind.name)} THEN ${prefix} || ifnull(':' || ${column}, '')`]
    return scopePrefix(kind) === kind.name ? [] : [`WHEN ${quote(kind.name)} THEN ${prefix}`]
  })
  const named = cases.length === 0 ? 'f.kind' : `CASE f.kind ${cases.join(' ')} ELSE f.kind END`
  const qualified = [`SELECT ${named} AS name, 0 AS is_resource`]
  const listed =
    manyNamed(kinds) === ''
      ? []
      : ['SELECT s.name AS name, 0 AS is_resource FROM scope_names s WHERE s.seq = f.seq']
  const names = [
    ...qualified,
    ...listed,
    `SELECT 'agent:' || r.agent AS name, 0 AS is_resource`,
    `SELECT 'session:' || r.session AS name, 0 AS is_resource`,
    `SELECT r.resource AS name, 1 AS is_resource`,
  ]
  // SQLite copies the outer condition into each arm of a union without a limit, and workerd refuses programs of over 25,000 steps.
  return `${names.join(' UNION ALL ')} LIMIT -1`
}

/** That the name has the parts of a pattern, where `*` is any segment, and after them nothing or what parts off the rest. */
export const starMatch = `(p.parts IS NOT NULL AND n.name IS NOT NULL
  AND json_array_length(n.segments) >= json_array_length(p.parts)
  AND (json_array_length(n.segments) = json_array_length(p.parts)
    OR json_extract(n.segments, '$[' || json_array_length(p.parts) || ']') = p.rest)
  AND NOT EXISTS (SELECT 1 FROM json_each(p.parts) k
    WHERE NOT (k.value = '*' AND k.key % 2 = 0) AND json_extract(n.segments, '$[' || k.key || ']') <> k.value))`

/** A name from a declaration as SQL. */
export function quote(name: string): string {
  if (!/^[a-z][a-z0-9_-]*$/.test(name)) throw new Error(`\`${name}\` is no name of a kind.`)
  return `'${name}'`
}
