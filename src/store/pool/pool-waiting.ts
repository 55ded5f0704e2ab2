// Envelopes that rest on something which has not come: a vote without its proposal, a fact without its decision. Invariant:
// each is there until it is judged or its time is over; of more than are kept the oldest is due at once.
import { poolKeep, type PoolWaiting, type PoolWriter } from '../../core/pool/pool-port.ts'
import type { SqlDatabase } from '../../core/ports.ts'

type WaitingRow = {
  readonly n: number
  readonly type: string
  readonly about: string
  readonly claw: string
  readonly key: string
  readonly text: string
  readonly source: string | null
  readonly at: number
  readonly due: number
}

type WaitingTable = Pick<PoolWriter, 'wait' | 'stopWaiting' | 'waiting' | 'nextDue'> & {
  /** The things that something waits for. */
  abouts(): string[]
  /** Lets go of all that waits for one thing. */
  stopWaitingFor(about: string): void
}

const columns = 'n, type, about, claw, key, text, source, at, due'

export function createPoolWaiting(db: SqlDatabase): WaitingTable {
  return {
    wait({ type, about, claw, key, text, from = null, at, due }) {
      db.run(
        'INSERT INTO pool_waiting (type, about, claw, key, text, source, at, due) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        [type, about, claw, key, text, from, at, due],
      )
      db.run('UPDATE pool_waiting SET due = 0 WHERE n <= (SELECT max(n) FROM pool_waiting) - ?', [
        poolKeep.waiting,
      ])
    },
    stopWaiting: (n) => db.run('DELETE FROM pool_waiting WHERE n = ?', [n]),
    abouts: () =>
      db.all<{ about: string }>('SELECT DISTINCT about FROM pool_waiting').map(({ about }) => about),
    stopWaitingFor: (about) => db.run('DELETE FROM pool_waiting WHERE about = ?', [about]),
    waiting({ about, due }) {
      const rows =
        about === undefined
          ? db.all<WaitingRow>(
              `SELECT ${columns} FROM pool_waiting WHERE due <= ? ORDER BY due, n LIMIT 1000`,
              [due ?? Number.MAX_SAFE_INTEGER],
            )
          : db.all<WaitingRow>(`SELECT ${columns} FROM pool_waiting WHERE about = ? ORDER BY n`, [about])
      return rows.map(toWaiting)
    },
    nextDue: () =>
      db.get<{ due: number | null }>('SELECT min(due) AS due FROM pool_waiting')?.due ?? undefined,
  }
}

function toWaiting({ source, type, ...row }: WaitingRow): PoolWaiting {
  return { ...row, type: type as PoolWaiting['type'], ...(source === null ? {} : { from: source }) }
}
