// The meeting room of a mirror, as commons/room/stored-room.ts stores it. An occupied room is a row of `meeting`. An
// empty room has no row, only a setting with its next message number.
// Invariant: the row is in no history and in no sync. Its content is overwritten before it is replaced or deleted,
// because a host may leave deleted bytes in the page (a Durable Object has no `PRAGMA secure_delete`).
import type { SqlDatabase } from '../../core/ports.ts'
import { eraseRows, type TextRows, overwriteText } from '../record/erase-rows.ts'
import type { Settings } from '../schema/settings.ts'

// A type alias, because an interface has no index signature and so is no `SqlRow`.
/** `stamp`: new with each write. `state`: JSON text. `bytes`: the ring with the room's messages. */
export type RoomRow = { readonly stamp: string; readonly state: string; readonly bytes: Uint8Array }

/** Call `write` and `remove` in a transaction. */
export interface RoomRows {
  read(): RoomRow | undefined
  stamp(): string | undefined
  write(room: RoomRow): void
  remove(): void
  /** The next message number of a room without a row; 0 when no number was used. */
  nextNumber(): number
  setNextNumber(next: number): void
}

const meetingRow: TextRows = { table: 'meeting', columns: ['state', 'bytes'], where: 'n = 1' }

const nextNumberKey = 'room_next'

export function openRoomRow(db: SqlDatabase, settings: Settings): RoomRows {
  return {
    read: () => db.get<RoomRow>('SELECT stamp, state, bytes FROM meeting WHERE n = 1'),
    stamp: () => db.get<{ stamp: string }>('SELECT stamp FROM meeting WHERE n = 1')?.stamp,
    write({ stamp, state, bytes }) {
      // `[]`: `where` has no parameters.
      overwriteText(db, meetingRow, [])
      db.run(
        `INSERT INTO meeting (n, stamp, state, bytes) VALUES (1, ?, ?, ?)
         ON CONFLICT (n) DO UPDATE SET stamp = excluded.stamp, state = excluded.state, bytes = excluded.bytes`,
        [stamp, state, bytes],
      )
    },
    remove: () => eraseRows(db, meetingRow),
    nextNumber: () => settings.getNumber(nextNumberKey),
    setNextNumber: (next) => settings.set(nextNumberKey, next),
  }
}

const usedNumbersKey = 'room_last_number'

/** The used message numbers of a device's meeting room, as text. They are in no history and in no sync. */
export const openUsedNumbers = (settings: Settings) => ({
  read: () => settings.get(usedNumbersKey),
  write: (text: string) => settings.set(usedNumbersKey, text),
})
