// The outbox of the pool: envelopes to other claws. Each carrier reads it from the oldest on, and has its own
// position.
// Invariant: an envelope stays until every carrier of this copy has taken it, unless it is older than
// `poolKeep.outboxDays` or beyond `poolKeep.outbox`.
import { type EnvelopeType, type PoolSending, type PoolWriter, poolKeep } from '../../core/pool.ts'
import { recordIds } from '../../core/text/name-id.ts'
import type { SqlDatabase } from '../../core/ports.ts'

/**
 * `key`: idempotency key of the envelope. `text`: its JSON; empty when its words were removed, then it is
 * not sent. `grp`: the group it is for. `own`: 1 for an envelope of this book. `source`: the carrier that delivered it,
 * which does not get it again.
 */
type OutboxRow = {
  readonly n: number
  readonly type: string
  readonly key: string
  readonly grp: string
  readonly text: string
  readonly own: number
  readonly source: string | null
}

type OutboxMethod = 'send' | 'sent' | 'outbox' | 'isToSend' | 'unsent' | 'dropProposalWords'

export interface PoolOutbox extends Pick<PoolWriter, OutboxMethod> {
  /** The proposals that stored envelopes are about. */
  proposalIds(): string[]
  /** Empties the envelopes that repeat the ballot, decision or fact `id`. */
  clearEnvelopesOfRecord(kind: string, id: string): void
  /**
   * Removes envelopes that all `carriers` have taken, that are older than `before` (milliseconds), or that are too
   * many.
   */
  pruneOutbox(before: number, carriers: readonly string[]): void
}

/** For each kind: the type of the envelopes that repeat its records, and the record id for their key and claw. */
const envelopesByKind: Readonly<
  Record<string, { type: EnvelopeType; idOf: (key: string, claw: string) => string }>
> = {
  pool_ballot: { type: 'vote', idOf: recordIds.ballot },
  pool_decision: { type: 'decision', idOf: recordIds.decision },
  pool_fact: { type: 'fact', idOf: recordIds.fact },
}
/** SQL of the member at `path` of an envelope; null when its text is no JSON. */
const memberSql = (path: string) => `CASE WHEN json_valid(text) THEN text ->> '$.${path}' END`

export function createPoolOutbox(db: SqlDatabase): PoolOutbox {
  const positionOf = (carrier: string) =>
    db.get<{ n: number }>('SELECT n FROM pool_positions WHERE carrier = ?', [carrier])?.n ?? 0
  return {
    send({ type, key, group, text, own, fromCarrier = null }, now) {
      db.run('INSERT INTO pool_outbox (at, type, key, grp, text, own, source) VALUES (?, ?, ?, ?, ?, ?, ?)', [
        now,
        type,
        key,
        group,
        text,
        own ? 1 : 0,
        fromCarrier,
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
          [positionOf(carrier), carrier, limit],
        )
        .map(toEnvelope),
    isToSend: (n) => db.get("SELECT 1 FROM pool_outbox WHERE n = ? AND text <> ''", [n]) !== undefined,
    unsent: (carrier) =>
      db.get<{ count: number }>('SELECT count(*) AS count FROM pool_outbox WHERE n > ? AND source IS NOT ?', [
        positionOf(carrier),
        carrier,
      ])?.count ?? 0,
    // The rows stay, so that numbers keep growing. A row without text is not sent.
    dropProposalWords: (proposal) =>
      db.run(
        `UPDATE pool_outbox SET text = '' WHERE type <> 'withdrawal' AND ${memberSql('payload.proposalId')} = ?`,
        [proposal],
      ),
    proposalIds: () =>
      db
        .all<{ proposal: string | null }>(
          `SELECT key AS proposal FROM pool_outbox WHERE type IN ('proposal', 'vote', 'decision') AND text <> ''
           UNION SELECT ${memberSql('payload.proposalId')} FROM pool_outbox WHERE type = 'fact' AND text <> ''`,
        )
        .map(({ proposal }) => proposal ?? ''),
    clearEnvelopesOfRecord(kind, id) {
      const repeated = envelopesByKind[kind]
      if (!repeated) return
      const rows = db.all<{ n: number; key: string; claw: string | null }>(
        `SELECT n, key, ${memberSql('clawId')} AS claw FROM pool_outbox WHERE type = ? AND text <> ''`,
        [repeated.type],
      )
      for (const { n, key, claw } of rows)
        if (repeated.idOf(key, claw ?? '') === id) db.run("UPDATE pool_outbox SET text = '' WHERE n = ?", [n])
    },
    pruneOutbox(before, carriers) {
      const minPosition = carriers.length === 0 ? 0 : Math.min(...carriers.map(positionOf))
      // The last row stays, so that numbers keep growing and positions stay valid.
      db.run('DELETE FROM pool_outbox WHERE n <= ? AND n < (SELECT max(n) FROM pool_outbox)', [minPosition])
      db.run('DELETE FROM pool_outbox WHERE at < ? AND n < (SELECT max(n) FROM pool_outbox)', [before])
      db.run('DELETE FROM pool_outbox WHERE n <= (SELECT max(n) FROM pool_outbox) - ?', [poolKeep.outbox])
    },
  }
}

function toEnvelope({ n, type, key, grp, text, own, source }: OutboxRow): PoolSending {
  return {
    n,
    type: type as EnvelopeType,
    key,
    group: grp,
    text,
    own: own === 1,
    ...(source === null ? {} : { fromCarrier: source }),
  }
}
