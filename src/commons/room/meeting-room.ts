// The meeting room: bounded, ephemeral talk between the agents of a book, one room for all its tabs.
// Invariants: what was said is cleared when the last participant leaves, and its numbers go on, in every copy alike; a
// participant is here while some tab says so, and whoever listens is one.
import { DaybookError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { Participant, Room, RoomEvent, RoomMessage } from '../../core/capability/room-port.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import { createMeetingRing, fitsPerson, type RingMessage, type RingSize } from './meeting-ring.ts'

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
}

/** `tell` hears of everything that happens here, in order. */
export function createMeetingRoom(
  clock: Clock,
  tell: (event: RoomEvent) => void,
  size?: RingSize,
): MeetingRoom {
  const ring = createMeetingRing(size)
  const { slots, messageBytes, participants } = ring.size
  /** Who is here: the place in the table, and the tabs through which. */
  const here = new Map<string, { place: number; tabs: Set<string> }>()
  let free = Array.from({ length: participants }, (_, i) => participants - 1 - i)
  let next = 1
  /** Number of the first message since the room was last cleared, or of the one that is to come. */
  let first = 1
  /** Keys of what was said, as long as it is there. */
  const said = new Map<string, number>()

  const oldest = () => Math.max(first, next - slots)

  const clear = () => {
    here.clear()
    said.clear()
    free = Array.from({ length: participants }, (_, i) => participants - 1 - i)
    first = next
  }

  const personAt = (place: number): Participant => {
    const { id, name, role, atMs } = ring.readPerson(place)
    return { id, name, role, joined_at: formatTime(atMs) }
  }

  const addPerson = ({ id, name, role, joined_at }: Participant, tab: string) => {
    const known = here.get(id)
    const place = known?.place ?? free.pop()
    if (place === undefined) {
      throw new DaybookError('room-full', `All ${participants} places in the room are taken.`, {
        details: { limit: participants },
      })
    }
    ring.writePerson(place, { id, name, role, atMs: parseTime(joined_at) ?? 0 })
    if (known) known.tabs.add(tab)
    else here.set(id, { place, tabs: new Set([tab]) })
  }

  const removePerson = (id: string, tab: string): boolean => {
    const person = here.get(id)
    if (!person?.tabs.delete(tab)) return false
    if (person.tabs.size > 0) return true
    here.delete(id)
    free.push(person.place)
    if (here.size === 0) clear()
    return true
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

  const leave = (id: string, tab: string) => {
    const left = removePerson(id, tab)
    if (left) tell({ type: 'left', id, tab })
    return left
  }

  const enter = (who: Pick<Participant, 'id' | 'name' | 'role'>, tab: string): Participant => {
    if (!fitsPerson(who)) {
      throw new DaybookError('too-large', 'An id or name takes at most 128 bytes of UTF-8, a role 64.')
    }
    const participant = { id: who.id, name: who.name, role: who.role, joined_at: formatTime(clock.now()) }
    addPerson(participant, tab)
    tell({ type: 'joined', participant, tab })
    return participant
  }

  /** Whoever listens is there, as long as there is a place: in a full room one listens from outside. */
  const attend = (id: string, tab: string) => {
    const known = here.get(id)
    if (known?.tabs.has(tab) || (!known && free.length === 0)) return
    const person = known ? personAt(known.place) : { id, name: id, role: 'participant' }
    if (fitsPerson(person)) enter(person, tab)
  }

  return {
    clear,
    leaveTab(tab) {
      for (const id of here.keys()) leave(id, tab)
    },
    tabs: () => [...new Set([...here.values()].flatMap(({ tabs }) => [...tabs]))],
    snapshot() {
      const people = [...here.values()].flatMap(({ place, tabs }) =>
        [...tabs].map((tab): RoomEvent => ({ type: 'joined', participant: personAt(place), tab })),
      )
      const keys = new Map([...said].map(([key, number]) => [number, key]))
      const talk: RoomEvent[] = []
      for (let n = oldest(); n < next; n++) {
        const key = keys.get(n)
        const message = toMessage(ring.readMessage(n))
        talk.push({ type: 'said', message, ...(key === undefined ? {} : { key }) })
      }
      return [{ type: 'numbered', first, next }, ...people, ...talk]
    },
    apply(event) {
      if (event.type === 'numbered') {
        first = Math.max(first, event.first)
        // The messages up to there follow, where they are not here already.
        if (event.next > next) next = Math.max(next, Math.max(event.first, event.next - slots))
      } else if (event.type === 'joined') addPerson(event.participant, event.tab)
      else if (event.type === 'left') removePerson(event.id, event.tab)
      else if (event.message.number >= next) write(event.message, event.key)
    },
    of: (tab, key) => ({
      join: (who) => enter(who, tab),
      leave: (id) => leave(id, tab),
      say(id, text) {
        const before = key === undefined ? undefined : said.get(key)
        if (before !== undefined) return toMessage(ring.readMessage(before))
        const bytes = utf8Length(text)
        if (bytes > messageBytes) {
          throw new DaybookError('too-large', `A message takes at most ${messageBytes} bytes of UTF-8.`, {
            details: { path: 'text', limitBytes: messageBytes, bytes },
          })
        }
        const known = here.get(id)
        const person = known ? personAt(known.place) : { id, name: id, role: 'participant' }
        const { name } = known?.tabs.has(tab) ? person : enter(person, tab)
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
      whoIsHere: () => [...here.values()].map(({ place }) => personAt(place)),
      status: (id, last) => ({
        participants: here.size,
        oldest: next === first ? 0 : oldest(),
        latest: next === first ? 0 : next - 1,
        unread: unheard(id, last, slots).length,
        slots,
        messageBytes,
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
