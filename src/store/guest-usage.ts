// Usage and quotas of guests: records and bytes by guest and kind, counted by triggers. A payer is a guest that the
// owner let in: records of its delegates count for it too. A record of the owner's agents counts only after a guest
// has edited it. The table `book` has the payers and the edited records, so that all can be counted again.
// Invariant: the counts change in the transaction of each change, so no call scans the book.
import { isDelegateSql } from '../core/access/grant.ts'
import { DaybookError } from '../core/errors.ts'
import { utf8Length } from '../core/text/utf8.ts'
import type { SqlDatabase } from '../core/ports.ts'
import type { RecordRow } from './schema/record-row.ts'

export interface Quota {
  readonly records: number
  readonly bytes: number
}

export interface GuestQuotas {
  /** For each guest. */
  readonly guest: Quota
  /** For all guests together. */
  readonly guests: Quota
}

const mebibyte = 1_048_576
export const defaultQuotas: GuestQuotas = {
  guest: { records: 100_000, bytes: 64 * mebibyte },
  guests: { records: 400_000, bytes: 256 * mebibyte },
}
/** Limits of each guest on kinds of records that wait for a person to read them. */
export const kindQuotas: Readonly<Record<string, Quota>> = {
  inbox: { records: 2000, bytes: 4 * mebibyte },
  proposal: { records: 2000, bytes: 4 * mebibyte },
}

/** The usage of all guests together, and its limits. */
export interface QuotaState {
  readonly usedRecords: number
  readonly usedBytes: number
  readonly records: number
  readonly bytes: number
}

/** Counts the earlier versions and the tombstones of an agent's records. */
const historyKind = '@history'
/** Counts the whole conflict log, with the owner's entries. Its agent is empty. */
const conflictKind = '@conflicts'
/** Counts all guests together: each record once, also when several guests pay for it. Its agent is empty. */
const allGuestsKind = '@guests'
/** Counts the records of others that a guest has edited, with their versions, in bytes only. */
const editKind = '@edits'
/**
 * Rows within one transaction: `@now` while the work of a guest runs, `@changed` for each record that it changes, with
 * the record number as agent.
 */
const runningKind = '@now'
const changedKind = '@changed'
/** Prefix of the settings of edited records: the key ends with the record number, the value is `bytes payer`. */
const editedKeyPrefix = 'edited:'
/** Prefix of the settings of payers: the key ends with the agent, the value is empty. */
const payerKeyPrefix = 'payer:'
const payerOf = (key: string) => `substr(${key}, ${payerKeyPrefix.length + 1})`
const addOnConflict =
  'ON CONFLICT DO UPDATE SET records = records + excluded.records, bytes = bytes + excluded.bytes'
/** A row has the usage of an agent in a kind. A row with the kind '' only says that its agent is a payer. */
const insert = 'INSERT INTO guest_usage (agent, kind, records, bytes)'
/**
 * SQL: the payers of a row that `agent` wrote: the agent itself, and each payer that it is a delegate of. The
 * name of a delegate ends with ` by ` and the name of its holder.
 */
const payers = (agent: string) =>
  `(SELECT agent FROM guest_usage WHERE agent = ${agent} AND kind = ''
    UNION ALL SELECT agent FROM guest_usage WHERE kind = ''
      AND instr(${agent}, ' by ') > 0 AND ${isDelegateSql(agent, 'agent')})`
/** SQL: counts one row for each of its payers, and once for all guests together. */
const countForPayers = (
  row: string,
  { kind, records, bytes, where }: Record<'kind' | 'records' | 'bytes' | 'where', string>,
) =>
  `${insert} SELECT p.agent, ${kind}, ${records}, ${bytes} FROM ${payers(`${row}.agent`)} p WHERE ${where} ${addOnConflict};
   ${insert} SELECT '', '${allGuestsKind}', ${records}, ${bytes} WHERE ${where} AND EXISTS ${payers(`${row}.agent`)} ${addOnConflict};`
