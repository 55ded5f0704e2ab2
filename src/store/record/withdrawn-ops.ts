// Sent ops whose bytes were erased, because their record was forgotten, purged or sealed before the answer came.
// Invariant: the erased bytes are in no column of the book from the transaction of that change on.
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { isPurged, type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { PendingOp } from './pending-op.ts'

/** An op that was sent and whose bytes were withdrawn since, with the record as that stands now. */
export interface WithdrawnOp extends PendingOp {
  readonly mid: number
}

export interface WithdrawnOps {
  /**
   * Erases the bytes of the sent op of the record of `row`, which was just forgotten, purged or sealed: what they say must
   * not leave the device again. A forget takes their place at once, since the record may be made again.
   */
  withdraw(row: RecordRow): void
  /** True when an op was withdrawn since this was last called. */
  tookBack(): boolean
  /** The withdrawn ops that have no bytes yet, in order. */
  withdrawn(): WithdrawnOp[]
  /** Gives a withdrawn op the bytes that are sent in place of the erased ones. */
  rewrite(op: WithdrawnOp, wire: string): void
}

/** The op under which the forget in `row` goes in place of what was `sent`. */
function forgetInstead({ mid, base }: { mid: number; base: number }, row: RecordRow): string {
  const { kind, id, stamp, updated_at: at, agent } = row
  const purge = isPurged(row) ? { purge: true } : {}
  return JSON.stringify({ mid, kind, id, op: 'forget', base, stamp, at, agent, instead: true, ...purge })
}

type Joined = RecordRow & SqlRow & Omit<WithdrawnOp, 'row'>

export function createWithdrawnOps(db: SqlDatabase): WithdrawnOps {
  let hasTakenBack = false
  return {
    withdraw(row) {
      const own = 'WHERE mid IS NOT NULL AND seq = ?'
      const sent = db.get<{ base: number; mid: number }>(`SELECT base, mid FROM ops ${own}`, [row.seq])
      if (!sent) return
      const wire = row.deleted === 1 ? forgetInstead(sent, row) : ''
      // The answer says which bytes the mirror took: a merge has as its base what those said.
      db.run(
        `UPDATE ops SET wire = ?, rev = NULL,
           erased_rev = CASE WHEN erased_rev IS NULL THEN rev WHEN wire = '' THEN erased_rev ELSE 0 END ${own}`,
        [wire, row.seq],
      )
      hasTakenBack = true
    },
    tookBack() {
      const before = hasTakenBack
      hasTakenBack = false
      return before
    },
    withdrawn: () =>
      db
        .all<Joined>(
          `SELECT o.n, o.mid, o.base, o.base_rev, o.rounds, o.reseal, ${recordColumns}
           FROM ops o JOIN records r ON r.seq = o.seq WHERE o.mid IS NOT NULL AND o.wire = '' ORDER BY o.mid`,
        )
        .map(({ n, mid, base, base_rev, rounds, reseal, ...row }) => {
          return { n, mid, base, base_rev, rounds, reseal, row: row as RecordRow }
        }),
    rewrite: ({ n, row }, wire) => db.run('UPDATE ops SET wire = ?, rev = ? WHERE n = ?', [wire, row.rev, n]),
  }
}
