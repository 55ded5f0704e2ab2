// How much of a book its guests take, and how much they may: records and bytes by guest and kind, counted by triggers.
// Invariant: the counts change in the transaction of each change, whoever makes it, so nothing is scanned for a call; what
// delegates store counts for the guest that the owner let in; what the owner's agents have stored is not counted.
import { isDelegateSql, sameOrDelegate } from '../core/access/delegate-name.ts'
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
  /** Begins to count what `payer` and its delegates have stored. Outside of transactions; what is there is counted once. */
  begin(payer: string): void
  /** The `quota-exceeded` of a guest that is to have one more record of so many bytes, in place of one of `before`. */
  refusal(
    payer: string,
    kind: string,
    size: { readonly bytes: number; readonly before?: number | undefined },
  ): DaybookError | undefined
  /** Runs a guest's work inside a transaction; throws `quota-exceeded` where it leaves more than the guest may have. */
  within<Result>(payer: string, work: () => Result): Result
  /** The `quota-exceeded` of a guest whose edit is to be noted as a conflict. */
  conflictRefusal(): DaybookError | undefined
  /** Some guest has stored something since the book was made. */
  isCounting(): boolean
  /** What all guests take together. */
  state(): QuotaState
}

/** Earlier versions count with what they are versions of, under this name. */
const historyKind = '@history'
/** The log of conflicts of the whole book, the owner's included, under the name of nobody. */
const conflictKind = '@conflicts'
const add = 'ON CONFLICT DO UPDATE SET records = records + excluded.records, bytes = bytes + excluded.bytes'
/** Those for whom a row of `row.agent` counts. */
const payers = (row: string) =>
  `(SELECT agent FROM guest_usage WHERE agent = ${row}.agent AND kind = ''
    UNION ALL SELECT agent FROM guest_usage WHERE kind = ''
      AND instr(${row}.agent, ' by ') > 0 AND ${isDelegateSql(`${row}.agent`, 'agent')}) p`
const change = (row: string, sign: '' | '-') =>
  `INSERT INTO guest_usage (agent, kind, records, bytes)
   SELECT p.agent, ${row}.kind, ${sign}1, ${sign}octet_length(${row}.body)
   FROM ${payers(row)} WHERE ${row}.deleted = 0 ${add};`
const version = (row: string, sign: '' | '-') =>
  `INSERT INTO guest_usage (agent, kind, records, bytes)
   SELECT p.agent, '${historyKind}', 0, ${sign}octet_length(${row}.body) FROM ${payers(row)} WHERE 1 ${add};`
const conflictLength = (row: string) =>
  ['lost_body', 'kept_body', 'base_body']
    .map((column) => `ifnull(octet_length(${row}${column}), 0)`)
    .join(' + ')
const conflict = (row: string, sign: '' | '-') =>
  `INSERT INTO guest_usage (agent, kind, records, bytes)
   VALUES ('', '${conflictKind}', 0, ${sign}(${conflictLength(`${row}.`)})) ${add};`

const trigger = (name: string, event: string, body: string) =>
  `CREATE TRIGGER IF NOT EXISTS guest_usage_${name} AFTER ${event} BEGIN ${body} END`
const schema = [
  `CREATE TABLE IF NOT EXISTS guest_usage (agent TEXT NOT NULL, kind TEXT NOT NULL, records INTEGER NOT NULL,
    bytes INTEGER NOT NULL, PRIMARY KEY (agent, kind)) WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS guest_usage_payer ON guest_usage (agent) WHERE kind = ''",
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
  trigger('lost', 'INSERT ON conflicts', conflict('NEW', '')),
  trigger('decided', 'DELETE ON conflicts', conflict('OLD', '-')),
  `INSERT INTO guest_usage (agent, kind, records, bytes)
   SELECT '', '${conflictKind}', 0, ifnull(sum(${conflictLength('')}), 0) FROM conflicts WHERE 1
   ON CONFLICT DO NOTHING`,
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
    (isThere ||= db.get("SELECT 1 FROM sqlite_master WHERE name = 'guest_usage_decided'") !== undefined)

  const none: Usage = { records: 0, bytes: 0 }
  const read = (where: string, params: readonly string[]): Usage => {
    if (!exists()) return none
    const row = db.get<{ records: number; bytes: number }>(
      `SELECT ifnull(sum(records), 0) AS records, ifnull(sum(bytes), 0) AS bytes FROM guest_usage WHERE ${where}`,
      params,
    )
    return row ?? none
  }

  const usages = (payer: string) => [
    { what: 'guest', used: read('agent = ?', [payer]), limit: guest },
    ...Object.entries(kindQuotas).map(([kind, limit]) => ({
      what: kind,
      used: read('agent = ? AND kind = ?', [payer, kind]),
      limit,
    })),
    { what: 'guests', used: read("agent <> ''", []), limit: guests },
  ]

  return {
    refusal(payer, kind, { bytes, before }) {
      for (const { what, used, limit } of usages(payer)) {
        if (what !== 'guest' && what !== 'guests' && what !== kind) continue
        const more = { records: before === undefined ? 1 : 0, bytes: Math.max(0, bytes - (before ?? 0)) }
        for (const part of parts)
          if (more[part] > 0 && used[part] + more[part] > limit[part]) return exceeded(what, part, limit)
      }
      return undefined
    },
    conflictRefusal() {
      const { bytes } = read("agent = '' AND kind = ?", [conflictKind])
      return bytes < guests.bytes ? undefined : exceeded('conflicts', 'bytes', guests)
    },
    begin(payer) {
      if (begun.has(payer)) return
      db.transaction(() => {
        if (!exists()) for (const statement of schema) db.exec(statement)
        if (db.get("SELECT 1 FROM guest_usage WHERE agent = ? AND kind = ''", [payer])) return
        const { sql, params } = sameOrDelegate('agent', payer)
        db.run("INSERT INTO guest_usage (agent, kind, records, bytes) VALUES (?, '', 0, 0)", [payer])
        db.run(
          `INSERT INTO guest_usage (agent, kind, records, bytes)
           SELECT ?, kind, count(*), sum(octet_length(body)) FROM records WHERE ${sql} AND deleted = 0 GROUP BY kind
           UNION ALL SELECT ?, '${historyKind}', 0, ifnull(sum(octet_length(body)), 0) FROM history WHERE ${sql}`,
          [payer, ...params, payer, ...params],
        )
      })
      begun.add(payer)
    },
    within(payer, work) {
      const before = usages(payer)
      const result = work()
      usages(payer).forEach(({ what, used, limit }, i) => {
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
      const { records, bytes } = read("agent <> ''", [])
      return { usedRecords: records, usedBytes: bytes, ...guests }
    },
  }
}
