// The meeting room: limited talk between the agents of a book, without permanent storage. Every tab and the mirror
// have a copy.
// Invariant: in every copy, messages are cleared when the last participant leaves, and numbers continue; a
// participant is here while at least one tab or device has it; a listener becomes a participant while the room has
// a free place.
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
import { defined } from '../../core/defined.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import { fitsParticipant, MeetingRing } from './meeting-ring.ts'
import { messageKey, noKey, RoomMessages, type RoomMessagesState } from './room-messages.ts'
import { RoomParticipants } from './room-participants.ts'
import { roomSizeText } from './room-size.ts'

/** A message that a device numbered without a line to the mirror. */
export interface LocallyNumbered {
  readonly key: string
  readonly message: RoomMessage
}

/** A participant with default name and role, for an id that speaks or listens without joining first. */
const defaultParticipant = (id: string) => ({ id, name: id, role: 'participant' })

/** An empty room. `emit` gets each event that a call causes, in order. `size` default: `defaultRoomSize`. */
export function createMeetingRoom(
  clock: Clock,
  emit: (event: RoomEvent) => void,
  size?: RoomSize,
): MeetingRoom {
  return new MeetingRoom(clock, emit, new MeetingRing(size))
}

export class MeetingRoom {
  readonly #clock: Clock
  readonly #emit: (event: RoomEvent) => void
  #ring: MeetingRing
  #participants: RoomParticipants
  #messages: RoomMessages
  /** The copy that assigns numbers now; a mirror's own room doesn't use it. */
  #place: RoomPlace = 'device'

  /** `messagesState`: numbers and places of the messages in `ring`; absent for an empty ring. */
  constructor(
    clock: Clock,
    emit: (event: RoomEvent) => void,
    ring: MeetingRing,
    messagesState?: RoomMessagesState,
  ) {
    this.#clock = clock
    this.#emit = emit
    this.#ring = ring
    this.#participants = new RoomParticipants(ring)
    this.#messages = new RoomMessages(ring, messagesState)
  }

  get participants(): RoomParticipants {
    return this.#participants
  }

  /** Read it at each use: `setSize` replaces the object, as it does `participants`. */
  get messages(): RoomMessages {
    return this.#messages
  }

  get place(): RoomPlace {
    return this.#place
  }

  /** The buffer of the room, not a copy. */
  get bytes(): Uint8Array {
    return this.#ring.bytes
  }

  size(): RoomSize {
    return this.#ring.size
  }

  isEmpty(): boolean {
    return this.#participants.count === 0 && this.#messages.count === 0
  }

