// The meeting room: bounded, ephemeral talk between the agents of a book, one copy of it in every tab and at the mirror.
// Invariants: what was said is cleared when the last participant leaves, and its numbers go on, in every copy alike; a
// participant is here while some tab or device says so, and whoever listens is one.
import { DaybookError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type {
  Entering,
  OwnRoom,
  Participant,
  RoomEvent,
  RoomMessage,
  RoomPlace,
  RoomSize,
} from '../../core/capability/port/room-port.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import { createMeetingRing, fitsPerson, type MeetingRing } from './meeting-ring.ts'
import { messageKey, noKey, RoomTalk, type Talk } from './room-talk.ts'
import { RoomPeople } from './room-people.ts'
import { roomSizeText } from './room-size.ts'

/** What was said on a device that had no line to the mirror. */
export interface Unsent {
  readonly key: string
  readonly message: RoomMessage
}

/** Whoever speaks or listens without having come in by name. */
const stranger = (id: string) => ({ id, name: id, role: 'participant' })

/** `tell` hears of everything that happens here, in order. */
export function createMeetingRoom(
  clock: Clock,
  tell: (event: RoomEvent) => void,
  asked?: RoomSize,
): MeetingRoom {
  return new MeetingRoom(clock, tell, createMeetingRing(asked))
}

export class MeetingRoom {
  readonly #clock: Clock
  readonly #tell: (event: RoomEvent) => void
  #ring: MeetingRing
  #people: RoomPeople
  #talk: RoomTalk
  #place: RoomPlace = 'device'

  constructor(clock: Clock, tell: (event: RoomEvent) => void, ring: MeetingRing, talk?: Talk) {
    this.#clock = clock
    this.#tell = tell
    this.#ring = ring
    this.#people = new RoomPeople(ring)
    this.#talk = new RoomTalk(ring, talk)
  }

  get people(): RoomPeople {
    return this.#people
  }

  get talk(): RoomTalk {
    return this.#talk
  }

  get place(): RoomPlace {
    return this.#place
  }

  /** The memory of it, to be written down. */
  get bytes(): Uint8Array {
    return this.#ring.bytes
  }

  size(): RoomSize {
    return this.#ring.size
  }

  isEmpty(): boolean {
    return this.#people.count === 0 && this.#talk.count === 0
  }

  /** A room is as large as it was begun, in whichever place it goes on; what was here already is in the one it is a copy of. */
  takeSize(size: RoomSize): void {
    if (roomSizeText(size) === roomSizeText(this.#ring.size)) return
    const { next, gone, given, forks } = this.#talk.state()
    this.#ring = createMeetingRing(size)
    this.#people = new RoomPeople(this.#ring)
    this.#talk = new RoomTalk(this.#ring, { next, gone, given, forks, count: 0, head: 0 })
  }

  /** Everybody is gone, and what was said with them. */
  clear(): void {
    this.#people = new RoomPeople(this.#ring)
    this.#talk.clear()
  }

  /** That tab is gone: those who were here through it alone leave. */
  leaveTab(tab: string): void {
    for (const id of this.#people.ids()) this.leave(id, tab)
  }

  /** Tabs through which somebody is here. */
  tabs(): string[] {
    return [...new Set(this.#people.byTab().map(({ tab }) => tab))]
  }

  /** Everything a copy needs, as the events that would lead here; who speaks no more comes without a place. */
  snapshot(): RoomEvent[] {
    const joined = this.#people.byTab().map((one): RoomEvent => ({ type: 'joined', ...one }))
    return [this.numbered(), ...joined, ...this.said(0), { type: 'place', at: this.#place }]
  }

  numbered(): RoomEvent & { readonly type: 'numbered' } {
    const { next, gone, given, forks } = this.#talk.state()
    const oldest = this.#talk.oldest() || next
    return { type: 'numbered', size: this.#ring.size, oldest, next, gone, given, forks }
  }

  /** What was said after number `last`, as events. */
  said(last: number): (RoomEvent & { readonly type: 'said' })[] {
    const { given } = this.#talk.state()
    return this.#talk.after(last).map(({ key, message }) => ({
      type: 'said',
      message,
      ...(key === noKey ? {} : { key }),
      ...(message.number <= given ? { given: true as const } : {}),
    }))
  }

  /** What was said here and has no number of the mirror's. */
  unsent(): Unsent[] {
    return this.#talk.after(this.#talk.state().given)
  }

  /** Takes over what happened in the room that this is a copy of. What it knows already changes nothing. */
  apply(event: RoomEvent): void {
    if (event.type === 'numbered') {
      this.takeSize(event.size)
      if (event.anew) this.#people = new RoomPeople(this.#ring)
      this.#talk.begin(event)
    } else if (event.type === 'joined') this.#people.add(event.participant, event.tab)
    else if (event.type === 'left') this.#remove(event.id, event.tab)
    else if (event.type === 'place') this.#place = event.at
    else if (this.#talk.isNew(event.message.number)) this.#talk.write(event.message, event.key, event.given)
  }

  /** The room as `tab` uses it, numbers given here; what it says under a `key` is said once, however often it says it. */
  of(tab: string, key?: string): OwnRoom {
    return {
      join: (who) => this.enter(who, tab),
      leave: (id) => this.leave(id, tab),
      say: (id, text) => this.say({ id, text, tab, key: key === undefined ? undefined : messageKey(key) }),
      hear: (id, last, limit) => {
        this.attend(id, tab)
        return this.hear(id, last, limit)
      },
      look: (id, last, limit) => this.hear(id, last, limit),
      whoIsHere: () => this.#people.all(),
      status: (id, last) => ({
        participants: this.#people.count,
        oldest: this.#talk.oldest(),
        latest: this.#talk.count === 0 ? 0 : this.#talk.state().next - 1,
        unread: this.hear(id, last, this.#ring.size.slots).messages.length,
        slots: this.#ring.size.slots,
        messageBytes: this.#ring.size.slotBytes,
        at: this.#place,
        sizeBytes: this.#ring.sizeBytes,
      }),
    }
  }

  hear(id: string, last: number, limit: number) {
    const messages = this.#talk.unheard(id, last, limit)
    return { messages, lost: this.#talk.isLost(last) }
  }

  /** `joinedAt` of one who was here before; default now. */
  enter(who: Entering, tab: string, joinedAt?: string): Participant {
    if (!fitsPerson(who)) {
      throw new DaybookError('too-large', 'An id or name takes at most 128 bytes of UTF-8, a role 64.')
    }
    const at = joinedAt ?? formatTime(this.#clock.now())
    const participant = { id: who.id, name: who.name, role: who.role, joined_at: at }
    this.#people.add(participant, tab)
    this.#tell({ type: 'joined', participant, tab })
    return participant
  }

  leave(id: string, tab: string): boolean {
    const left = this.#remove(id, tab)
    if (left) this.#tell({ type: 'left', id, tab })
    return left
  }

  /** Whoever listens is there, as long as there is a place: in a full room one listens from outside. */
  attend(id: string, tab: string): void {
    const known = this.#people.get(id)
    if (this.#people.isHereThrough(id, tab) || (!known && this.#people.isFull)) return
    const person = known ?? stranger(id)
    if (fitsPerson(person)) this.enter(person, tab)
  }

  /** Throws `too-large` for what no slot takes. */
  checkText(text: string): void {
    const bytes = utf8Length(text)
    const { slotBytes } = this.#ring.size
    if (bytes > slotBytes) {
      throw new DaybookError('too-large', `A message takes at most ${slotBytes} bytes of UTF-8.`, {
        details: { path: 'text', limitBytes: slotBytes, bytes },
      })
    }
  }

  /** From now on numbers are above those that a device has given by itself, of which those up to `gone` are gone. */
  raise(next: number, gone: number): void {
    this.#talk.raise(next, gone)
    this.#tell(this.numbered())
  }

  /** What was said under `key`, while it is there. */
  saidUnder(key: string | undefined, id: string): RoomMessage | undefined {
    const before = key === undefined ? undefined : this.#talk.under(key)
    return before?.from === id ? before : undefined
  }

  /** Numbers and keeps a message of somebody who is here through `tab`, or is from now on. */
  say({
    id,
    text,
    tab,
    key,
  }: {
    id: string
    text: string
    tab: string
    key: string | undefined
  }): RoomMessage {
    const before = this.saidUnder(key, id)
    if (before) return before
    this.checkText(text)
    const person = this.#people.get(id) ?? stranger(id)
    const { name } = this.#people.isHereThrough(id, tab) ? person : this.enter(person, tab)
    return this.#keep({ number: this.#talk.state().next, from: id, name, text, at: this.#now() }, key)
  }

  /** Numbers anew what was said on a device while it had no line; it keeps its time, and says the number that it had. */
  take({ key, message }: Unsent): RoomMessage {
    const before = this.saidUnder(key, message.from)
    if (before) return before
    this.checkText(message.text)
    if (!fitsPerson({ id: message.from, name: message.name, role: '' }))
      throw new DaybookError('too-large', 'An id or name takes at most 128 bytes of UTF-8.')
    const atMs = Math.min(parseTime(message.at) ?? this.#clock.now(), this.#clock.now())
    const number = this.#talk.state().next
    return this.#keep({ ...message, number, was: message.was ?? message.number, at: formatTime(atMs) }, key)
  }

  #keep(message: RoomMessage, key: string | undefined): RoomMessage {
    this.#talk.write(message, key)
    this.#tell({ type: 'said', message, ...(key === undefined ? {} : { key }) })
    return message
  }

  #now(): string {
    return formatTime(this.#clock.now())
  }

  #remove(id: string, tab: string): boolean {
    const left = this.#people.remove(id, tab)
    if (left && this.#people.count === 0) this.clear()
    return left
  }
}
