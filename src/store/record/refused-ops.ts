// Ops that the mirror will never take as they are: each waits in the log, with the reason, until its record changes again or
// somebody has it tried once more. Everything here that writes runs inside a transaction.
// Invariant: a refused op is in nobody's way, since it has neither a number nor bytes for the wire.
import type { RefusedOp } from '../../core/capability/refused-op.ts'
import type { SqlDatabase } from '../../core/ports.ts'

/** Why an op was refused, in the words of the error that said so. */
export interface Refusal {
  readonly code: string
  readonly message: string
  /** Canonical time. */
  readonly at?: string | undefined
  /** Where in the change, if the error said so. */
  readonly path?: string | undefined
}

export interface RefusedOps {
  /** The op can't be taken as it is. It is sent no more; a later edit of its record takes its place. */
  refuse(op: { readonly n: number; readonly mid?: number }, reason: Refusal): void
  /** The refused ops, oldest first, after number `after`. */
  refused(limit: number, after?: number): RefusedOp[]
  /** How many ops were refused. */
  refusedCount(): number
  /** Refused ops are unsent again: those of these records, or all. Answers the records. */
  retry(records?: readonly string[]): { readonly id: string; readonly kind: string }[]
  /** Why the first refused op was refused, if any was. */
  refusal(): Refusal | undefined
}

export const refusalOf = (text: string): Refusal => JSON.parse(text) as Refusal

/** `acknowledge` notes the number of an op that the mirror has answered. */
export function createRefusedOps(db: SqlDatabase, acknowledge: (mid: number) => void): RefusedOps {
  return {
    refuse({ n, mid }, reason) {
      const replaced = db.get(
        'SELECT o.n FROM ops o JOIN records r ON r.seq = o.seq WHERE o.n = ? AND r.op <> o.n',
        [n],
      )
      if (replaced) db.run('DELETE FROM ops WHERE n = ?', [n])
      else
        db.run('UPDATE ops SET mid = NULL, wire = NULL, refused = ? WHERE n = ?', [JSON.stringify(reason), n])
      if (mid !== undefined) acknowledge(mid)
    },
    refusal() {
      const row = db.get<{ refused: string }>(
        'SELECT refused FROM ops WHERE refused IS NOT NULL ORDER BY n LIMIT 1',
      )
      return row && refusalOf(row.refused)
    },
    refused(limit, after = 0) {
      const rows = db.all<{ n: number; id: string; kind: string; deleted: number; refused: string }>(
        `SELECT o.n, r.id, r.kind, r.deleted, o.refused FROM ops o JOIN records r ON r.seq = o.seq
         WHERE o.refused IS NOT NULL AND o.n > ? ORDER BY o.n LIMIT ?`,
        [after, limit],
      )
      return rows.map(({ n, id: record, kind, deleted, refused }) => {
        return { n, record, kind, op: deleted ? 'forget' : 'put', ...refusalOf(refused) }
      })
    },
    refusedCount: () =>
      db.get<{ n: number }>('SELECT count(*) AS n FROM ops WHERE refused IS NOT NULL')?.n ?? 0,
    retry(records) {
      const found = db.all<{ n: number; id: string; kind: string }>(
        `SELECT o.n, r.id, r.kind FROM ops o JOIN records r ON r.seq = o.seq
         WHERE o.refused IS NOT NULL AND (? IS NULL OR r.id IN (SELECT value FROM json_each(?))) ORDER BY o.n`,
        [records ? 1 : null, JSON.stringify(records ?? [])],
      )
      for (const { n } of found) db.run('UPDATE ops SET refused = NULL WHERE n = ?', [n])
      return found.map(({ id, kind }) => ({ id, kind }))
    },
  }
}