  /** Changes the size of the room. A new size drops all participants and messages; numbers continue. */
  setSize(size: RoomSize): void {
    if (roomSizeText(size) === roomSizeText(this.#ring.size)) return
    const { next, gone, given, forks } = this.#messages.state()
    this.#ring = new MeetingRing(size)
    this.#participants = new RoomParticipants(this.#ring)
    this.#messages = new RoomMessages(this.#ring, { next, gone, given, forks, count: 0, head: 0 })
  }

  /** Removes all participants and messages. */
  clear(): void {
    this.#participants = new RoomParticipants(this.#ring)
    this.#messages.clear()
  }

  /** Call it when a tab is gone: participants without another tab leave. */
  leaveTab(tab: string): void {
    for (const id of this.#participants.ids()) this.leave(id, tab)
  }

  /** Tabs that have a participant. */
  tabs(): string[] {
    return [...new Set(this.#participants.byTab().map(({ tab }) => tab))]
  }

  /** The events from which a copy reaches this state. */
  snapshot(): RoomEvent[] {
    const joined = this.#participants.byTab().map((one): RoomEvent => ({ type: 'joined', ...one }))
    return [this.numbered(), ...joined, ...this.messageEvents(0), { type: 'place', at: this.#place }]
  }

  numbered(): RoomEvent & { readonly type: 'numbered' } {
    const { next, gone, given, forks } = this.#messages.state()
    const oldest = this.#messages.oldest() || next
    return { type: 'numbered', size: this.#ring.size, oldest, next, gone, given, forks }
  }

  /** The messages after number `last`, as events. */
  messageEvents(last: number): (RoomEvent & { readonly type: 'said' })[] {
    const { given } = this.#messages.state()
    return this.#messages.messagesAfter(last).map(({ key, message }) => ({
      type: 'said',
      message,
      ...(key === noKey ? {} : { key }),
      ...(message.number <= given ? { given: true as const } : {}),
    }))
  }

  /** Messages that the mirror has not numbered. */
  unsent(): LocallyNumbered[] {
    return this.#messages.messagesAfter(this.#messages.state().given)
  }

  /**
   * Applies an event of the original room to this copy, and emits nothing. An event that was applied before
   * changes nothing.
   */
  apply(event: RoomEvent): void {
    if (event.type === 'numbered') {
      this.setSize(event.size)
      if (event.anew) this.#participants = new RoomParticipants(this.#ring)
      this.#messages.startCopy(event)
    } else if (event.type === 'joined') this.#participants.add(event.participant, event.tab)
    else if (event.type === 'left') this.#remove(event.id, event.tab)
    else if (event.type === 'place') this.#place = event.at
    else if (this.#messages.isNew(event.message.number))
      this.#messages.append(event.message, event.key, event.given)
  }

  /** The room as `tab` uses it; this copy assigns the numbers. Two messages with one `key` are one message. */
  roomForTab(tab: string, key?: string): OwnRoom {
    return {
      join: (person) => this.enter(person, tab),
      leave: (id) => this.leave(id, tab),
      say: (id, text) => this.say({ id, text, tab, key: key === undefined ? undefined : messageKey(key) }),
      hear: (id, last, limit) => {
        this.addListener(id, tab)
        return this.hear(id, last, limit)
      },
      look: (id, last, limit) => this.hear(id, last, limit),
      whoIsHere: () => this.#participants.list(),
      status: (id, last) => ({
        participants: this.#participants.count,
        oldest: this.#messages.oldest(),
        latest: this.#messages.count === 0 ? 0 : this.#messages.state().next - 1,
        unread: this.hear(id, last, this.#ring.size.slots).messages.length,
        slots: this.#ring.size.slots,
        messageBytes: this.#ring.size.slotBytes,
        at: this.#place,
        sizeBytes: this.#ring.sizeBytes,
      }),
    }
  }

  hear(id: string, last: number, limit: number) {
    const messages = this.#messages.messagesFor(id, last, limit)
    return { messages, lost: this.#messages.hasLostAfter(last) }
  }

  /**
   * Adds a participant, or changes its name and role. `joinedAt` default: now. Throws `too-large` for an id, name
   * or role that is too long, and `room-full` without a free place.
   */
  enter(person: Entering, tab: string, joinedAt?: string): Participant {
    if (!fitsParticipant(person)) {
      throw new DaybookError('too-large', 'An id or name takes at most 128 bytes of UTF-8, a role 64.')
    }
    const at = joinedAt ?? formatTime(this.#clock.now())
    const participant = { id: person.id, name: person.name, role: person.role, joinedAt: at }
    this.#participants.add(participant, tab)
    this.#emit({ type: 'joined', participant, tab })
    return participant
  }

  leave(id: string, tab: string): boolean {
    const hasLeft = this.#remove(id, tab)
    if (hasLeft) this.#emit({ type: 'left', id, tab })
    return hasLeft
  }

  /** Adds a listener as a participant. In a full room it listens without being one. */
  addListener(id: string, tab: string): void {
    const existing = this.#participants.get(id)
    if (this.#participants.isInTab(id, tab) || (!existing && this.#participants.isFull)) return
    const person = existing ?? defaultParticipant(id)
    if (fitsParticipant(person)) this.enter(person, tab)
  }

  /** Throws `too-large` for a text that is longer than a slot. */
  checkText(text: string): void {
    const bytes = utf8Length(text)
    const { slotBytes } = this.#ring.size
    if (bytes > slotBytes) {
      throw new DaybookError('too-large', `A message takes at most ${slotBytes} bytes of UTF-8.`, {
        details: { path: 'text', limitBytes: slotBytes, bytes },
      })
    }
  }

  /** Skips to number `next`; see `RoomMessages.skipTo`. */
  skipTo(next: number, gone: number): void {
    this.#messages.skipTo(next, gone)
    this.#emit(this.numbered())
  }

  /** The message that `id` sent with `key`, if it is still in the ring. */
  messageByKey(key: string | undefined, id: string): RoomMessage | undefined {
    const message = key === undefined ? undefined : this.#messages.byKey(key)
    return message?.from === id ? message : undefined
  }

  /**
   * Numbers a message, and adds its speaker as a participant through `tab`. A repeated `key` returns the first
   * message.
   */
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
    const existing = this.messageByKey(key, id)
    if (existing) return existing
    this.checkText(text)
    const person = this.#participants.get(id) ?? defaultParticipant(id)
    const { name } = this.#participants.isInTab(id, tab) ? person : this.enter(person, tab)
    return this.#store({ number: this.#messages.state().next, from: id, name, text, at: this.#now() }, key)
  }

  /**
   * Assigns a new number to a message that a device numbered without a line. It keeps its time, and `was` is its
   * first number.
   */
  renumber({ key, message }: LocallyNumbered): RoomMessage {
    const existing = this.messageByKey(key, message.from)
    if (existing) return existing
    this.checkText(message.text)
    if (!fitsParticipant({ id: message.from, name: message.name, role: '' }))
      throw new DaybookError('too-large', 'An id or name takes at most 128 bytes of UTF-8.')
    const atMs = Math.min(parseTime(message.at) ?? this.#clock.now(), this.#clock.now())
    const number = this.#messages.state().next
    return this.#store({ ...message, number, was: message.was ?? message.number, at: formatTime(atMs) }, key)
  }

  #store(message: RoomMessage, key: string | undefined): RoomMessage {
    this.#messages.append(message, key)
    this.#emit({ type: 'said', message, ...defined({ key }) })
    return message
  }

  #now(): string {
    return formatTime(this.#clock.now())
  }

  #remove(id: string, tab: string): boolean {
    const hasLeft = this.#participants.remove(id, tab)
    if (hasLeft && this.#participants.count === 0) this.clear()
    return hasLeft
  }
}
