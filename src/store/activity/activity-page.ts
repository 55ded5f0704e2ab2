// Reads the activity of a book as one list by time: recalls and contexts from the activity log, writes and refusals
// from the access log.
// Invariant: each log has its own order and cursor, so that no page misses or repeats an entry.
import type { CallerSort } from '../../core/capability/access-log.ts'
import {
  type ActivityPage,
  type ActivityQuery,
  type ActivitySort,
  type RecallDetail,
  type RecallEntry,
  type RecalledRecord,
  recallSorts,
  type CalledEntry,
  type MissingReason,
  type RecordActivity,
  refusals,
} from '../../core/capability/activity.ts'
import { defined } from '../../core/defined.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import type { ActivityTexts } from './activity-text.ts'

/** The agent of a call, the sort of its credential (such as `owner` or `token`), and the id of its token or key. */
interface CallerRow extends SqlRow {
  readonly caller: string
  readonly callerSort: string
  readonly id: string | null
}

interface EntryRow extends CallerRow {
  readonly n: number
  readonly at: string
  readonly capability: string
  readonly purpose: string | null
}

/** A row of `activity`: a recall or context. */
interface RecallRow extends EntryRow {
  /** `recall` or `context`. */
  readonly sort: string
  readonly durationMs: number
  readonly tokens: number | null
  /** How many hits it had. */
  readonly found: number
  /** Why the texts are missing: `forgotten`, `locked` or `size`; null when they are stored. */
  readonly missing: string | null
  readonly question: string | null
}

/** A row of `audit`, the access log. `outcome`: `ok` or the error code. `kinds`: names, separated by spaces. */
interface CallRow extends EntryRow {
  readonly outcome: string
  readonly kinds: string
  readonly count: number
}

const recallColumns = `n, at, sort, capability, caller, "by" AS callerSort, id, purpose, duration_ms AS durationMs, tokens, found, missing, question`
const callColumns = 'n, at, caller, "by" AS callerSort, id, capability, outcome, kinds, count, purpose'
const recordEntriesSql = 'SELECT h.n FROM records r JOIN activity_hits h ON h.seq = r.seq WHERE r.id = ?'

export interface ActivityReader {
  /** Newest first. */
  page(query: ActivityQuery): ActivityPage
  get(n: number): RecallDetail | undefined
  /** How often, and for which callers, the record `id` was recalled. */
  activityOfRecord(id: string): RecordActivity
  /** True when an entry is sealed. */
  hasSealed(): boolean
}

/** `writeCapabilities`: the capabilities that change a book. Entries of the access log with these are writes. */
export function createActivityReader(
  db: SqlDatabase,
  texts: ActivityTexts,
  writeCapabilities: readonly string[],
): ActivityReader {
  const readRecalls = (query: ActivityQuery, limit: number): RecallEntry[] => {
    const sorts = recallSorts.filter((sort) => isWanted(query, sort))
    if (sorts.length === 0) return []
    const where = new WhereClause().and('sort IN (SELECT value FROM json_each(?))', JSON.stringify(sorts))
    where.addCommonFilters(query, query.before?.recalls)
    if (query.record !== undefined) where.and(`n IN (${recordEntriesSql})`, query.record)
    return db
      .all<RecallRow>(`SELECT ${recallColumns} FROM activity WHERE ${where.sql} ORDER BY n DESC LIMIT ?`, [
        ...where.params,
        limit,
      ])
      .map((row) => toRecallEntry(row, texts))
  }
  const readCalls = (query: ActivityQuery, limit: number): CalledEntry[] => {
    const sorts = (['write', 'refused'] as const).filter((sort) => isWanted(query, sort))
    if (sorts.length === 0 || query.record !== undefined) return []
    const where = new WhereClause().and(sorts.map((sort) => `(${callConditions[sort]})`).join(' OR '))
    // The parameter of the condition `write`. It must come before those of the common filters.
    if (sorts.includes('write')) where.params.push(JSON.stringify(writeCapabilities))
    where.addCommonFilters(query, query.before?.calls)
    return db
      .all<CallRow>(`SELECT ${callColumns} FROM audit WHERE ${where.sql} ORDER BY n DESC LIMIT ?`, [
        ...where.params,
        limit,
      ])
      .map(toCallEntry)
  }
  return {
    page(query) {
      const { limit, before } = query
      const recalls = readRecalls(query, limit + 1)
      const calls = readCalls(query, limit + 1)
      const entries = mergeByTime(recalls, calls).slice(0, limit)
      if (entries.length === recalls.length + calls.length) return { entries }
      const last = (sorts: readonly ActivitySort[]) => entries.findLast(({ sort }) => sorts.includes(sort))?.n
      return {
        entries,
        // The last number of each log so far; without one, the number at which this page began.
        next: {
          recalls: last(recallSorts) ?? before?.recalls ?? Number.MAX_SAFE_INTEGER,
          calls: last(['write', 'refused']) ?? before?.calls ?? Number.MAX_SAFE_INTEGER,
        },
      }
    },
    get(n) {
      const row = db.get<RecallRow & { hits: string; context: string | null }>(
        `SELECT ${recallColumns}, hits, context FROM activity WHERE n = ?`,
        [n],
      )
      if (!row) return undefined
      const hits = (JSON.parse(row.hits) as [string, string, number, number][]).map(
        ([id, kind, score, version]): RecalledRecord => ({ id, kind, score, version }),
      )
      const context = row.context === null ? undefined : texts.context(n, row.context)
      return { ...toRecallEntry(row, texts), hits, ...defined({ context }) }
    },
    activityOfRecord: (id) => recordActivity(db, id),
    hasSealed: () =>
      db.get(`SELECT 1 AS one FROM activity WHERE substr(question, 1, 1) = '[' LIMIT 1`) !== undefined,
  }
}

