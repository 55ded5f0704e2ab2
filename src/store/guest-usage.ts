// How much of a book its guests take, and how much they may: records and bytes by guest and kind, counted by triggers.
// Invariants: the counts change in the transaction of each change, whoever makes it, so nothing is scanned for a call; what
// delegates store counts for the guest that the owner let in; what the owner's agents have stored is not counted, but for what a
// guest has edited. Whose records count, and which were edited, are settings of the book, so every copy of it counts the same.
import { isDelegateSql } from '../core/access/delegate-name.ts'
import { DaybookError } from '../core/errors.ts'
import { utf8Length } from '../core/text/utf8.ts'
import type { SqlDatabase } from '../core/ports.ts'
import type { RecordRow } from './schema/record-row.ts'

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
  /** Makes ready to count. Outside of transactions, before `enter` or `within`. */
  begin(): void
  /** From now on what `payer` and its delegates have stored counts, what is there already too. Inside a transaction. */
  enter(payer: string): void
  /** The `quota-exceeded` of a guest that is to put a body of so many bytes, in place of what `row` says, which stays as a version. */
  refusal(payer: string, kind: string, bytes: number, row: RecordRow | undefined): DaybookError | undefined
  /** Runs a guest's work inside a transaction, entered, and counts the records of others that it has changed for `payer`. */
  noting<Result>(payer: string, work: () => Result): Result
  /** The same; throws `quota-exceeded` where it leaves more than the guest may have. */
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
/** What all guests have stored, under the name of nobody: each record once, however many of them it counts for. */
const allKind = '@guests'
/** Records of others that a guest has edited, with their versions: bytes alone. */
const editKind = '@edits'
/** Marks the guest whose work runs, and the records that this work changes. Nowhere but within its transaction. */
const nowKind = '@now'
const changedKind = '@changed'
/** Settings of the book, by the number of a record of somebody else: `bytes payer`. */
const editedKey = 'edited:'
/** Settings of the book: the guests that what is stored counts for. */
const payerKey = 'payer:'
const payerOf = (key: string) => `substr(${key}, ${payerKey.length + 1})`
const add = 'ON CONFLICT DO UPDATE SET records = records + excluded.records, bytes = bytes + excluded.bytes'
const insert = 'INSERT INTO guest_usage (agent, kind, records, bytes)'
/** Those for whom a row of `agent` counts. */
const payers = (agent: string) =>
  `(SELECT agent FROM guest_usage WHERE agent = ${agent} AND kind = ''
    UNION ALL SELECT agent FROM guest_usage WHERE kind = ''
      AND instr(${agent}, ' by ') > 0 AND ${isDelegateSql(agent, 'agent')})`
/** Counts one row for each of its payers, and once for all of them. */
const count = (
  row: string,
  { kind, records, bytes, where }: Record<'kind' | 'records' | 'bytes' | 'where', string>,
) =>
  `${insert} SELECT p.agent, ${kind}, ${records}, ${bytes} FROM ${payers(`${row}.agent`)} p WHERE ${where} ${add};
   ${insert} SELECT '', '${allKind}', ${records}, ${bytes} WHERE ${where} AND EXISTS ${payers(`${row}.agent`)} ${add};`
/** What a row takes beside its body: its head, twice its id, which stands in an index too. */
const headBytes = 300
/** A record counts with its kind. Its tombstone takes less, and counts as an earlier version does. */
const parted = (row: string) => ({
  kind: `iif(${row}deleted, '${historyKind}', ${row}kind)`,
  records: `iif(${row}deleted, 0, 1)`,
  bytes: `(${headBytes} + 2 * octet_length(${row}id) + iif(${row}deleted, 0, octet_length(${row}body)))`,
})
const change = (row: string, sign: '' | '-') => {
  const { kind, records, bytes } = parted(`${row}.`)
  return count(row, { kind, records: sign + records, bytes: sign + bytes, where: '1' })
}
const version = (row: string, sign: '' | '-') =>
  count(row, {
    kind: `'${historyKind}'`,
    records: '0',
    bytes: `${sign}octet_length(${row}.body)`,
    where: '1',
  })
const conflictLength = (row: string) =>
  ['lost_body', 'kept_body', 'base_body']
    .map((column) => `ifnull(octet_length(${row}${column}), 0)`)
    .join(' + ')
const conflict = (row: string, sign: '' | '-') =>
  `${insert} VALUES ('', '${conflictKind}', 0, ${sign}(${conflictLength(`${row}.`)})) ${add};`

/** What is stored of whose `agent` is as `where` says, by agent and kind. */
const stored = (where: string) =>
  `(SELECT agent, ${parted('').kind} AS kind, sum(${parted('').records}) AS records, sum(${parted('').bytes}) AS bytes
      FROM records WHERE ${where} GROUP BY 1, 2
    UNION ALL SELECT agent, '${historyKind}', 0, sum(octet_length(body)) FROM history WHERE ${where} GROUP BY agent)`
