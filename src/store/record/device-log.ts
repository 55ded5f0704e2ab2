// The mirror's log of devices: the last answered op of each, and the answers that a device may request again.
// Invariant: the transaction of an op's effect stores its answer, which stays until the device confirms it. A repeated
// op without its answer would look like an op of another device with the same name.
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'

/** The precision of `seen_at`. */
export const seenPrecisionMs = 3_600_000

export interface StoredAnswer {
  /** The number of the op: each device numbers its ops from 1. */
  readonly mid: number
  /**
   * A hash of the op's bytes. An op with the same number and another hash is from another device with the same name.
   */
  readonly hash: string
  /** The answer, for the store only text. */
  readonly result: string
}

export class DeviceLog {
  readonly #db: SqlDatabase

  constructor(db: SqlDatabase) {
    this.#db = db
  }

  /** The number of the last answered op of `device`; 0 for an unknown one. */
  lastMid(device: string): number {
    return this.#db.get<{ n: number }>('SELECT last_mid AS n FROM devices WHERE device = ?', [device])?.n ?? 0
  }

  /**
   * Stores the last answered op, the cursor of the device (the place up to which it has read), and the time.
   * When only the time differs, by less than `seenPrecisionMs`, it writes nothing, so most requests without
   * changes need no write.
   */
  storeSeen(
    device: string,
    { lastMid, cursor, atMs }: { lastMid: number; cursor: number; atMs: number },
  ): void {
    const isStored = this.#db.get(
      'SELECT 1 AS one FROM devices WHERE device = ? AND last_mid = ? AND cursor = ? AND seen_at > ?',
      [device, lastMid, cursor, formatTime(atMs - seenPrecisionMs)],
    )
    if (isStored) return
    this.#db.run(
      `INSERT INTO devices (device, last_mid, cursor, seen_at) VALUES (?, ?, ?, ?) ON CONFLICT (device)
       DO UPDATE SET last_mid = excluded.last_mid, cursor = excluded.cursor, seen_at = excluded.seen_at`,
      [device, lastMid, cursor, formatTime(atMs)],
    )
  }

  /** The lowest cursor of the devices that were seen since `since`; undefined without such devices. */
  lowestCursor(since: string): number | undefined {
    const sql = 'SELECT min(cursor) AS n FROM devices WHERE seen_at >= ?'
    return this.#db.get<{ n: number | null }>(sql, [since])?.n ?? undefined
  }

  answer(device: string, mid: number): StoredAnswer | undefined {
    return this.#db.get<StoredAnswer & SqlRow>(
      'SELECT mid, hash, result FROM results WHERE device = ? AND mid = ?',
      [device, mid],
    )
  }

  storeAnswers(device: string, answers: readonly StoredAnswer[]): void {
    if (answers.length === 0) return
    this.#db.run(
      `INSERT INTO results (device, mid, hash, result)
       SELECT ?, value ->> 'mid', value ->> 'hash', value ->> 'result' FROM json_each(?)`,
      [device, JSON.stringify(answers)],
    )
  }

  /** Drops the answers up to `ackedMid`, which the device has confirmed. */
  dropAnswers(device: string, ackedMid: number): void {
    this.#db.run('DELETE FROM results WHERE device = ? AND mid <= ?', [device, ackedMid])
  }
}
