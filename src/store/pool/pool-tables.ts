// The pool's own tables at this copy of a book: what was had, what came of it, what is to be sent, what waits, who is there.
// Invariant: changes stand exactly if the write does in which they were made; each table is bounded; nothing is synced.
import { poolKeep, type PoolWriter } from '../../core/pool/pool-port.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import { createPoolAudit } from './pool-audit.ts'
import { createPoolOutbox } from './pool-outbox.ts'
import { createPoolWaiting } from './pool-waiting.ts'

type PresenceRow = {
  readonly claw: string
  readonly instance: string
  readonly at: number
  readonly status: string
  readonly name: string | null
  readonly own: number
}

export function createPoolTables(db: SqlDatabase): PoolWriter {
  const audit = createPoolAudit(db)
  const outbox = createPoolOutbox(db)
  const waiting = createPoolWaiting(db)
  let revision = 0
  const counted: PoolWriter = {
    get revision() {
      return revision
    },
    ...audit,
    ...outbox,
    ...waiting,
    send(envelope, now) {
      revision += 1
      outbox.send(envelope, now)
    },
    wait(entry) {
      revision += 1
      waiting.wait(entry)
    },
    had: (claw, key) =>
      db.get<{ hash: string }>('SELECT hash FROM pool_keys WHERE claw = ? AND key = ?', [claw, key])?.hash,
    remember: (claw, key, hash) =>
      db.run('INSERT OR IGNORE INTO pool_keys (claw, key, hash) VALUES (?, ?, ?)', [claw, key, hash]),
    unremember: (claw, key) => db.run('DELETE FROM pool_keys WHERE claw = ? AND key = ?', [claw, key]),
    presence: () =>
      db
        .all<PresenceRow>('SELECT claw, instance, at, status, name, own FROM pool_presence ORDER BY claw')
        .map(({ claw, instance, at, status, name, own }) => ({
          claw,
          instance,
          at,
          status: status === 'stopping' ? 'stopping' : 'active',
          ...(name === null ? {} : { name }),
          own: own === 1,
        })),
    present({ claw, instance, at, status, name, own }) {
      const known = db.get<{ at: number }>('SELECT at FROM pool_presence WHERE claw = ? AND instance = ?', [
        claw,
        instance,
      ])
      if (known && known.at >= at) return false
      revision += 1
      db.run(
        `INSERT OR REPLACE INTO pool_presence (claw, instance, at, status, name, own) VALUES (?, ?, ?, ?, ?, ?)`,
        [claw, instance, at, status, name ?? null, own ? 1 : 0],
      )
      return true
    },
    own: (claw) => db.run('INSERT OR IGNORE INTO pool_own (claw) VALUES (?)', [claw]),
    isOwn: (claw) => db.get('SELECT 1 AS one FROM pool_own WHERE claw = ?', [claw]) !== undefined,
    prune(now, carriers) {
      db.run('DELETE FROM pool_keys WHERE n <= (SELECT max(n) FROM pool_keys) - ?', [poolKeep.keys])
      db.run('DELETE FROM pool_presence WHERE at < ?', [now - poolKeep.presenceMs])
      audit.pruneAudit(formatTime(now - poolKeep.auditDays * 86_400_000))
      outbox.pruneOutbox(now - poolKeep.outboxDays * 86_400_000, carriers)
    },
  }
  return counted
}