const newPayer = payerOf('NEW.key')
const ofNewPayer = `(agent = ${newPayer} OR ${isDelegateSql('agent', newPayer)})`
/** What is there of a new payer, of which some may count for another already. */
const countNewPayer = `
  ${insert} SELECT '', '${allKind}', ifnull(sum(s.records), 0), ifnull(sum(s.bytes), 0) FROM ${stored(ofNewPayer)} s
    WHERE NOT EXISTS ${payers('s.agent')} ${add};
  ${insert} VALUES (${newPayer}, '', 0, 0) ON CONFLICT DO NOTHING;
  ${insert} SELECT ${newPayer}, s.kind, sum(s.records), sum(s.bytes) FROM ${stored(ofNewPayer)} s
    WHERE 1 GROUP BY s.kind ${add};`

const edited = (row: string, sign: '' | '-') => {
  const bytes = `${sign}CAST(${row}.value AS INTEGER)`
  const payer = `substr(${row}.value, instr(${row}.value, ' ') + 1)`
  return `${insert} VALUES (${payer}, '${editKind}', 0, ${bytes}) ${add};
    ${insert} VALUES ('', '${allKind}', 0, ${bytes}) ${add};`
}
/** What was edited counts no more once its record is gone. */
const unedited = (row: string, where: string) =>
  `DELETE FROM book WHERE key = '${editedKey}' || ${row}.seq AND ${where};`

const trigger = (name: string, event: string, body: string) =>
  `CREATE TRIGGER guest_usage_${name} AFTER ${event} BEGIN ${body} END`