/**
 * SQL of both sorts of calls. The owner has successful entries for writes only; those of a guest's reads
 * count the records in the answer, so for guests the capability decides.
 */
const callConditions = {
  write: `outcome = 'ok' AND count > 0 AND ("by" = 'owner' OR capability IN (SELECT value FROM json_each(?)))`,
  refused: `outcome IN (${refusals.map((code) => `'${code}'`).join(', ')})`,
} as const

class WhereClause {
  readonly params: SqlValue[] = []
  readonly #terms: string[] = []

  get sql(): string {
    return this.#terms.map((term) => `(${term})`).join(' AND ')
  }

  and(sql: string, ...params: readonly SqlValue[]): this {
    this.#terms.push(sql)
    this.params.push(...params)
    return this
  }

  /** Adds the filters that both logs have. */
  addCommonFilters({ agent, from, to }: ActivityQuery, before: number | undefined): void {
    if (before !== undefined) this.and('n < ?', before)
    if (agent !== undefined) this.and('caller = ?', agent)
    if (from !== undefined) this.and('at >= ?', from)
    if (to !== undefined) this.and('at < ?', to)
  }
}

const isWanted = ({ sorts }: ActivityQuery, sort: ActivitySort) => sorts?.includes(sort) ?? true

/** Merges two lists, newest first. Each list keeps its order. */
function mergeByTime(
  recalls: readonly RecallEntry[],
  calls: readonly CalledEntry[],
): (RecallEntry | CalledEntry)[] {
  const all: (RecallEntry | CalledEntry)[] = []
  let nextCall = 0
  for (const entry of recalls) {
    for (let next = calls[nextCall]; next && next.at > entry.at; next = calls[nextCall]) {
      all.push(next)
      nextCall += 1
    }
    all.push(entry)
  }
  return [...all, ...calls.slice(nextCall)]
}

function recordActivity(db: SqlDatabase, id: string): RecordActivity {
  const rows = db.all<CallerRow & { sort: string; count: number; lastAt: string }>(
    `SELECT sort, caller, "by" AS callerSort, id, count(*) AS count, max(at) AS lastAt
     FROM activity WHERE n IN (${recordEntriesSql}) GROUP BY sort, caller, "by", id`,
    [id],
  )
  const callers = new Map<string, RecordActivity['callers'][number]>()
  for (const { count, lastAt, ...row } of rows) {
    const caller = callerOf(row)
    const key = JSON.stringify(caller)
    const before = callers.get(key)
    callers.set(key, {
      ...caller,
      count: count + (before?.count ?? 0),
      lastAt: before && before.lastAt > lastAt ? before.lastAt : lastAt,
    })
  }
  const sum = (sort: string) =>
    rows.filter((row) => row.sort === sort).reduce((total, { count }) => total + count, 0)
  const last = rows
    .map(({ lastAt }) => lastAt)
    .sort()
    .at(-1)
  return {
    recalls: sum('recall'),
    contexts: sum('context'),
    ...defined({ lastAt: last }),
    callers: [...callers.values()].sort((a, b) => b.count - a.count),
  }
}

function callerOf({ caller, callerSort, id }: CallerRow) {
  return { caller, by: callerSort as CallerSort, ...(id === null ? {} : { id }) }
}

function headOf({ n, at, capability, purpose, ...row }: EntryRow) {
  return { n, at, capability, ...callerOf(row), ...(purpose === null ? {} : { purpose }) }
}

function toRecallEntry(row: RecallRow, texts: ActivityTexts): RecallEntry {
  const { n, sort, durationMs, tokens, found } = row
  const question = row.question === null ? undefined : texts.question(n, row.question)
  const missing = (row.missing ?? (question ? undefined : 'locked')) as MissingReason | undefined
  return {
    ...headOf(row),
    sort: sort as RecallEntry['sort'],
    durationMs,
    found,
    ...(tokens === null ? {} : { tokens }),
    ...(question ? { question } : {}),
    ...(missing ? { missing } : {}),
  }
}

function toCallEntry(row: CallRow): CalledEntry {
  const { outcome, kinds, count } = row
  return {
    ...headOf(row),
    sort: outcome === 'ok' ? 'write' : 'refused',
    outcome,
    kinds: kinds === '' ? [] : kinds.split(' '),
    count,
  }
}
