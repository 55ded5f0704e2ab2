// Why recall may not return a record, whatever its words are: its state, and the scope of the question.
// Invariant: the conditions are those of recall's own queries, tested one by one, so both always agree.
import type { RecallQuery } from '../../core/capability/port/recall-port.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { readPath } from '../../core/json/path.ts'
import { isRecallable, type Kind } from '../../core/kind.ts'
import type { Stored } from '../../core/record.ts'
import type { CurrentOptions } from '../../store/condition/current-sql.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { quoteOf } from '../pack.ts'
import type { Reason, ScopeOption } from './explanation.ts'
import type { RecallParts } from './recall-parts.ts'

type SeenParts = Pick<RecallParts, 'seen' | 'isOwner'>

export interface FoundRecord {
  readonly row: RecordRow
  readonly record: Stored<JsonObject>
}

/** The record `id`, or why there is nothing to rank. Undefined: unknown to the caller. */
export function findRecord({ seen, isOwner }: SeenParts, id: string): FoundRecord | Reason | undefined {
  const row = seen.row(id)
  if (!row) return undefined
  if (row.deleted) return { code: 'forgotten', says: 'It was forgotten: recall returns no forgotten record.' }
  // A query lets the derived rows catch up.
  seen.queries.query({ kind: row.kind, filters: { id }, limit: 1 })
  if (!seen.queries.findVisibleIds([id]).has(id))
    return isOwner
      ? {
          code: 'sealed',
          says: 'It is sealed under a key that this copy does not have open, so no word of it is searched.',
        }
      : undefined
  const record = seen.queries.read([row.seq]).get(row.seq)
  return record && { row, record }
}

/** When the record begins to be valid in the world; undefined: it has no such time. */
export function beginOf(kind: Kind | undefined, record: Stored<JsonObject>): string | undefined {
  const begin = kind?.begins === undefined ? undefined : readPath(record, kind.begins)
  return typeof begin === 'string' ? begin : undefined
}

const scopeOptions = ['kinds', 'agent', 'session', 'resource', 'filters'] as const

/** The reasons by the state of the record and by the scope of `query`; empty if recall ranks the record. */
export function stateReasons(
  { seen, query }: Pick<RecallParts, 'seen' | 'query'>,
  found: FoundRecord,
): Reason[] {
  const { row } = found
  const { at, knownAt, kinds, agent, session, resource, filters } = query
  const times = { ...(at === undefined ? {} : { at }), ...(knownAt === undefined ? {} : { knownAt }) }
  if (seen.queries.matching([row.seq], { ...times, kinds, agent, session, resource, filters }).has(row.seq))
    return []
  const isCurrent = seen.queries.matching([row.seq], times).has(row.seq)
  return [...(isCurrent ? [] : currentReasons(seen, times, found)), ...scopeReasons(seen, query, found)]
}

/** Why the record is not current, at the times of the question if it has one. */
function currentReasons(
  { kinds, queries }: RecallParts['seen'],
  { at, knownAt }: Pick<RecallQuery, 'at' | 'knownAt'>,
  { row, record }: FoundRecord,
): Reason[] {
  const { id, kind: kindName } = row
  const kind = kinds.get(kindName)
  const reasons: Reason[] = []
  if (kind && !isRecallable(kind, record)) {
    const wholeKind = kind.recallable === false
    const says = wholeKind
      ? `Recall returns no record of the kind \`${kindName}\`.`
      : `Recall does not return this ${kindName} in its present state, such as one that waits for approval.`
    reasons.push({ code: 'not-recalled', says, wholeKind })
  }
  const { created_at: learnedAt } = record
  if (knownAt !== undefined && learnedAt > knownAt)
    return [
      ...reasons,
      {
        code: 'out-of-scope',
        option: 'knownAt',
        has: learnedAt,
        says: `The book learned it at ${learnedAt}, after the time of the question (\`knownAt\`).`,
      },
    ]
  const everything = { expired: true, superseded: true, outdated: true, asOf: at, knownAt }
  const isShown = (include: CurrentOptions, filters: object = {}) =>
    queries.query({ kind: kindName, filters: { ...filters, id }, include, limit: 1 }).records.length > 0
  const begin = beginOf(kind, record)
  if (!isShown({ ...everything, expired: false })) {
    const expiry = kind?.expires === undefined ? undefined : readPath(record, kind.expires)
    const isLater =
      begin !== undefined &&
      kind?.begins !== undefined &&
      isShown(everything, { [kind.begins]: { gt: at ?? knownAt ?? 'now' } })
    const when = typeof expiry === 'string' ? { at: expiry } : {}
    reasons.push(
      isLater
        ? { code: 'not-yet-valid', says: `It is not valid before ${begin}.`, at: begin }
        : { code: 'expired', says: `It has expired${when.at ? ` (${when.at})` : ''}.`, ...when },
    )
  }
  if (!isShown({ ...everything, superseded: false })) {
    const by = supersedersOf({ kinds, queries }, id)
    const names = by.length > 0 ? ` by ${by.join(', ')}` : ''
    reasons.push({ code: 'superseded', says: `It is superseded${names}: recall returns the newest one.`, by })
  }
  if (!isShown({ ...everything, outdated: false }))
    reasons.push({
      code: 'outdated',
      says: 'It was made from a record that is forgotten or became more sensitive, and waits to be rebuilt.',
    })
  const happenedAt = quoteOf(kinds, record).happenedAt
  if (at !== undefined && begin === undefined && happenedAt > at)
    reasons.push({
      code: 'out-of-scope',
      option: 'at',
      has: happenedAt,
      says: `It happened at ${happenedAt}, after the time of the question (\`at\`).`,
    })
  return reasons
}

/** The ids of the records that supersede `id` and that the caller may see. */
function supersedersOf(
  { kinds, queries }: Pick<RecallParts['seen'], 'kinds' | 'queries'>,
  id: string,
): string[] {
  const found = queries
    .citing(id)
    .filter(({ kind, path }) => kinds.get(kind)?.cites?.some((link) => link.supersedes && link.path === path))
  return [...new Set(found.map((one) => one.id))]
}

function scopeReasons({ queries }: RecallParts['seen'], query: RecallQuery, { row }: FoundRecord): Reason[] {
  const failing = scopeOptions.filter((option) => {
    const wanted = query[option]
    if (wanted === undefined) return false
    if (option === 'kinds') return !query.kinds?.includes(row.kind)
    if (option !== 'filters') return row[option] !== wanted
    const include = { expired: true, superseded: true, outdated: true }
    const filters = { and: [wanted, { id: row.id }] }
    return queries.query({ kind: row.kind, filters, include, limit: 1 }).records.length === 0
  })
  return failing.map((option) => {
    const has = option === 'filters' ? undefined : (row[option === 'kinds' ? 'kind' : option] ?? undefined)
    return {
      code: 'out-of-scope',
      option,
      says: outOfScopeText(option, has),
      ...(has === undefined ? {} : { has }),
    }
  })
}

function outOfScopeText(option: Exclude<ScopeOption, 'at' | 'knownAt'>, has: string | undefined): string {
  if (option === 'filters') return 'It does not match the `filters` of the question.'
  const name = option === 'kinds' ? 'kind' : option
  return has === undefined
    ? `It has no ${name}, and the question asks for one (\`${option}\`).`
    : `Its ${name} is \`${has}\`, which the question leaves out (\`${option}\`).`
}
