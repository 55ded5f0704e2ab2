// The scope of a recall: SQL conditions over `facets f` and `records r` of the records that it may return. No other
// code builds them.
// Invariant: the query of every leg includes these conditions, before anything is ranked or counted.
import { DaybookError } from '../../core/errors.ts'
import { parseFilters } from '../../core/filter/filter.ts'
import type { Moment } from '../../core/filter/filter-time.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import { formatTime } from '../../core/time.ts'
import { currentSql } from './current-sql.ts'
import type { Fragment } from '../schema/column.ts'
import { startSql } from '../schema/succession.ts'
import { filterSql } from './filter-sql.ts'
import { readCost, columnOnlyPart } from './read-budget.ts'
import { type FindVisibleIds, linkSteps, visiblePredicate } from './visible-link.ts'

/** Filters on the candidates of a recall. An absent field filters nothing. */
export interface ScopeQuery {
  readonly kinds?: readonly string[] | undefined
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly resource?: string | undefined
  readonly filters?: unknown
  /**
   * Only records that were current at this instant of the world: valid then, or without a begin, happened then or
   * earlier. Canonical time.
   */
  readonly at?: string | undefined
  /** Only records that the book had at this instant. Canonical time. */
  readonly knownAt?: string | undefined
}

/**
 * SQL of a plain record: every recall without a filter may return it, at any time. Depends on its own hot columns
 * only.
 */
export const plainSql =
  'f.recallable = 1 AND f.begins_at IS NULL AND f.expires_at IS NULL AND f.superseded_at IS NULL'

export interface ScopeConditions {
  readonly where: readonly Fragment[]
  /** True when few of the records are likely to satisfy `where`. */
  readonly isNarrow: boolean
  /** True without a filter: every plain record satisfies `where`. */
  readonly isPlain: boolean
  /** How often the query reads each body that satisfies `columnConditions`. A guest may read 64 MiB by one query. */
  readonly bodyReadCost?: number
  /** The part of `where` that hot columns answer; empty when `bodyReadCost` is 0. */
  readonly columnConditions?: readonly Fragment[]
}

const scopeFields = ['agent', 'session', 'resource'] as const

/**
 * The conditions of `query` at `moment`. `bounds`: the conditions of the records that the caller sees;
 * `findVisibleIds`: finds the ids of these records. Default: all records. Throws `invalid-input` for an
 * unknown kind.
 */
export function scopeSql(
  kinds: Kinds,
  query: ScopeQuery,
  moment: Moment,
  {
    bounds,
    findVisibleIds,
  }: { readonly bounds?: readonly Fragment[]; readonly findVisibleIds?: FindVisibleIds | undefined } = {},
): ScopeConditions {
  const now = formatTime(moment.nowMs)
  const where: Fragment[] = [
    { sql: 'f.recallable = 1', params: [] },
    ...currentSql(undefined, now, { asOf: query.at, knownAt: query.knownAt, bounds }),
  ]
  const namedKinds = query.kinds?.map((name, i) => requireKind(kinds, name, `kinds.${i}`))
  if (query.kinds)
    where.push({
      sql: 'f.kind IN (SELECT value FROM json_each(?))',
      params: [JSON.stringify(query.kinds)],
    })
  for (const field of scopeFields) {
    const wanted = query[field]
    if (wanted !== undefined) where.push({ sql: `r.${field} = ?`, params: [wanted] })
  }
  if (query.at !== undefined) where.push({ sql: `${startSql('f')} <= ?`, params: [query.at] })
  const onlyKind = namedKinds?.length === 1 ? namedKinds[0] : undefined
  const queriedKinds = namedKinds ?? [...kinds.values()]
  const filters = parseFilters(query.filters)
  const visible = findVisibleIds
    ? visiblePredicate(filters, linkSteps(queriedKinds), findVisibleIds)
    : filters
  const bodyReadCost = readCost(visible, onlyKind)
  const columnConditions =
    bodyReadCost === 0
      ? []
      : [...where, filterSql(columnOnlyPart(visible, onlyKind), onlyKind, { moment, kinds: queriedKinds })]
  where.push(filterSql(visible, onlyKind, { moment, kinds: queriedKinds }))
  const isNarrow =
    query.filters !== undefined ||
    query.at !== undefined ||
    query.knownAt !== undefined ||
    scopeFields.some((field) => query[field] !== undefined)
  return {
    where,
    isNarrow,
    isPlain: !isNarrow && query.kinds === undefined,
    bodyReadCost,
    columnConditions,
  }
}

/** The kind with this name. Throws `invalid-input`, with `path`, for an unknown one. */
export function requireKind(kinds: Kinds, name: string, path = 'kind'): Kind {
  const kind = kinds.get(name)
  if (kind) return kind
  throw new DaybookError('invalid-input', `There is no kind \`${name.slice(0, 80)}\`.`, {
    details: { path, allowed: [...kinds.keys()] },
  })
}