const triggers: Readonly<Record<string, readonly [event: string, body: string]>> = {
  put: ['INSERT ON records', change('NEW', '')],
  change: [
    'UPDATE OF agent, kind, deleted, body ON records',
    `${change('OLD', '-')} ${change('NEW', '')} ${unedited('NEW', 'NEW.deleted = 1')}
     ${insert} SELECT CAST(NEW.seq AS TEXT), '${changedKind}', 0, 0 FROM guest_usage
       WHERE agent = '' AND kind = '${nowKind}' ON CONFLICT DO NOTHING;`,
  ],
  collected: ['DELETE ON records', `${change('OLD', '-')} ${unedited('OLD', '1')}`],
  kept: ['INSERT ON history', version('NEW', '')],
  sealed: ['UPDATE OF body ON history', `${version('OLD', '-')} ${version('NEW', '')}`],
  dropped: ['DELETE ON history', version('OLD', '-')],
  lost: ['INSERT ON conflicts', conflict('NEW', '')],
  decided: ['DELETE ON conflicts', conflict('OLD', '-')],
  entered: [`INSERT ON book WHEN NEW.key GLOB '${payerKey}*'`, countNewPayer],
  edited: [`INSERT ON book WHEN NEW.key GLOB '${editedKey}*'`, edited('NEW', '')],
  reedited: [
    `UPDATE OF value ON book WHEN NEW.key GLOB '${editedKey}*'`,
    `${edited('OLD', '-')} ${edited('NEW', '')}`,
  ],
  unedited: [`DELETE ON book WHEN OLD.key GLOB '${editedKey}*'`, edited('OLD', '-')],
}
const schema = [
  `CREATE TABLE IF NOT EXISTS guest_usage (agent TEXT NOT NULL, kind TEXT NOT NULL, records INTEGER NOT NULL,
    bytes INTEGER NOT NULL, PRIMARY KEY (agent, kind)) WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS guest_usage_payer ON guest_usage (agent) WHERE kind = ''",
  // Earlier versions counted here for those that had come, and kept them nowhere else.
  `INSERT INTO book (key, value) SELECT '${payerKey}' || agent, '' FROM guest_usage WHERE kind = ''
   ON CONFLICT DO NOTHING`,
  'DELETE FROM guest_usage',
  ...['gone', ...Object.keys(triggers)].map((name) => `DROP TRIGGER IF EXISTS guest_usage_${name}`),
  ...Object.entries(triggers).map(([name, [event, body]]) => trigger(name, event, body)),
  `${insert} SELECT ${payerOf('key')}, '', 0, 0 FROM book WHERE key GLOB '${payerKey}*'`,
  `${insert} SELECT p.agent, s.kind, sum(s.records), sum(s.bytes)
   FROM ${stored('1')} s JOIN (SELECT agent FROM guest_usage WHERE kind = '') p
     ON p.agent = s.agent OR (instr(s.agent, ' by ') > 0 AND ${isDelegateSql('s.agent', 'p.agent')})
   GROUP BY p.agent, s.kind`,
  `${insert} SELECT '', '${allKind}', ifnull(sum(s.records), 0), ifnull(sum(s.bytes), 0) FROM ${stored('1')} s
   WHERE EXISTS ${payers('s.agent')}`,
  `${insert} SELECT substr(value, instr(value, ' ') + 1), '${editKind}', 0, sum(CAST(value AS INTEGER)) FROM book
   WHERE key GLOB '${editedKey}*' GROUP BY 1`,
  `${insert} SELECT '', '${allKind}', 0, ifnull(sum(CAST(value AS INTEGER)), 0) FROM book
   WHERE key GLOB '${editedKey}*' ${add}`,
  `${insert} SELECT '', '${conflictKind}', 0, ifnull(sum(${conflictLength('')}), 0) FROM conflicts`,
]

/** A record with its earlier versions. */
const whole = `octet_length(r.body)
  + ifnull((SELECT sum(octet_length(h.body)) FROM history h WHERE h.seq = r.seq), 0)`

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
  /** A book without guests has no such table, and its opening writes nothing. */
  let isThere = false
  const exists = () =>
    (isThere ||= db.get("SELECT 1 FROM sqlite_master WHERE name = 'guest_usage_collected'") !== undefined)
  const begin = () => {
    if (exists()) return
    db.transaction(() => {
      for (const statement of schema) db.exec(statement)
    })
  }

  const none: Usage = { records: 0, bytes: 0 }
  const read = (where: string, params: readonly string[]): Usage => {
    if (!exists()) return none
    const row = db.get<{ records: number; bytes: number }>(
      `SELECT ifnull(sum(records), 0) AS records, ifnull(sum(bytes), 0) AS bytes FROM guest_usage WHERE ${where}`,
      params,
    )
    return row ?? none
  }

  const all = () => read("agent = '' AND kind = ?", [allKind])
  const usages = (payer: string) => [
    { what: 'guest', used: read('agent = ?', [payer]), limit: guest },
    ...Object.entries(kindQuotas).map(([kind, limit]) => ({
      what: kind,
      used: read('agent = ? AND kind = ?', [payer, kind]),
      limit,
    })),
    { what: 'guests', used: all(), limit: guests },
  ]

  const enter = (payer: string) =>
    db.run('INSERT INTO book (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING', [payerKey + payer, ''])

  /** Bytes of the record of this number that begin to count for `payer` once it edits it: none of its own. */
  const newlyCounted = (payer: string, seq: number) =>
    db.get<{ bytes: number }>(
      `SELECT ${whole} - ifnull((SELECT CAST(value AS INTEGER) FROM book
           WHERE key = '${editedKey}' || r.seq AND substr(value, instr(value, ' ') + 1) = ?), 0) AS bytes
       FROM records r WHERE r.seq = ? AND ? NOT IN ${payers('r.agent')}`,
      [payer, seq, payer],
    )?.bytes ?? 0

  const noting = <Result>(payer: string, work: () => Result): Result => {
    db.run(`${insert} VALUES ('', '${nowKind}', 0, 0) ON CONFLICT DO NOTHING`)
    const result = work()
    const others = db.all<{ seq: number; bytes: number }>(
      `SELECT r.seq, ${whole} AS bytes
       FROM guest_usage c JOIN records r ON r.seq = CAST(c.agent AS INTEGER)
       WHERE c.kind = '${changedKind}' AND r.deleted = 0 AND ? NOT IN ${payers('r.agent')}`,
      [payer],
    )
    db.run(`DELETE FROM guest_usage WHERE kind IN ('${nowKind}', '${changedKind}')`)
    for (const { seq, bytes } of others)
      db.run(
        'INSERT INTO book (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        [`${editedKey}${seq}`, `${bytes} ${payer}`],
      )
    return result
  }

  return {
    refusal(payer, kind, bytes, row) {
      const live = row?.deleted === 0 ? row : undefined
      const records = live ? 0 : 1
      const inAll = { records, bytes: bytes + (live ? newlyCounted(payer, live.seq) : headBytes) }
      // Earlier versions do not count with their kind.
      const ofKind = { records, bytes: Math.max(0, bytes - utf8Length(live?.body ?? '')) }
      for (const { what, used, limit } of usages(payer)) {
        if (what !== 'guest' && what !== 'guests' && what !== kind) continue
        const more = what === kind ? ofKind : inAll
        for (const part of parts)
          if (more[part] > 0 && used[part] + more[part] > limit[part]) return exceeded(what, part, limit)
      }
      return undefined
    },
    conflictRefusal() {
      const { bytes } = read("agent = '' AND kind = ?", [conflictKind])
      return bytes < guests.bytes ? undefined : exceeded('conflicts', 'bytes', guests)
    },
    begin,
    enter,
    noting,
    within(payer, work) {
      enter(payer)
      const before = usages(payer)
      const result = noting(payer, work)
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
    isCounting: () =>
      exists() || db.get('SELECT 1 FROM book WHERE key GLOB ? LIMIT 1', [`${payerKey}*`]) !== undefined,
    state() {
      begin()
      const { records, bytes } = all()
      return { usedRecords: records, usedBytes: bytes, ...guests }
    },
  }
}
