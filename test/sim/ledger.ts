// What was written in a simulated world, by whom and on top of what: asks of each write what became of it.
import { openBodies, saidIn } from './world/sim-kind.ts'
import type { ConflictEntry } from '../../src/core/op.ts'
import type { SqlRow } from '../../src/core/ports.ts'
import { ConflictLog } from '../../src/store/record/conflict-log.ts'
import type { Disk } from './world/sim-disk.ts'

export interface Write {
  /** Said once: the text of a put, and the agent of a forget. */
  readonly token: string
  readonly op: 'put' | 'forget'
  readonly record: string
  readonly kind: string
  readonly by: string
  /** The token that stood there before, for its author; undefined when nothing did. */
  readonly saw: string | undefined
  /** It was sealed before it left. */
  readonly isSealed: boolean
  /** A forget after which nothing may stay. */
  readonly isPurge?: boolean
  /** Its author could not read what stood there. */
  readonly isBlind?: boolean
}

export interface Row extends SqlRow {
  readonly id: string
  readonly kind: string
  readonly agent: string
  readonly session: string | null
  readonly resource: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly ver: number
  readonly place: number
  readonly deleted: number
  readonly body: string
}

export interface Ledger {
  readonly writes: readonly Write[]
  add(write: Write): void
  /** Somebody who had no such record began one, by no write that is told apart from others by what it says. */
  begin(record: string): void
  /** The next token. */
  token(): string
  /** These are gone with a disk that was set back: nobody else had them. */
  excuse(tokens: Iterable<string>): void
  isExcused(token: string): boolean
  /** Every entry of the conflict logs of these disks, and of those that were set back. */
  entries(disks: readonly Disk[]): ConflictEntry[]
  /** Tombstones were collected: who creates a record anew may not know that it was forgotten. */
  collect(): void
  /** A clock was set: of an edit and a forget that knew nothing of each other it does not tell which was first. */
  skew(): void
  /**
   * A copy was made or came back, or a mirror began anew: a purge may be carried out again, with the edit that stood
   * on it.
   */
  repeat(): void
  /** What a disk that was set back had in its conflict log is no longer there to be asked. */
  keepLog(disk: Disk): void
  /**
   * True for an edit of the very record that somebody has purged, which was not made on that, nor after it was
   * forgotten.
   */
  isPurgedEdit(write: Write): boolean
  /** Writes that are neither visible, nor superseded by somebody who saw them, nor in a conflict log. */
  lost(mirror: Disk, disks: readonly Disk[]): Write[]
}

const columns = 'id, kind, agent, session, resource, created_at, updated_at, ver, place, deleted, body'

export function rowOf({ db }: Disk, record: string): Row | undefined {
  return db.get<Row>(`SELECT ${columns} FROM records WHERE id = ?`, [record])
}

/** Everything a disk says of its records, tombstones included or not. */
export function rowsOf({ db }: Disk, deleted: 0 | 1): Row[] {
  return db.all<Row>(`SELECT ${columns} FROM records WHERE deleted = ? ORDER BY id`, [deleted])
}

/** The token of the write that a row shows. */
export function tokenOf(row: Row): string {
  return row.deleted ? row.agent : saidIn(row.kind, openBodies.readOrThrow(row, row.body))
}

/** Every token that a disk still knows of, in records, their history and the conflict log. */
export function tokensOf({ db }: Disk): Set<string> {
  const texts = db.all<{ text: string | null }>(
    `SELECT agent AS text FROM records UNION SELECT body ->> 'text' FROM records UNION SELECT agent FROM history
     UNION SELECT body ->> 'text' FROM history UNION SELECT loser_body ->> 'text' FROM conflicts
     UNION SELECT loser_body ->> 'description' FROM conflicts`,
  )
  const marks = db.all<{ kind: string; id: string; body: string }>(
    `SELECT kind, id, body FROM records WHERE kind = 'mark' AND deleted = 0
     UNION SELECT r.kind, r.id, h.body FROM history h JOIN records r ON r.seq = h.seq WHERE r.kind = 'mark' AND h.op = 'put'
     UNION SELECT kind, record, loser_body FROM conflicts WHERE kind = 'mark' AND loser_op = 'put'`,
  )
  const said = marks.flatMap((one) => Object.values(openBodies.readOrThrow(one, one.body)).map(String))
  return new Set([...texts.flatMap(({ text }) => text ?? []), ...said])
}

