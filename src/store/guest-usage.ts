// How much of a book its guests take, and how much they may: records and bytes by agent and kind, counted by triggers.
// Invariant: the counts change in the transaction of each change, whoever makes it, so nothing is scanned for a call;
// what the owner's agents have stored is neither counted nor bounded.
import { DaybookError } from '../core/errors.ts'
import type { SqlDatabase } from '../core/ports.ts'

export interface Quota {
  readonly records: number
  readonly bytes: number
}

export interface GuestQuotas {
  /** What one guest may have stored. */
  readonly guest: Quota
  /** What all guests of a book may have stored together. */
  readonly guests: Quota
}

const mebibyte = 1_048_576
export const usualQuotas: GuestQuotas = {
  guest: { records: 100_000, bytes: 64 * mebibyte },
  guests: { records: 400_000, bytes: 256 * mebibyte },
}
/** What somebody waits for a person to read: one guest may have no more of it. */
export const kindQuotas: Readonly<Record<string, Quota>> = {
  inbox: { records: 2000, bytes: 4 * mebibyte },
  proposal: { records: 2000, bytes: 4 * mebibyte },
}

/** How much is stored, and how much may be. */
export interface QuotaState {
  readonly usedRecords: number
  readonly usedBytes: number
  readonly records: number
  readonly bytes: number
}

export interface GuestUsage {
  /** Begins to count what `agent` has stored. Outside of transactions; what it has by then is counted once. */
  begin(agent: string): void
  /** The `quota-exceeded` of a guest that is to have one more record of so many bytes, in place of one of `before`. */
  refusal(
    agent: string,
    kind: string,
    size: { readonly bytes: number; readonly before?: number | undefined },
  ): DaybookError | undefined
  /** Runs a guest's work inside a transaction; throws `quota-exceeded` where it leaves more than the guest may have. */
  within<Result>(agent: string, work: () => Result): Result
  /** Some guest has stored something since the book was made. */
  isCounting(): boolean
  /** What all guests take together. */
  state(): QuotaState
}

/** Earlier versions count with what they are versions of, under this name. */
const historyKind = '@history'
const add = 'ON CONFLICT DO UPDATE SET records = records + excluded.records, bytes = bytes + excluded.bytes'
const counts = (row: string) =>
  `EXISTS (SELECT 1 FROM guest_usage g WHERE g.agent = ${row}.agent AND g.kind = '')`
const change = (row: string, sign: '' | '-') =>
  `INSERT INTO guest_usage (agent, kind, records, bytes)
   SELECT ${row}.agent, ${row}.kind, ${sign}1, ${sign}octet_length(${row}.body)
   WHERE ${row}.deleted = 0 AND ${counts(row)} ${add};`
const version = (row: string, sign: '' | '-') =>
  `INSERT INTO guest_usage (agent, kind, records, bytes)
   SELECT ${row}.agent, '${historyKind}', 0, ${sign}octet_length(${row}.body) WHERE ${counts(row)} ${add};`

const trigger = (name: string, event: string, body: string) =>
  `CREATE TRIGGER IF NOT EXISTS guest_usage_${name} AFTER ${event} BEGIN ${body} END`
const schema = [
  `CREATE TABLE IF NOT EXISTS guest_usage (agent TEXT NOT NULL, kind TEXT NOT NULL, records INTEGER NOT NULL,
    bytes INTEGER NOT NULL, PRIMARY KEY (agent, kind)) WITHOUT ROWID`,
  trigger('put', 'INSERT ON records', change('NEW', '')),
  trigger(
    'change',
    'UPDATE OF agent, kind, deleted, body ON records',
    `${change('OLD', '-')} ${change('NEW', '')}`,
  ),
  trigger('gone', 'DELETE ON records', change('OLD', '-')),
  trigger('kept', 'INSERT ON history', version('NEW', '')),
  trigger('sealed', 'UPDATE OF body ON history', `${version('OLD', '-')} ${version('NEW', '')}`),
  trigger('dropped', 'DELETE ON history', version('OLD', '-')),
]

interface Usage {
  readonly records: number
  readonly bytes: number
}

const parts = ['records', 'bytes'] as const

/** How much is used may tell a guest of records that are out of its reach, so only the limit is said. */
function exceeded(quota: string, part: keyof Quota, limit: Quota) {
  return new DaybookError('quota-exceeded', undefined, { details: { quota, part, limit: limit[part] } })
}

export function openGuestUsage(db: SqlDatabase, { guest, guests }: GuestQuotas = usualQuotas): GuestUsage {
  const begun = new Set<string>()
  /** A book without guests has no such table, and its opening writes nothing. */
  let isThere = false
  const exists = () =>
    (isThere ||= db.get("SELECT 1 FROM sqlite_master WHERE name = 'guest_usage_dropped'") !== undefined)

  const none: Usage = { records: 0, bytes: 0 }
  const read = (where: string, params: readonly string[]): Usage => {
    if (!exists()) return none
    const row = db.get<{ records: number; bytes: number }>(
      `SELECT ifnull(sum(records), 0) AS records, ifnull(sum(bytes), 0) AS bytes FROM guest_usage WHERE ${where}`,
      params,
    )
    return row ?? none
  }

  const usages = (agent: string) => [
    { what: 'guest', used: read('agent = ?', [agent]), limit: guest },
    ...Object.entries(kindQuotas).map(([kind, limit]) => ({
      what: kind,
      used: read('agent = ? AND kind = ?', [agent, kind]),
      limit,
    })),
    { what: 'guests', used: read('1', []), limit: guests },
  ]

  return {
    refusal(agent, kind, { bytes, before }) {
      for (const { what, used, limit } of usages(agent)) {
        if (what !== 'guest' && what !== 'guests' && what !== kind) continue
        const more = { records: before === undefined ? 1 : 0, bytes: Math.max(0, bytes - (before ?? 0)) }
        for (const part of parts)
          if (more[part] > 0 && used[part] + more[part] > limit[part]) return exceeded(what, part, limit)
      }
      return undefined
    },
    begin(agent) {
      if (begun.has(agent)) return
      db.transaction(() => {
        if (!exists()) for (const statement of schema) db.exec(statement)
        if (db.get("SELECT 1 FROM guest_usage WHERE agent = ? AND kind = ''", [agent])) return
        db.run('DELETE FROM guest_usage WHERE agent = ?', [agent])
        db.run("INSERT INTO guest_usage (agent, kind, records, bytes) VALUES (?, '', 0, 0)", [agent])
        db.run(
          `INSERT INTO guest_usage (agent, kind, records, bytes)
           SELECT agent, kind, count(*), sum(octet_length(body)) FROM records
           WHERE agent = ? AND deleted = 0 GROUP BY kind
           UNION ALL SELECT agent, '${historyKind}', 0, sum(octet_length(body)) FROM history
           WHERE agent = ? GROUP BY agent`,
          [agent, agent],
        )
      })
      begun.add(agent)
    },
    within(agent, work) {
      const before = usages(agent)
      const result = work()
      usages(agent).forEach(({ what, used, limit }, i) => {
        const was = before[i]?.used ?? used
        for (const part of parts) {
          // What makes room, or takes none, is let through also where there is too much already.
          if (used[part] <= limit[part] || used[part] <= was[part]) continue
          throw exceeded(what, part, limit)
        }
      })
      return result
    },
    isCounting: exists,
    state() {
      const { records, bytes } = read('1', [])
      return { usedRecords: records, usedBytes: bytes, ...guests }
    },
  }
}