/** Bytes of a row's head. `usageOfRow` adds the id twice, because an index repeats it. */
const headBytes = 300
/**
 * How a record counts: a live one under its kind, a tombstone under `@history`, without its body. `row`: the
 * alias of the row with a dot, or empty.
 */
const usageOfRow = (row: string) => ({
  kind: `iif(${row}deleted, '${historyKind}', ${row}kind)`,
  records: `iif(${row}deleted, 0, 1)`,
  bytes: `(${headBytes} + 2 * octet_length(${row}id) + iif(${row}deleted, 0, octet_length(${row}body)))`,
})
// SQL for triggers. `row`: `NEW` or `OLD`. `sign`: adds the amounts, or subtracts them.
const countRecord = (row: string, sign: '' | '-') => {
  const { kind, records, bytes } = usageOfRow(`${row}.`)
  return countForPayers(row, { kind, records: sign + records, bytes: sign + bytes, where: '1' })
}
const countVersion = (row: string, sign: '' | '-') =>
  countForPayers(row, {
    kind: `'${historyKind}'`,
    records: '0',
    bytes: `${sign}octet_length(${row}.body)`,
    where: '1',
  })
/** Bytes of the bodies and heads of an entry of the conflict log. */
const conflictLength = (row: string) =>
  ['loser_body', 'winner_body', 'base_body', 'loser_head', 'winner_head']
    .map((column) => `ifnull(octet_length(${row}${column}), 0)`)
    .join(' + ')
const countConflict = (row: string, sign: '' | '-') =>
  `${insert} VALUES ('', '${conflictKind}', 0, ${sign}(${conflictLength(`${row}.`)})) ${addOnConflict};`

/** SQL: records and bytes of the stored records and versions that match `where`, by agent and kind. */
const storedUsage = (where: string) =>
  `(SELECT agent, ${usageOfRow('').kind} AS kind, sum(${usageOfRow('').records}) AS records, sum(${usageOfRow('').bytes}) AS bytes
      FROM records WHERE ${where} GROUP BY 1, 2
    UNION ALL SELECT agent, '${historyKind}', 0, sum(octet_length(body)) FROM history WHERE ${where} GROUP BY agent)`
/** SQL: the payer in the setting that a trigger sees. */
const newPayer = payerOf('NEW.key')
const ofNewPayer = `(agent = ${newPayer} OR ${isDelegateSql('agent', newPayer)})`
/** SQL: counts the records that a new payer already has. Some of them may count for another payer too. */
const countNewPayer = `
  ${insert} SELECT '', '${allGuestsKind}', ifnull(sum(s.records), 0), ifnull(sum(s.bytes), 0) FROM ${storedUsage(ofNewPayer)} s
    WHERE NOT EXISTS ${payers('s.agent')} ${addOnConflict};
  ${insert} VALUES (${newPayer}, '', 0, 0) ON CONFLICT DO NOTHING;
  ${insert} SELECT ${newPayer}, s.kind, sum(s.records), sum(s.bytes) FROM ${storedUsage(ofNewPayer)} s
    WHERE 1 GROUP BY s.kind ${addOnConflict};`

/** SQL: counts the bytes in the setting of an edited record for the payer in it. */
const countEdit = (row: string, sign: '' | '-') => {
  const bytes = `${sign}CAST(${row}.value AS INTEGER)`
  const payer = `substr(${row}.value, instr(${row}.value, ' ') + 1)`
  return `${insert} VALUES (${payer}, '${editKind}', 0, ${bytes}) ${addOnConflict};
    ${insert} VALUES ('', '${allGuestsKind}', 0, ${bytes}) ${addOnConflict};`
}
/** SQL: a deleted record no longer counts as edited. */
const dropEditSetting = (row: string, where: string) =>
  `DELETE FROM book WHERE key = '${editedKeyPrefix}' || ${row}.seq AND ${where};`

const trigger = (name: string, event: string, body: string) =>
  `CREATE TRIGGER guest_usage_${name} AFTER ${event} BEGIN ${body} END`
