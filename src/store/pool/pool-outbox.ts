// What is to be sent to other claws: a list that each carrier goes through at its own pace, from the oldest on.
// Invariant: an envelope stays until every carrier of this copy has it in its keeping, or it is a week old.
import { poolKeep, type PoolSending, type PoolWriter } from '../../core/pool/pool-port.ts'
import type { EnvelopeType } from '../../core/pool/pool-carrier.ts'
import type { SqlDatabase } from '../../core/ports.ts'

type OutboxRow = {
  readonly n: number
  readonly type: string
  readonly key: string
  readonly grp: string
  readonly text: string
  readonly own: number
  readonly source: string | null
}

export interface PoolOutbox extends Pick<PoolWriter, 'send' | 'sent' | 'outbox' | 'unsent' | 'silence'> {
  pruneOutbox(before: number, carriers: readonly string[]): void
}

export function createPoolOutbox(db: SqlDatabase): PoolOutbox {
  const position = (carrier: string) =>
    db.get<{ n: number }>('SELECT n FROM pool_positions WHERE carrier = ?', [carrier])?.n ?? 0
  return {
    send({ type, key, group, text, own, from = null }, now) {
      db.run('INSERT INTO pool_outbox (at, type, key, grp, text, own, source) VALUES (?, ?, ?, ?, ?, ?, ?)', [
        now,
        type,
        key,
        group,
        text,
        own ? 1 : 0,
        from,
      ])
    },
    sent(carrier, n) {
      db.run(
        `INSERT INTO pool_positions (carrier, n) VALUES (?, ?)
         ON CONFLICT (carrier) DO UPDATE SET n = max(n, excluded.n)`,
        [carrier, n],
      )
    },
    outbox: (carrier, limit) =>
      db
        .all<OutboxRow>(
          `SELECT n, type, key, grp, text, own, source FROM pool_outbox
           WHERE n > ? AND source IS NOT ? ORDER BY n LIMIT ?`,
          [position(carrier), carrier, limit],
        )
        .map(toSending),
    unsent: (carrier) =>
      db.get<{ count: number }>('SELECT count(*) AS count FROM pool_outbox WHERE n > ? AND source IS NOT ?', [
        position(carrier),
        carrier,
      ])?.count ?? 0,
    // The rows stay, because numbers must go on: an empty one is not sent.
    silence: (proposal) =>
      db.run(
        `UPDATE pool_outbox SET text = '' WHERE type <> 'withdrawal'
         AND CASE WHEN json_valid(text) THEN text ->> '$.payload.proposalId' = ? END`,
        [proposal],
      ),
    pruneOutbox(before, carriers) {
      const least = carriers.length === 0 ? 0 : Math.min(...carriers.map(position))
      // The last one stays, so that numbers go on and positions stay true.
      db.run('DELETE FROM pool_outbox WHERE n <= ? AND n < (SELECT max(n) FROM pool_outbox)', [least])
      db.run('DELETE FROM pool_outbox WHERE at < ? AND n < (SELECT max(n) FROM pool_outbox)', [before])
      db.run('DELETE FROM pool_outbox WHERE n <= (SELECT max(n) FROM pool_outbox) - ?', [poolKeep.outbox])
    },
  }
}

function toSending({ n, type, key, grp, text, own, source }: OutboxRow): PoolSending {
  return {
    n,
    type: type as EnvelopeType,
    key,
    group: grp,
    text,
    own: own === 1,
    ...(source === null ? {} : { from: source }),
  }
}
