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
import type { RoomMessagesState } from './room-messages.ts'

export interface StoredRoomDeps {
  readonly clock: Clock
  readonly random: Random
  readonly rows: RoomRows
  /** Runs `work` in a transaction, and resolves after the commit. It may run `work` again from the start. */
  commit<Result>(work: () => Result): Promise<Result>
  /** Called after a change is committed; `MirrorRoom.takeEventFrames` returns the change. */
  readonly onChange: () => void
}

/** The column `state`, as JSON: don't rename its fields. */
interface StoredState {
  readonly size: RoomSize
  readonly talk: RoomMessagesState
  /**
   * Each participant with its places (a device's line, or all calls over HTTP), and for each place the time of the last
   * sign of life (milliseconds since 1970 UTC).
   */
  readonly people: readonly (readonly [
    participant: Participant,
    places: readonly (readonly [string, number])[],
  ])[]
}

export interface LoadedRoom {
  /** The stamp of the row that it equals; undefined for an empty room, which has no row. */
  readonly stamp: string | undefined
  readonly room: MeetingRoom
  /** The places of the participants, with their signs of life. `isStale`: the stored state is too old. */
  readonly presence: MirrorPresence
}

export class StoredRoom {
  readonly #deps: StoredRoomDeps
  /** Loaded again when the row has another stamp: another process or a rollback changed the row. */
  #loaded: LoadedRoom | undefined
  /** True if `work` caused an event. */
  #isChanged = false

  constructor(deps: StoredRoomDeps) {
    this.#deps = deps
  }

  /** The stored room, without participants that were silent for too long. The next `change` stores that removal. */
  current(): LoadedRoom {
    const loaded = this.#load()
    loaded.presence.removeLongSilent()
    return loaded
  }

  /**
   * Runs `work` on the room, and stores its changes. `beforeWork` sees the stored room, before silent participants are
   * removed, and must not change it.
   */
  async change<Result>(
    work: (room: LoadedRoom) => Result,
    beforeWork: (room: LoadedRoom) => void,
  ): Promise<Result> {
    const { commit, onChange } = this.#deps
    let mustSave = false
    const result = await commit(() => {
      try {
        const loaded = this.#load()
        beforeWork(loaded)
        this.#isChanged = false
        loaded.presence.removeLongSilent()
        const answer = work(loaded)
        mustSave = this.#isChanged || loaded.presence.isStale
        if (mustSave) this.#save(loaded)
        return answer
      } catch (error) {
        // Forget the half changed room here, because `commit` may run this again. After a rollback the stamps differ.
        this.#loaded = undefined
        throw error
      }
    })
    if (mustSave) onChange()
    return result
  }

  #load(): LoadedRoom {
    const { rows } = this.#deps
    const stamp = rows.stamp()
    if (this.#loaded && this.#isCurrent(this.#loaded, stamp)) return this.#loaded
    const row = stamp === undefined ? undefined : rows.read()
    this.#loaded = row ? this.#fromRow(row) : this.#createEmpty()
    return this.#loaded
  }

  #isCurrent({ stamp: loadedStamp, room }: LoadedRoom, stamp: string | undefined): boolean {
    if (loadedStamp !== stamp) return false
    // Without a row only the next number shows that another process used the room since.
    return stamp !== undefined || this.#deps.rows.nextNumber() <= room.messages.state().next
  }

  #createEmpty(): LoadedRoom {
    const { clock, rows } = this.#deps
    const room = createMeetingRoom(clock, () => this.#noteChange())
    // Numbers continue after an empty room, and all earlier messages count as gone.
    room.messages.skipTo(rows.nextNumber(), rows.nextNumber() - 1)
    return { stamp: undefined, room, presence: new MirrorPresence(room, clock) }
  }

  #fromRow({ stamp, state: text, bytes }: RoomRow): LoadedRoom {
    const { clock } = this.#deps
    const { size, talk: messagesState, people } = JSON.parse(text) as StoredState
    const room = new MeetingRoom(clock, () => this.#noteChange(), new MeetingRing(size, bytes), messagesState)
    const presence = new MirrorPresence(room, clock)
    for (const [participant, places] of people) presence.restore(participant, places)
    return { stamp, room, presence }
  }

  #save({ stamp: previousStamp, room, presence }: LoadedRoom): void {
    const { random, rows } = this.#deps
    const messagesState = room.messages.state()
    if (room.participants.count === 0) {
      if (previousStamp !== undefined) rows.remove()
      rows.setNextNumber(messagesState.next)
      this.#loaded = undefined
      return
    }
    const state: StoredState = { size: room.size(), talk: messagesState, people: presence.takeStateToSave() }
    const stamp = toHex(random.bytes(16))
    rows.write({ stamp, state: JSON.stringify(state), bytes: room.bytes })
    this.#loaded = { stamp, room, presence }
  }

  #noteChange(): void {
    this.#isChanged = true
  }
}
