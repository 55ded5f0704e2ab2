// The one row in which a mirror keeps its meeting room while somebody is in it, and the number that goes on after it.
// Invariants: the row is in no history and is sent to nobody; when the room is empty it is not there; and what it said is
// written over before it goes, for a host may leave deleted bytes where they stood (a Durable Object takes no pragma).
import type { SqlDatabase } from '../../core/ports.ts'
import { eraseRows, type TextRows, writeOver } from '../record/erase-rows.ts'
import type { Settings } from '../schema/settings.ts'

/** `stamp` is another one each time the row is written. */
// An alias, as rows of SQL have index signatures, which interfaces lack.
export type RoomRow = { readonly stamp: string; readonly state: string; readonly bytes: Uint8Array }

export interface RoomRows {
  read(): RoomRow | undefined
  stamp(): string | undefined
  write(room: RoomRow): void
  remove(): void
  /** The number that is to come in a room of which there is no row; 0: none was given. */
  next(): number
  setNext(next: number): void
}

const meeting: TextRows = { table: 'meeting', columns: ['state', 'bytes'], where: 'n = 1' }

const nextKey = 'room_next'

export function openRoomRow(db: SqlDatabase, settings: Settings): RoomRows {
  return {
    read: () => db.get<RoomRow>('SELECT stamp, state, bytes FROM meeting WHERE n = 1'),
    stamp: () => db.get<{ stamp: string }>('SELECT stamp FROM meeting WHERE n = 1')?.stamp,
    write({ stamp, state, bytes }) {
      writeOver(db, meeting, [])
      db.run(
        `INSERT INTO meeting (n, stamp, state, bytes) VALUES (1, ?, ?, ?)
         ON CONFLICT (n) DO UPDATE SET stamp = excluded.stamp, state = excluded.state, bytes = excluded.bytes`,
        [stamp, state, bytes],
      )
    },
    remove: () => eraseRows(db, meeting),
    next: () => settings.getNumber(nextKey),
    setNext: (next) => settings.set(nextKey, next),
  }
}

const givenKey = 'room_given'

/** Where a device writes down which numbers of its meeting room were given: text, in no history and sent to nobody. */
export const openGivenNumbers = (settings: Settings) => ({
  read: () => settings.get(givenKey),
  write: (text: string) => settings.set(givenKey, text),
})
