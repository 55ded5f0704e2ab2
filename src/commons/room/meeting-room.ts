// The meeting room: bounded, ephemeral talk between the agents of a book, one room for all its tabs.
// Invariants: what was said is cleared when the last participant leaves, and its numbers go on, in every copy alike; a
// participant is here while some tab says so, and whoever listens is one.
import { DaybookError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { Participant, Room, RoomEvent, RoomMessage, RoomSize } from '../../core/capability/room-port.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import { createMeetingRing, fitsPerson, type RingMessage } from './meeting-ring.ts'
import { RoomPeople } from './room-people.ts'
import { roomSizeText } from './room-size.ts'

export interface MeetingRoom {
  /** The room as `tab` uses it; what it says under a `key` is said once, however often it says it. */
  of(tab: string, key?: string): Room
  /** That tab is gone: those who were here through it alone leave. */
  leaveTab(tab: string): void
  /** Tabs through which somebody is here. */
  tabs(): string[]
  /** Everything a copy needs, as the events that would lead here; who speaks no more comes without a place. */
  snapshot(): RoomEvent[]
  /** Takes over what happened in the room that this is a copy of. What it knows already changes nothing. */
  apply(event: RoomEvent): void
  clear(): void
  size(): RoomSize
}

/** Whoever speaks or listens without having come in by name. */
const stranger = (id: string) => ({ id, name: id, role: 'participant' })

/** `tell` hears of everything that happens here, in order. */
export function createMeetingRoom(
  clock: Clock,
  tell: (event: RoomEvent) => void,
  asked?: RoomSize,
): MeetingRoom {
  let ring = createMeetingRing(asked)
  let people = new RoomPeople(ring)
  let next = 1
  /** Number of the first message since the room was last cleared, or of the one that is to come. */
  let first = 1
  /** Keys of what was said, as long as it is there. */
  const said = new Map<string, number>()

  const oldest = () => Math.max(first, next - ring.size.slots)

  const clear = () => {
    people = new RoomPeople(ring)
    said.clear()
    first = next
  }

  /** A room is as large as it was begun, in whichever tab it goes on: what was here already is in the room it is a copy of. */
  const takeSize = (size: RoomSize) => {
    if (roomSizeText(size) === roomSizeText(ring.size)) return
    ring = createMeetingRing(size)
    next = 1
    clear()
  }

  const write = (message: RoomMessage, key?: string) => {
    ring.writeMessage({ ...message, atMs: parseTime(message.at) ?? 0 })
    next = message.number + 1
    if (key !== undefined) said.set(key, message.number)
    for (const [old, number] of said) {
      if (number >= oldest()) break
      said.delete(old)
    }
  }

  const unheard = (id: string, last: number, limit: number): RoomMessage[] => {
    const messages: RoomMessage[] = []
    // A number that was never given here is of an earlier life of the room: all that is here is new.
    const known = last < next ? last : 0
    for (let n = Math.max(known + 1, oldest()); n < next && messages.length < limit; n++) {
      const message = ring.readMessage(n)
      if (message.from !== id) messages.push(toMessage(message))
    }
    return messages
  }

  const remove = (id: string, tab: string): boolean => {
    const left = people.remove(id, tab)
    if (left && people.count === 0) clear()
    return left
  }

  const leave = (id: string, tab: string) => {
    const left = remove(id, tab)
    if (left) tell({ type: 'left', id, tab })
    return left
  }

  const enter = (who: Pick<Participant, 'id' | 'name' | 'role'>, tab: string): Participant => {
    if (!fitsPerson(who)) {
      throw new DaybookError('too-large', 'An id or name takes at most 128 bytes of UTF-8, a role 64.')
    }
    const participant = { id: who.id, name: who.name, role: who.role, joined_at: formatTime(clock.now()) }
    people.add(participant, tab)
    tell({ type: 'joined', participant, tab })
    return participant
  }

  /** Whoever listens is there, as long as there is a place: in a full room one listens from outside. */
  const attend = (id: string, tab: string) => {
    const known = people.get(id)
    if (people.isHereThrough(id, tab) || (!known && people.isFull)) return
    const person = known ?? stranger(id)
    if (fitsPerson(person)) enter(person, tab)
  }

  return {
    clear,
    size: () => ring.size,
    leaveTab(tab) {
      for (const id of people.ids()) leave(id, tab)
    },
    tabs: () => [...new Set(people.byTab().map(({ tab }) => tab))],
    snapshot() {
      const joined = people.byTab().map((one): RoomEvent => ({ type: 'joined', ...one }))
      const keys = new Map([...said].map(([key, number]) => [number, key]))
      const talk: RoomEvent[] = []
      for (let n = oldest(); n < next; n++) {
        const key = keys.get(n)
        const message = toMessage(ring.readMessage(n))
        talk.push({ type: 'said', message, ...(key === undefined ? {} : { key }) })
      }
      return [{ type: 'numbered', first, next, size: ring.size }, ...joined, ...talk]
    },
    apply(event) {
      if (event.type === 'numbered') {
        takeSize(event.size)
        // A copy that thought everybody gone has cleared too much, unless it knows more than it is told.
        first = event.next >= next ? event.first : Math.max(first, event.first)
        // The messages up to there follow, where they are not here already.
        if (event.next > next) next = Math.max(next, Math.max(event.first, event.next - ring.size.slots))
      } else if (event.type === 'joined') people.add(event.participant, event.tab)
      else if (event.type === 'left') remove(event.id, event.tab)
      else if (event.message.number >= next) write(event.message, event.key)
    },
    of: (tab, key) => ({
      join: (who) => enter(who, tab),
      leave: (id) => leave(id, tab),
      say(id, text) {
        const before = key === undefined ? undefined : said.get(key)
        if (before !== undefined) return toMessage(ring.readMessage(before))
        const bytes = utf8Length(text)
        const { slotBytes } = ring.size
        if (bytes > slotBytes) {
          throw new DaybookError('too-large', `A message takes at most ${slotBytes} bytes of UTF-8.`, {
            details: { path: 'text', limitBytes: slotBytes, bytes },
          })
        }
        const person = people.get(id) ?? stranger(id)
        const { name } = people.isHereThrough(id, tab) ? person : enter(person, tab)
        const message = { number: next, from: id, name, text, at: formatTime(clock.now()) }
        write(message, key)
        tell({ type: 'said', message, ...(key === undefined ? {} : { key }) })
        return message
      },
      hear(id, last, limit) {
        attend(id, tab)
        return {
          messages: unheard(id, last, limit),
          lost: last !== 0 && (last + 1 < oldest() || last >= next),
        }
      },
      whoIsHere: () => people.all(),
      status: (id, last) => ({
        participants: people.count,
        oldest: next === first ? 0 : oldest(),
        latest: next === first ? 0 : next - 1,
        unread: unheard(id, last, ring.size.slots).length,
        slots: ring.size.slots,
        messageBytes: ring.size.slotBytes,
        sizeBytes: ring.sizeBytes,
      }),
    }),
  }
}

const toMessage = ({ number, from, name, text, atMs }: RingMessage): RoomMessage => ({
  number,
  from,
  name,
  text,
  at: formatTime(atMs),
})
