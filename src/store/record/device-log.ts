// The mirror's memory of each device: how far its numbered ops were answered, and the answers it may ask for again.
// Invariant: an answer is stored in the transaction of its effect, and kept until the device says that it has it.
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'

/** How exactly it is known when a device was last here. */
export const seenWithinMs = 3_600_000

export interface StoredAnswer {
  readonly mid: number
  /** A key of the op's bytes: another op under the same number is another device of the same name. */
  readonly hash: string
  readonly result: string
}

export interface DeviceLog {
  /** The number of the last op of `device` that was answered; 0 for one that is not known. */
  lastMid(device: string): number
  /**
   * Notes the last answered op, how far the device has read, and when it was seen: to within `seenWithinMs`, so that a device
   * that asks for nothing and brings nothing is answered without a write.
   */
  note(device: string, seen: { lastMid: number; cursor: number; atMs: number }): void
  /** The least that any device seen since `since` has read; undefined when none was. */
  leastCursor(since: string): number | undefined
  /** Drops the answers for devices not seen since `since`. */
  dropUnseen(since: string): void
  answer(device: string, mid: number): StoredAnswer | undefined
  keep(device: string, answers: readonly StoredAnswer[]): void
  /** Drops the answers up to `ackedMid`: the device has them. */
  drop(device: string, ackedMid: number): void
}

export function createDeviceLog(db: SqlDatabase): DeviceLog {
  return {
    lastMid: (device) =>
      db.get<{ n: number }>('SELECT last_mid AS n FROM devices WHERE device = ?', [device])?.n ?? 0,
    note(device, { lastMid, cursor, atMs }) {
      const isNoted = db.get(
        'SELECT 1 AS one FROM devices WHERE device = ? AND last_mid = ? AND cursor = ? AND seen_at > ?',
        [device, lastMid, cursor, formatTime(atMs - seenWithinMs)],
      )
      if (isNoted) return
      db.run(
        `INSERT INTO devices (device, last_mid, cursor, seen_at) VALUES (?, ?, ?, ?) ON CONFLICT (device)
         DO UPDATE SET last_mid = excluded.last_mid, cursor = excluded.cursor, seen_at = excluded.seen_at`,
        [device, lastMid, cursor, formatTime(atMs)],
      )
    },
    leastCursor: (since) =>
      db.get<{ n: number | null }>('SELECT min(cursor) AS n FROM devices WHERE seen_at >= ?', [since])?.n ??
      undefined,
    dropUnseen: (since) =>
      db.run('DELETE FROM results WHERE device IN (SELECT device FROM devices WHERE seen_at < ?)', [since]),
    answer: (device, mid) =>
      db.get<StoredAnswer & SqlRow>('SELECT mid, hash, result FROM results WHERE device = ? AND mid = ?', [
        device,
        mid,
      ]),
    keep(device, answers) {
      if (answers.length === 0) return
      db.run(
        `INSERT INTO results (device, mid, hash, result)
         SELECT ?, value ->> 'mid', value ->> 'hash', value ->> 'result' FROM json_each(?)`,
        [device, JSON.stringify(answers)],
      )
    },
    drop: (device, ackedMid) =>
      db.run('DELETE FROM results WHERE device = ? AND mid <= ?', [device, ackedMid]),
  }
}
