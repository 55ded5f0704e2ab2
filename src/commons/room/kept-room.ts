// The room of a mirror in its one row: read when it is another one than this process knows, written when it was changed.
// Invariants: what throws has changed nothing; the row is of one size, and is not there while nobody is in the room.
import type { Participant, RoomSize } from '../../core/capability/port/room-port.ts'
import { toHex } from '../../core/ids.ts'
import type { Clock, Random } from '../../core/ports.ts'
import { createMeetingRing } from './meeting-ring.ts'
import { createMeetingRoom, MeetingRoom } from './meeting-room.ts'
import { MirrorPresence } from './mirror-presence.ts'
import type { Talk } from './room-talk.ts'

/** The row. `stamp` is another one each time it is written. */
export interface SavedRoom {
  readonly stamp: string
  readonly state: string
  readonly bytes: Uint8Array
}

/** Where the row is, and what is left of it while the room is empty. */
export interface RoomShelf {
  read(): SavedRoom | undefined
  stamp(): string | undefined
  write(room: SavedRoom): void
  remove(): void
  /** The number that is to come in a room of which there is no row. */
  next(): number
  setNext(next: number): void
}

export interface KeptRoomParts {
  readonly clock: Clock
  readonly random: Random
  readonly shelf: RoomShelf
  /** Runs `work` in a transaction; resolves once it is kept. It may be run again from the start. */
  commit<Result>(work: () => Result): Promise<Result>
  /** The room has changed: `news` says how. */
  readonly onChange: () => void
}

interface State {
  readonly size: RoomSize
  readonly talk: Talk
  /** Each who is here, and each place through which, with when it was last heard of. */
  readonly people: readonly (readonly [
    participant: Participant,
    places: readonly (readonly [string, number])[],
  ])[]
}

export interface KnownRoom {
  readonly stamp: string | undefined
  readonly room: MeetingRoom
  readonly presence: MirrorPresence
}

export class KeptRoom {
  readonly #parts: KeptRoomParts
  #known: KnownRoom | undefined
  #isChanged = false

  constructor(parts: KeptRoomParts) {
    this.#parts = parts
  }

  /** The room as it is in the row, without who was not heard of for long. */
  now(): KnownRoom {
    const known = this.#load()
    known.presence.endLong()
    return known
  }

  /** Runs `work` on the room and keeps what it changed; `before` sees the room as it was. */
  async change<Result>(
    work: (room: KnownRoom) => Result,
    before: (room: KnownRoom) => void,
  ): Promise<Result> {
    const { commit, onChange } = this.#parts
    let isSaved = false
    try {
      const result = await commit(() => {
        const known = this.#load()
        before(known)
        this.#isChanged = false
        known.presence.endLong()
        const answer = work(known)
        isSaved = this.#isChanged || known.presence.isStale
        if (isSaved) this.#save(known)
        return answer
      })
      if (isSaved) onChange()
      return result
    } catch (error) {
      this.#known = undefined
      throw error
    }
  }

  #load(): KnownRoom {
    const { shelf } = this.#parts
    const stamp = shelf.stamp()
    if (this.#known && this.#known.stamp === stamp) return this.#known
    const saved = stamp === undefined ? undefined : shelf.read()
    this.#known = saved ? this.#read(saved) : this.#begin()
    return this.#known
  }

  #begin(): KnownRoom {
    const { clock, shelf } = this.#parts
    const room = createMeetingRoom(clock, () => this.#noteChange())
    room.talk.raise(shelf.next(), shelf.next() - 1)
    return { stamp: undefined, room, presence: new MirrorPresence(room, clock) }
  }

  #read({ stamp, state: text, bytes }: SavedRoom): KnownRoom {
    const { clock } = this.#parts
    const { size, talk, people } = JSON.parse(text) as State
    const room = new MeetingRoom(clock, () => this.#noteChange(), createMeetingRing(size, bytes), talk)
    const presence = new MirrorPresence(room, clock)
    for (const [participant, places] of people) presence.restore(participant, places)
    return { stamp, room, presence }
  }

  #save({ stamp: before, room, presence }: KnownRoom): void {
    const { random, shelf } = this.#parts
    const talk = room.talk.state()
    if (room.people.count === 0) {
      if (before !== undefined) shelf.remove()
      shelf.setNext(talk.next)
      this.#known = undefined
      return
    }
    const state: State = { size: room.size(), talk, people: presence.saved() }
    const stamp = toHex(random.bytes(16))
    shelf.write({ stamp, state: JSON.stringify(state), bytes: room.bytes })
    this.#known = { stamp, room, presence }
  }

  #noteChange(): void {
    this.#isChanged = true
  }
}