export function createLedger(): Ledger {
  const writes: Write[] = []
  const excused = new Set<string>()
  const logs: ConflictEntry[] = []
  const logOf = ({ db }: Disk) =>
    new ConflictLog(db, openBodies, {
      quotesForgotten: () => false,
      eraser: { withoutForgottenWords: (_owner, body) => body },
    }).list({
      limit: 10_000,
    })
  let count = 0
  let collected = false
  let skewed = false
  let repeats = false
  const begun: { readonly record: string; readonly after: number }[] = []
  const byToken = (token: string | undefined) => writes.find((one) => one.token === token)
  /** A write, what it was made on, what that was made on, and so on. */
  const lineOf = (write: Write): Write[] => {
    const line = new Set<Write>()
    for (let one: Write | undefined = write; one && !line.has(one); one = byToken(one.saw)) line.add(one)
    return [...line]
  }
  const purgesBeside = (write: Write) =>
    writes.filter((one) => one.isPurge && one.record === write.record && !lineOf(write).includes(one))
  const isPurgedAway = (write: Write) =>
    write.op === 'put' &&
    (purgesBeside(write).length > 0 || (repeats && lineOf(write).some(({ isPurge }) => isPurge)))
  const isPurgedEdit = (write: Write) => {
    const line = lineOf(write)
    const isOfOne = line.every(({ op }) => op === 'put')
    return isOfOne && purgesBeside(write).some((purge) => lineOf(purge).at(-1) === line.at(-1))
  }

  return {
    writes,
    add: (write) => void writes.push(write),
    begin: (record) => void begun.push({ record, after: writes.length }),
    token: () => `w${++count}`,
    excuse(tokens) {
      for (const token of tokens) excused.add(token)
    },
    isExcused: (token) => excused.has(token),
    entries: (disks) => [...logs, ...disks.flatMap(logOf)],
    collect: () => void (collected = true),
    skew: () => void (skewed = true),
    repeat: () => void (repeats = true),
    keepLog: (disk) => void logs.push(...logOf(disk)),
    isPurgedEdit,
    lost(mirror, disks) {
      const entries = [...logs, ...disks.flatMap(logOf)]
      const inLog = ({ op, token, record }: Write) =>
        entries.some(({ record: about, kind, loser }) =>
          op === 'put'
            ? loser.body !== undefined && saidIn(kind, loser.body) === token
            : about === record && loser.op === 'forget',
        )
      const isVisible = ({ token, record, op }: Write) => {
        const row = rowOf(mirror, record)
        if (op === 'forget') return row === undefined || row.deleted === 1
        return row !== undefined && tokenOf(row) === token
      }
      const forgets = new Set(writes.flatMap(({ op, token }) => (op === 'forget' ? [token] : [])))
      // Two that forget the same record say the same: who saw one of them knew what the other wants.
      const isSuperseded = ({ op, token, record }: Write) =>
        (op === 'forget' &&
          begun.some(({ record: about, after }) => about === record && isBegunLater(after, token))) ||
        writes.some(
          ({ record: about, saw = '' }, n) =>
            about === record &&
            (saw === token ||
              (op === 'forget' && (forgets.has(saw) || (saw === '' && isBegunLater(n, token))))),
        )
      // What was begun after a forget that its author did not know of is a record of its own.
      const isBegunLater = (n: number, token: string) =>
        collected || skewed || n > writes.findIndex((one) => one.token === token)
      // Once a record is sealed, no mirror and nobody without the key keeps what was said of it in clear, and lost
      // (E4).
      const veiled = new Set(writes.flatMap(({ record, isSealed }) => (isSealed ? [record] : [])))
      const isVeiled = ({ record, isSealed }: Write) => !isSealed && veiled.has(record)
      // A device that was away until the tombstone was collected keeps nothing of the record: it may have been
      // purged.
      const isCollected = ({ op, record }: Write) =>
        op === 'put' && collected && writes.some((one) => one.op === 'forget' && one.record === record)
      const isKept = (write: Write) =>
        inLog(write) || isVeiled(write) || isPurgedAway(write) || isCollected(write)
      return writes.filter(
        (write) => !excused.has(write.token) && !isVisible(write) && !isSuperseded(write) && !isKept(write),
      )
    },
  }
}
