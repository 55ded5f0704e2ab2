// The meeting room of a book. A device's room moves to the mirror while the line to the mirror is open; a mirror has
// a room of its own.
import { DeviceRoom } from '../../commons/room/device-room.ts'
import { MirrorRoom } from '../../commons/room/mirror-room.ts'
import { defaultRoomSize, roomSizeText } from '../../commons/room/room-size.ts'
import type { RoomNumbers, RoomNumberStore } from '../../commons/room/room-messages.ts'
import { isDaybookError } from '../../core/errors.ts'
import type { Room, RoomEvent, RoomSize } from '../../core/capability/port/room-port.ts'
import { openUsedNumbers, openRoomRow } from '../../store/mirror/room-row.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { EngineOptions } from '../engine-options.ts'
import type { BookEventFeed } from './book-events.ts'

/** The room of a device, for the copies in its other tabs. A mirror has no tabs: its methods do nothing. */
export interface RoomCopies {
  apply(event: RoomEvent): void
  leaveTab(tab: string): void
  snapshot(): RoomEvent[]
  tabs(): string[]
}

export interface BookRoom {
  /**
   * The room for calls from `tab`. `key`: the room sends a message once, also if the call with this key is repeated.
   */
  of(tab: string, key?: string): Room
  size(): RoomSize
  readonly copies: RoomCopies
  /** One of these two is set, by the role of this copy. */
  readonly device?: DeviceRoom
  readonly mirror?: MirrorRoom
  /** A warning if the room has another size than this device's options. */
  degraded(): string[]
}

interface Parts {
  readonly options: EngineOptions
  readonly store: BookStore
  readonly events: Pick<BookEventFeed, 'tell'>
}

export function createBookRoom(parts: Parts): BookRoom {
  return parts.options.role === 'mirror' ? atMirror(parts) : onDevice(parts)
}

function onDevice({ options, store, events }: Parts): BookRoom {
  const { ports, roomSize, room: known, tab = 'here' } = options
  const device = new DeviceRoom(
    {
      ...ports,
      device: store.device,
      tab,
      size: roomSize,
      numbers: roomNumberStore(store),
      emit: (detail) => events.tell('room', detail),
    },
    known,
  )
  const { room } = device
  return {
    of: (from, key) => device.roomForTab(from, key),
    size: () => room.size(),
    copies: {
      apply: (event) => device.apply(event),
      leaveTab: (from) => device.leaveTab(from),
      snapshot: () => room.snapshot(),
      tabs: () => device.tabs(),
    },
    device,
    degraded() {
      const { tooMany } = device
      if (tooMany !== undefined)
        return [`room: ${tooMany} participants are too many for the line to the mirror: they meet here only.`]
      const [wanted, used] = [roomSize ?? defaultRoomSize, room.size()].map(roomSizeText)
      if (room.place === 'device' || wanted === roomSizeText(defaultRoomSize) || wanted === used) return []
      return [
        `room: this device asked for \`${wanted}\`, but the room at the mirror has \`${used}\`, which is used.`,
      ]
    },
  }
}

/** Stores the numbers of messages in one setting of the book. */
function roomNumberStore({ settings, newer }: BookStore): RoomNumberStore {
  const stored = openUsedNumbers(settings)
  return {
    read() {
      const text = stored.read()
      return text === undefined ? undefined : (JSON.parse(text) as RoomNumbers)
    },
    write(numbers) {
      if (newer) return
      try {
        stored.write(JSON.stringify(numbers))
      } catch (error) {
        // A full disk must not block messages.
        if (!isDaybookError(error)) throw error
      }
    },
  }
}

function atMirror({ options, store, events }: Parts): BookRoom {
  const { ports, truth } = options
  // `truth`: the place where commits become final; without it the database is that place.
  const commit = truth
    ? <Result>(work: () => Result) => store.writes.write(work)
    : async <Result>(work: () => Result): Promise<Result> => {
        let result: { readonly value: Result } | undefined
        store.db.transaction(() => (result = { value: work() }))
        await Promise.resolve()
        return (result as unknown as { readonly value: Result }).value
      }
  const mirror = new MirrorRoom({
    ...ports,
    rows: openRoomRow(store.db, store.settings),
    commit: (work) => (store.newer ? Promise.reject(store.newer.error()) : commit(work)),
    onChange: () => events.tell('room', { type: 'place', at: 'mirror' }),
  })
  const nothing = () => undefined
  return {
    of: (_tab, key) => mirror.roomForHttp(key),
    size: () => mirror.size(),
    copies: { apply: nothing, leaveTab: nothing, snapshot: () => [], tabs: () => [] },
    mirror,
    degraded: () => [],
  }
}
