// A reach as a condition of SQL over `facets f` and `records r`, with the meaning of core/access/reach.ts: a property
// test holds the two side by side. Invariant: what a token says only ever becomes a bound parameter, and in doubt the answer is no.
import { type Kind, type Kinds, type ScopeFacet, scopePrefix } from '../../core/kind.ts'
import { type Reach, reservedNames } from '../../core/access/reach.ts'
import type { ScopePattern } from '../../core/access/scope.ts'
import type { Fragment } from '../schema/column.ts'

const yes: Fragment = { sql: '1', params: [] }
const no: Fragment = { sql: '0', params: [] }
type Tail = Pick<ScopePattern, 'parts' | 'rest'>

/** The condition that a record, whose kind is one of `kinds`, is in `reach`. */
export function reachSql({ scope }: Reach, kinds: Kinds): Fragment {
  const sealed = [...kinds.values()].filter(({ guests }) => guests === 'none').map(({ name }) => name)
  const open: Fragment = {
    sql: 'f.kind NOT IN (SELECT value FROM json_each(?))',
    params: [JSON.stringify(sealed)],
  }
  const [first] = scope.parts
  if (first === undefined) return open
  const named = first === '*' ? anyName(scope, kinds) : firstNamed(first, scope, kinds)
  return join([open, named], ' AND ')
}

/** A pattern whose first segment says which column it is about. */
function firstNamed(first: string, scope: ScopePattern, kinds: Kinds): Fragment {
  const meant = [...kinds.values()].filter((kind) => scopePrefix(kind) === first)
  if (meant.length > 0) {
    const each = meant.map((kind) => {
      const ofKind = { sql: 'f.kind = ?', params: [kind.name] }
      const column = kind.scopedBy && facetColumn(kind, kind.scopedBy)
      return join([ofKind, afterFirst(column ?? 'NULL', scope, true)], ' AND ')
    })
    return join(each, ' OR ')
  }
  // A kind whose records go by another name.
  if (kinds.has(first)) return no
  if (first === 'agent') return afterFirst('r.agent', scope, false)
  if (first === 'session') return afterFirst('r.session', scope, false)
  return value('r.resource', scope)
}

/** A pattern that begins with `*`: any of a record's names may be meant. */
function anyName(scope: ScopePattern, kinds: Kinds): Fragment {
  const cases = [...kinds.values()].flatMap((kind) => {
    const column = kind.scopedBy && facetColumn(kind, kind.scopedBy)
    return column ? [{ kind, column }] : []
  })
  const qualifier =
    cases.length === 0
      ? 'NULL'
      : `CASE f.kind ${cases.map(({ column }) => `WHEN ? THEN ${column}`).join(' ')} END`
  // The column is selected once, under a name, because the condition repeats it.
  const ofKind = afterFirst('q', scope, true)
  const names = cases.map(({ kind }) => kind.name)
  const reserved = reservedNames(kinds)
  return join(
    [
      {
        sql: `EXISTS (SELECT 1 FROM (SELECT ${qualifier} AS q) WHERE ${ofKind.sql})`,
        params: [...names, ...ofKind.params],
      },
      afterFirst('r.agent', scope, false),
      afterFirst('r.session', scope, false),
      join(
        [
          value('r.resource', scope),
          {
            sql: `json_extract(${segmentsOf('r.resource')}, '$[0]') NOT IN (SELECT value FROM json_each(?))`,
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
 * What stands in `column` after the first segment of the name and its colon. `mayBeBare`: without a value the name is
 * the first segment alone; otherwise there is no name then.
 */
function afterFirst(column: string, { parts, rest }: Tail, mayBeBare: boolean): Fragment {
  const bare = mayBeBare ? { sql: `${column} IS NULL`, params: [] } : no
  if (parts.length === 1) {
    if (rest !== ':') return bare
    return mayBeBare ? yes : { sql: `${column} IS NOT NULL`, params: [] }
  }
  return parts[1] === ':' ? value(column, { parts: parts.slice(2), rest }) : no
}

/** That the text in `column` is one that the pattern stands for. */
function value(column: string, { parts, rest }: Tail): Fragment {
  if (parts.includes('*')) return inSegments(column, { parts, rest })
  const text = parts.join('')
  const exact: Fragment = { sql: `${column} = ?`, params: [text] }
  if (rest === undefined) return exact
  // Both separators are followed by a character that parts nothing, so that a range of texts is what begins so.
  const range = {
    sql: `(${column} >= ? AND ${column} < ?)`,
    params: [`${text}${rest}`, `${text}${rest === ':' ? ';' : '/'}`],
  }
  return join([exact, range], ' OR ')
}

function inSegments(column: string, { parts, rest }: Tail): Fragment {
  const tests: Fragment[] = parts.flatMap((part, i) =>
    part === '*' && i % 2 === 0 ? [] : [{ sql: 'json_extract(a, ?) = ?', params: [`$[${i}]`, part] }],
  )
  const length = { sql: 'json_array_length(a) = ?', params: [parts.length] }
  const beyond = { sql: 'json_extract(a, ?) = ?', params: [`$[${parts.length}]`, rest ?? ''] }
  const all = join([...tests, rest === undefined ? length : join([length, beyond], ' OR ')], ' AND ')
  return {
    sql: `(${column} IS NOT NULL AND EXISTS (SELECT 1 FROM (SELECT ${segmentsOf(column)} AS a) WHERE ${all.sql}
      AND json_array_length(a) >= ?))`,
    params: [...all.params, parts.length],
  }
}

/** SQL for the segments and separators of a text as a JSON array: quoted first, so that no text can break out. */
function segmentsOf(column: string): string {
  return `('[' || replace(replace(json_quote(${column}), ':', '",":","'), '.', '",".","') || ']')`
}

function join(parts: readonly Fragment[], by: ' AND ' | ' OR '): Fragment {
  return { sql: `(${parts.map(({ sql }) => sql).join(by)})`, params: parts.flatMap(({ params }) => params) }
}