/**
 * After a change of a trigger's SQL, rename `removed` here and in `#tableExists`: it shows whether a book has these
 * triggers. Add each old name to those that `schema` drops, beside `gone`.
 */
const triggers: Readonly<Record<string, readonly [event: string, body: string]>> = {
  put: ['INSERT ON records', countRecord('NEW', '')],
  change: [
    'UPDATE OF agent, kind, deleted, body ON records',
    `${countRecord('OLD', '-')} ${countRecord('NEW', '')} ${dropEditSetting('NEW', 'NEW.deleted = 1')}
     ${insert} SELECT CAST(NEW.seq AS TEXT), '${changedKind}', 0, 0 FROM guest_usage
       WHERE agent = '' AND kind = '${runningKind}' ON CONFLICT DO NOTHING;`,
  ],
  removed: ['DELETE ON records', `${countRecord('OLD', '-')} ${dropEditSetting('OLD', '1')}`],
  kept: ['INSERT ON history', countVersion('NEW', '')],
  sealed: ['UPDATE OF body ON history', `${countVersion('OLD', '-')} ${countVersion('NEW', '')}`],
  dropped: ['DELETE ON history', countVersion('OLD', '-')],
  lost: ['INSERT ON conflicts', countConflict('NEW', '')],
  decided: ['DELETE ON conflicts', countConflict('OLD', '-')],
  entered: [`INSERT ON book WHEN NEW.key GLOB '${payerKeyPrefix}*'`, countNewPayer],
  edited: [`INSERT ON book WHEN NEW.key GLOB '${editedKeyPrefix}*'`, countEdit('NEW', '')],
  reedited: [
    `UPDATE OF value ON book WHEN NEW.key GLOB '${editedKeyPrefix}*'`,
    `${countEdit('OLD', '-')} ${countEdit('NEW', '')}`,
  ],
  unedited: [`DELETE ON book WHEN OLD.key GLOB '${editedKeyPrefix}*'`, countEdit('OLD', '-')],
}
const schema = [
  `CREATE TABLE IF NOT EXISTS guest_usage (agent TEXT NOT NULL, kind TEXT NOT NULL, records INTEGER NOT NULL,
    bytes INTEGER NOT NULL, PRIMARY KEY (agent, kind)) WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS guest_usage_payer ON guest_usage (agent) WHERE kind = ''",
  // Earlier schemas stored the payers in this table only.
  `INSERT INTO book (key, value) SELECT '${payerKeyPrefix}' || agent, '' FROM guest_usage WHERE kind = ''
   ON CONFLICT DO NOTHING`,
  'DELETE FROM guest_usage',
  // Earlier schemas had the triggers `gone` and `collected`.
  ...['gone', 'collected', ...Object.keys(triggers)].map(
    (name) => `DROP TRIGGER IF EXISTS guest_usage_${name}`,
  ),
  ...Object.entries(triggers).map(([name, [event, body]]) => trigger(name, event, body)),
  `${insert} SELECT ${payerOf('key')}, '', 0, 0 FROM book WHERE key GLOB '${payerKeyPrefix}*'`,
  `${insert} SELECT p.agent, s.kind, sum(s.records), sum(s.bytes)
   FROM ${storedUsage('1')} s JOIN (SELECT agent FROM guest_usage WHERE kind = '') p
     ON p.agent = s.agent OR (instr(s.agent, ' by ') > 0 AND ${isDelegateSql('s.agent', 'p.agent')})
   GROUP BY p.agent, s.kind`,
  `${insert} SELECT '', '${allGuestsKind}', ifnull(sum(s.records), 0), ifnull(sum(s.bytes), 0) FROM ${storedUsage('1')} s
   WHERE EXISTS ${payers('s.agent')}`,
  `${insert} SELECT substr(value, instr(value, ' ') + 1), '${editKind}', 0, sum(CAST(value AS INTEGER)) FROM book
   WHERE key GLOB '${editedKeyPrefix}*' GROUP BY 1`,
  `${insert} SELECT '', '${allGuestsKind}', 0, ifnull(sum(CAST(value AS INTEGER)), 0) FROM book
   WHERE key GLOB '${editedKeyPrefix}*' ${addOnConflict}`,
  `${insert} SELECT '', '${conflictKind}', 0, ifnull(sum(${conflictLength('')}), 0) FROM conflicts`,
]

/** SQL: bytes of a record and its earlier versions. */
const recordAndVersionsBytes = `octet_length(r.body)
  + ifnull((SELECT sum(octet_length(h.body)) FROM history h WHERE h.seq = r.seq), 0)`

interface Usage {
  readonly records: number
  readonly bytes: number
}

interface LimitedUsage {
  /** `guest` for one guest, `guests` for all together, or the name of a kind. */
  readonly quota: string
  readonly used: Usage
  readonly limit: Quota
}

const measures = ['records', 'bytes'] as const
const noUsage: Usage = { records: 0, bytes: 0 }

/** The error contains the limit only: the used amount could reveal records out of the guest's reach. */
function quotaError(quota: string, measure: keyof Quota, limit: Quota) {
  return new DaybookError('quota-exceeded', undefined, {
    details: { quota, part: measure, limit: limit[measure] },
  })
}

export class GuestUsage {
  readonly #db: SqlDatabase
  readonly #quotas: GuestQuotas
  /** True once the table and the triggers exist. A book without guests has none. */
  #hasTable = false

  constructor(db: SqlDatabase, quotas: GuestQuotas = defaultQuotas) {
    this.#db = db
    this.#quotas = quotas
  }

  /** Makes the table and the triggers. Call it outside of transactions, before `addPayer` or `enforceQuota`. */
  createTable(): void {
    if (this.#tableExists()) return
    this.#db.transaction(() => {
      for (const statement of schema) this.#db.exec(statement)
    })
  }

  /** Counts all records of `payer` and its delegates, present and future. Call it inside a transaction. */
  addPayer(payer: string): void {
    this.#db.run('INSERT INTO book (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING', [
      payerKeyPrefix + payer,
      '',
    ])
  }

  /**
   * The `quota-exceeded` error for a put of a body of `bytes` bytes; undefined when it fits. `row`: the record
   * before, if any, which stays as a version.
   */
  quotaErrorForPut(
    payer: string,
    kind: string,
    bytes: number,
    row: RecordRow | undefined,
  ): DaybookError | undefined {
    const live = row?.deleted === 0 ? row : undefined
    const records = live ? 0 : 1
    const growth = { records, bytes: bytes + (live ? this.#newlyCountedBytes(payer, live.seq) : headBytes) }
    // The quota of a kind does not include earlier versions.
    const growthOfKind = { records, bytes: Math.max(0, bytes - utf8Length(live?.body ?? '')) }
    for (const { quota, used, limit } of this.#readUsages(payer)) {
      if (quota !== 'guest' && quota !== 'guests' && quota !== kind) continue
      const added = quota === kind ? growthOfKind : growth
      for (const measure of measures)
        if (added[measure] > 0 && used[measure] + added[measure] > limit[measure])
          return quotaError(quota, measure, limit)
    }
    return undefined
  }

  /** The `quota-exceeded` error for an edit that would enter the conflict log; undefined while the log has room. */
  quotaErrorForConflict(): DaybookError | undefined {
    const { bytes } = this.#readUsage("agent = '' AND kind = ?", [conflictKind])
    const { guests } = this.#quotas
    return bytes < guests.bytes ? undefined : quotaError('conflicts', 'bytes', guests)
  }

  /**
   * Runs `work` and counts the records of others that it changes for `payer`. Call it inside a transaction, after
   * `addPayer`.
   */
  trackEdits<Result>(payer: string, work: () => Result): Result {
    const db = this.#db
    db.run(`${insert} VALUES ('', '${runningKind}', 0, 0) ON CONFLICT DO NOTHING`)
    const result = work()
    const editedRecords = db.all<{ seq: number; bytes: number }>(
      `SELECT r.seq, ${recordAndVersionsBytes} AS bytes
       FROM guest_usage c JOIN records r ON r.seq = CAST(c.agent AS INTEGER)
       WHERE c.kind = '${changedKind}' AND r.deleted = 0 AND ? NOT IN ${payers('r.agent')}`,
      [payer],
    )
    db.run(`DELETE FROM guest_usage WHERE kind IN ('${runningKind}', '${changedKind}')`)
    for (const { seq, bytes } of editedRecords)
      db.run(
        'INSERT INTO book (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        [`${editedKeyPrefix}${seq}`, `${bytes} ${payer}`],
      )
    return result
  }

  /**
   * Adds `payer` and runs `trackEdits`. Throws `quota-exceeded` when `work` added to an amount that is now above its
   * limit.
   */
  enforceQuota<Result>(payer: string, work: () => Result): Result {
    this.addPayer(payer)
    const usagesBefore = this.#readUsages(payer)
    const result = this.trackEdits(payer, work)
    this.#readUsages(payer).forEach(({ quota, used, limit }, i) => {
      const earlier = usagesBefore[i]?.used ?? used
      // A guest above the limit may still make changes that add nothing.
      const measure = measures.find((name) => used[name] > limit[name] && used[name] > earlier[name])
      if (measure) throw quotaError(quota, measure, limit)
    })
    return result
  }

  /** True when the book has ever had a payer. */
  hasPayers(): boolean {
    return (
      this.#tableExists() ||
      this.#db.get('SELECT 1 FROM book WHERE key GLOB ? LIMIT 1', [`${payerKeyPrefix}*`]) !== undefined
    )
  }

  /** Usage and limits of all guests together. Makes the table: call it outside of transactions. */
  readQuotaState(): QuotaState {
    this.createTable()
    const { records, bytes } = this.#readAllGuests()
    return { usedRecords: records, usedBytes: bytes, ...this.#quotas.guests }
  }

  /** Looks for a trigger that earlier schemas lack: in such a book `createTable` makes all again. */
  #tableExists(): boolean {
    const sql = "SELECT 1 FROM sqlite_master WHERE name = 'guest_usage_removed'"
    return (this.#hasTable ||= this.#db.get(sql) !== undefined)
  }

  #readUsage(where: string, params: readonly string[]): Usage {
    if (!this.#tableExists()) return noUsage
    const row = this.#db.get<{ records: number; bytes: number }>(
      `SELECT ifnull(sum(records), 0) AS records, ifnull(sum(bytes), 0) AS bytes FROM guest_usage WHERE ${where}`,
      params,
    )
    return row ?? noUsage
  }

  #readAllGuests(): Usage {
    return this.#readUsage("agent = '' AND kind = ?", [allGuestsKind])
  }

  /** In the same order at each call: `enforceQuota` compares two results by position. */
  #readUsages(payer: string): LimitedUsage[] {
    return [
      { quota: 'guest', used: this.#readUsage('agent = ?', [payer]), limit: this.#quotas.guest },
      ...Object.entries(kindQuotas).map(([quota, limit]) => {
        return { quota, used: this.#readUsage('agent = ? AND kind = ?', [payer, quota]), limit }
      }),
      { quota: 'guests', used: this.#readAllGuests(), limit: this.#quotas.guests },
    ]
  }

  /** Bytes of a record that an edit would newly count for `payer`: 0 for its own records. */
  #newlyCountedBytes(payer: string, seq: number): number {
    const row = this.#db.get<{ bytes: number }>(
      `SELECT ${recordAndVersionsBytes} - ifnull((SELECT CAST(value AS INTEGER) FROM book
           WHERE key = '${editedKeyPrefix}' || r.seq AND substr(value, instr(value, ' ') + 1) = ?), 0) AS bytes
       FROM records r WHERE r.seq = ? AND ? NOT IN ${payers('r.agent')}`,
      [payer, seq, payer],
    )
    return row?.bytes ?? 0
  }
}
