// The room of a mirror, stored in one row: loaded when the row's stamp changes, written after a change.
// Invariant: a call that throws changes nothing; the row's buffer has a fixed size; the row exists only while
// somebody is in the room.
import type { Participant, RoomSize } from '../../core/capability/port/room-port.ts'
import { toHex } from '../../core/ids.ts'
import type { Clock, Random } from '../../core/ports.ts'
import type { RoomRow, RoomRows } from '../../store/mirror/room-row.ts'
import { MeetingRing } from './meeting-ring.ts'
import { createMeetingRoom, MeetingRoom } from './meeting-room.ts'
import { MirrorPresence } from './mirror-presence.ts'
import type { Talk } from './room-talk.ts'

export interface StoredRoomParts {
  readonly clock: Clock
  readonly random: Random
  readonly rows: RoomRows
  /** Runs `work` in a transaction, and resolves after the commit. It may run `work` again from the start. */
  commit<Result>(work: () => Result): Promise<Result>
  /** Called after a change is committed; `MirrorRoom.news` returns the change. */
  readonly onChange: () => void
}

interface State {
  readonly size: RoomSize
  readonly talk: Talk
  /**
   * Each participant with its places, and for each place the time of the last sign of life (milliseconds since 1970
   * UTC).
   */
  readonly people: readonly (readonly [
    participant: Participant,
    places: readonly (readonly [string, number])[],
  ])[]
}

export interface LoadedRoom {
  /** The stamp of its row; undefined without a row. */
  readonly stamp: string | undefined
  readonly room: MeetingRoom
  readonly presence: MirrorPresence
}

export class StoredRoom {
  readonly #parts: StoredRoomParts
  #loaded: LoadedRoom | undefined
  #isChanged = false

  constructor(parts: StoredRoomParts) {
    this.#parts = parts
  }

  /** The stored room, without participants that were silent for too long. */
  now(): LoadedRoom {
    const loaded = this.#load()
    loaded.presence.endLong()
    return loaded
  }

  /**
   * Runs `work` on the room, and stores the changes of `work`. `before` gets the room first. After an error, the
   * room is loaded again.
   */
  async change<Result>(
    work: (room: LoadedRoom) => Result,
    before: (room: LoadedRoom) => void,
  ): Promise<Result> {
    const { commit, onChange } = this.#parts
    let isSaved = false
    try {
      const result = await commit(() => {
        const loaded = this.#load()
        before(loaded)
        this.#isChanged = false
        loaded.presence.endLong()
        const answer = work(loaded)
        isSaved = this.#isChanged || loaded.presence.isStale
        if (isSaved) this.#save(loaded)
        return answer
      })
      if (isSaved) onChange()
      return result
    } catch (error) {
      this.#loaded = undefined
      throw error
    }
  }

  #load(): LoadedRoom {
    const { rows } = this.#parts
    const stamp = rows.stamp()
    if (this.#loaded && this.#loaded.stamp === stamp) return this.#loaded
    const row = stamp === undefined ? undefined : rows.read()
    this.#loaded = row ? this.#read(row) : this.#begin()
    return this.#loaded
  }

  #begin(): LoadedRoom {
    const { clock, rows } = this.#parts
    const room = createMeetingRoom(clock, () => this.#noteChange())
    room.talk.raise(rows.nextNumber(), rows.nextNumber() - 1)
    return { stamp: undefined, room, presence: new MirrorPresence(room, clock) }
  }

  #read({ stamp, state: text, bytes }: RoomRow): LoadedRoom {
    const { clock } = this.#parts
    const { size, talk, people } = JSON.parse(text) as State
    const room = new MeetingRoom(clock, () => this.#noteChange(), new MeetingRing(size, bytes), talk)
    const presence = new MirrorPresence(room, clock)
    for (const [participant, places] of people) presence.restore(participant, places)
    return { stamp, room, presence }
  }

  #save({ stamp: before, room, presence }: LoadedRoom): void {
    const { random, rows } = this.#parts
    const talk = room.talk.state()
    if (room.people.count === 0) {
      if (before !== undefined) rows.remove()
      rows.setNextNumber(talk.next)
      this.#loaded = undefined
      return
    }
    const state: State = { size: room.size(), talk, people: presence.saved() }
    const stamp = toHex(random.bytes(16))
    rows.write({ stamp, state: JSON.stringify(state), bytes: room.bytes })
    this.#loaded = { stamp, room, presence }
  }

  #noteChange(): void {
    this.#isChanged = true
  }
}
