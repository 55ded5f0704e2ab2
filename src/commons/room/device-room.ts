// The meeting room on a device. While the device has a line to its mirror, the mirror gives the numbers and this is a copy;
// without one it goes on by itself, and what was said meanwhile is passed on when there is a line again.
// Invariants: a call is answered once its message has its number, here or there, and what it said is there once; nobody is in
// this copy whom the mirror refused; a number that was given is not given again after every tab was closed.
import { DaybookError } from '../../core/errors.ts'
import { toHex } from '../../core/ids.ts'
import type { Clock, Random, Scheduler } from '../../core/ports.ts'
import type {
  Entering,
  Participant,
  Room,
  RoomEvent,
  RoomMessage,
  RoomSize,
} from '../../core/capability/port/room-port.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import { NumberNote, type NumberShelf } from './given-number.ts'
import { createMeetingRoom, type MeetingRoom } from './meeting-room.ts'
import { OwnPeople } from './own-people.ts'
import { RoomAsks, settled } from './room-asks.ts'
import { messageKey } from './room-talk.ts'
import { inParts, type RoomAsk, readRoomTell, type RoomDone, type Unsaid } from './room-wire.ts'

export interface DeviceRoomParts {
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
  /** The name of this device, as its mirror knows it. */
  readonly device: string
  /** The tab that the engine runs in. */
  readonly tab: string
  readonly size?: RoomSize | undefined
  /** Where it is written down which numbers were given; absent where the room ends with its memory. */
  readonly numbers?: NumberShelf | undefined
  /** Hears of everything that happens in this copy, in order. */
  readonly tell: (event: RoomEvent) => void
}

/** Says something on the line; false where there is none. */
export type SayOnLine = (data: object) => boolean

/**
 * `alone`: numbers are given here. `coming`: there is a line, and the mirror was told so. `joined`: the mirror gives the
 * numbers. `held`: the line has gone, or is being opened, and may be there in a moment.
 */
type Standing = 'alone' | 'coming' | 'joined' | 'held'

/** A line that is back so soon was never missed: numbers stay in one place. */
export const holdMs = 3000

export class DeviceRoom {
  readonly #parts: DeviceRoomParts
  readonly #room: MeetingRoom
  readonly #numbers: NumberNote
  readonly #own = new OwnPeople()
  readonly #asks = new RoomAsks()
  #standing: Standing = 'alone'
  #say: SayOnLine = () => false
  #cancelHold: () => void = () => undefined
  /** Of the frames that answer `come`: what the mirror has. */
  #coming: RoomEvent[] = []
  #comeKey = ''
  /** `known`: the events that led to the room as another tab knows it. */
  constructor(parts: DeviceRoomParts, known: readonly RoomEvent[] = []) {
    this.#parts = parts
    this.#numbers = new NumberNote(parts.numbers)
    this.#room = createMeetingRoom(parts.clock, (event) => this.#tell(event), parts.size)
    this.#numbers.restore(
      () => this.#room.talk,
      known.length === 0,
      () => known.forEach((event) => this.#room.apply(event)),
    )
    for (const { participant, tab } of this.#room.people.byTab())
      if (!isFar(tab)) this.#own.add(participant, tab)
  }

  get copy(): MeetingRoom {
    return this.#room
  }

  /** Somebody is here through this device: its line is needed. */
  get isInUse(): boolean {
    return this.#own.count > 0
  }

  /** There may be a line soon. */
  await(say: SayOnLine): void {
    this.#say = say
    this.#hold()
  }

  /** There is a line, which is for the room. */
  opened(): void {
    this.#standing = 'coming'
    this.#coming = []
    this.#comeKey = this.#key()
    const { next, gone, given } = this.#room.talk.state()
    const people = this.#own.all()
    const size = this.#room.size()
    this.#send({ do: 'come', key: this.#comeKey, size, people, next, gone: gone > given ? gone : 0 })
    this.#startHold()
  }

  /** The line is gone, or was refused. */
  gone(): void {
    this.#comeKey = ''
    if (this.#standing === 'joined') this.#hold()
    else this.#goAlone()
  }

  /** The mirror has said this on the line. */
  hear(data: unknown): void {
    const told = readRoomTell(data)
    if (!told || this.#standing === 'held') return
    if (this.#standing === 'alone') {
      // It answers late: what was said here since is to be passed on too.
      if (told.did === 'done' && told.key === this.#comeKey) this.opened()
    } else if (told.did === 'done') {
      if (told.key === this.#comeKey && this.#standing === 'coming') this.#join(told)
      else this.#asks.answer(told)
    } else if (this.#standing === 'coming') this.#coming.push(...told.events)
    else for (const event of told.events) this.#takeOver(event)
  }

  leaveTab(tab: string): void {
    for (const id of this.#own.ids()) void this.#leave(id, tab).catch(() => undefined)
  }

  /** Tabs through which somebody is here. */
  tabs(): string[] {
    return this.#room.tabs().filter((tab) => !isFar(tab))
  }

  /** What the owner before this one still said; what it numbered by itself comes too late once the mirror does that. */
  apply(event: RoomEvent): void {
    if (event.type === 'place') return
    if (this.#standing === 'joined' && (event.type === 'said' || event.type === 'numbered')) return
    this.#room.apply(event)
    if (event.type === 'joined' && !isFar(event.tab)) this.#own.add(event.participant, event.tab)
    if (event.type === 'left') this.#own.remove(event.id, event.tab)
  }

  /** The engine ends: who is here through its own tab alone leaves; others go on through the next one. */
  close(): void {
    this.#cancelHold()
    if (this.#standing !== 'joined') return
    for (const id of this.#own.ids())
      if (this.#own.isOnlyThrough(id, this.#parts.tab)) this.#send({ do: 'leave', key: this.#key(), id })
  }

  of(tab: string, requestId?: string): Room {
    const own = this.#room.of(tab)
    return {
      join: (who) => this.#enter(who, tab),
      leave: (id) => this.#leave(id, tab),
      say: (id, text) =>
        this.#sayAs(id, text, tab, requestId === undefined ? this.#key() : messageKey(requestId)),
      hear: (id, last, limit) => {
        this.#attend(id, tab)
        return this.#room.hear(id, last, limit)
      },
      look: own.look,
      whoIsHere: own.whoIsHere,
      status: own.status,
    }
  }

  #enter(who: Entering, tab: string): Promise<Participant> {
    const here = () => {
      const participant = this.#room.enter(who, tab)
      this.#own.add(participant, tab)
      return participant
    }
    if (this.#standing === 'alone') return settled(here)
    const ask: RoomAsk = { do: 'join', key: this.#key(), size: this.#room.size(), person: toPerson(who) }
    return this.#ask(ask, here, () => this.#isIn(who, tab))
  }

  /** The mirror has let somebody in. */
  #isIn(who: Entering, tab: string): Participant {
    const at = new Date(this.#parts.clock.now()).toISOString()
    const known = this.#room.people.get(who.id)
    const participant = { id: who.id, name: who.name, role: who.role, joined_at: known?.joined_at ?? at }
    this.#own.add(participant, tab)
    this.#happen({ type: 'joined', participant, tab })
    return participant
  }

  async #leave(id: string, tab: string): Promise<boolean> {
    if (!this.#own.has(id, tab)) return false
    if (this.#standing === 'alone' || !this.#own.isOnlyThrough(id, tab)) {
      this.#own.remove(id, tab)
      return this.#room.leave(id, tab)
    }
    const here = () => {
      this.#own.remove(id, tab)
      return this.#room.leave(id, tab)
    }
    // Its place in this copy goes when the mirror says so: others may have come that this copy has not heard of.
    return this.#ask({ do: 'leave', key: this.#key(), id }, here, () => {
      this.#own.remove(id, tab)
      return true
    })
  }

  async #sayAs(id: string, text: string, tab: string, key: string): Promise<RoomMessage> {
    const before = this.#room.saidUnder(key, id)
    if (before) return before
    this.#room.checkText(text)
    const here = () => {
      const message = this.#room.say({ id, text, tab, key })
      const person = this.#room.people.get(id)
      if (person) this.#own.add(person, tab)
      return message
    }
    if (this.#standing === 'alone') return here()
    const { name = id, role = 'participant' } = this.#room.people.get(id) ?? {}
    const messages = [{ key, id, name, text }]
    return this.#ask({ do: 'say', key: this.#key(), size: this.#room.size(), messages }, here, ({ said }) => {
      if (!this.#own.has(id, tab)) this.#isIn({ id, name, role }, tab)
      const [message] = said
      if (!message) throw new DaybookError('protocol-error')
      return asMessage(message)
    })
  }

  /** Whoever listens is there, as long as there is a place. The mirror may refuse it one. */
  #attend(id: string, tab: string): void {
    if (this.#own.has(id, tab)) return
    this.#room.attend(id, tab)
    const person = this.#room.people.get(id)
    if (!person || !this.#room.people.isHereThrough(id, tab)) return
    this.#own.add(person, tab)
    if (this.#standing === 'alone') return
    const ask: RoomAsk = { do: 'join', key: this.#key(), size: this.#room.size(), person: toPerson(person) }
    this.#ask(
      ask,
      () => undefined,
      () => undefined,
    ).catch(() => {
      this.#own.remove(id, tab)
      this.#room.leave(id, tab)
    })
  }

  /** Asks the mirror, or does it here when the line does not come back in time. */
  #ask<Result>(data: RoomAsk, alone: () => Result, done: (done: RoomDone) => Result): Promise<Result> {
    const answer = this.#asks.add(data, alone, done)
    if (this.#standing === 'joined') this.#send(data)
    return answer
  }

  /** The mirror has said all there is: this becomes a copy of it, and what was said here alone is passed on. */
  #join(done: RoomDone): void {
    this.#cancelHold()
    this.#standing = 'joined'
    for (const { of } of done.refused) this.#own.drop(of)
    const { given, next } = this.#room.talk.state()
    const unsent = this.#room.unsent()
    const ours = new Set(unsent.map(({ key }) => key))
    const theirs = this.#coming.flatMap((one) => (one.type === 'said' ? [one] : []))
    // Whoever has heard numbers that this device gave itself misses what the mirror said under them.
    const others = theirs.filter(({ key }) => key === undefined || !ours.has(key))
    const numbers = others.map(({ message }) => message.number).filter((number) => number > given)
    const isGone = (done.goneBefore ?? 0) > given
    const firstMissed = isGone ? given + 1 : Math.min(...numbers)
    if (firstMissed < next) this.#room.talk.fork(firstMissed - 1, next - 1)
    for (const event of this.#coming) this.#takeOver(event)
    this.#coming = []
    this.#happen({ type: 'place', at: 'mirror' })
    const known = new Set(theirs.map(({ key }) => key))
    this.#passOn(unsent.filter(({ key }) => !known.has(key)))
    for (const data of this.#asks.all()) this.#send(data)
  }

  #passOn(unsent: readonly { readonly key: string; readonly message: RoomMessage }[]): void {
    const all = unsent.map(({ key, message: { from, name, text, at, was, number } }): Unsaid => {
      return { key, id: from, name, text, at, was: was ?? number }
    })
    for (const messages of inParts(all, ({ text }) => utf8Length(text) + 400))
      this.#send({ do: 'say', key: this.#key(), size: this.#room.size(), messages })
  }

  /** Takes an event of the mirror's into this copy: what is this device's own there is its tabs' here. */
  #takeOver(event: RoomEvent): void {
    if (event.type === 'numbered') {
      const forks = [...event.forks, ...this.#room.talk.state().forks]
      return this.#happen({ ...event, forks })
    }
    if (event.type !== 'joined' && event.type !== 'left') return this.#happen(event)
    if (event.tab !== this.#parts.device) return this.#happen({ ...event, tab: far(event.tab) })
    const id = event.type === 'joined' ? event.participant.id : event.id
    if (event.type === 'joined') {
      for (const tab of this.#own.tabsOf(id)) this.#happen({ ...event, tab })
      return
    }
    for (const { participant, tab } of this.#room.people.byTab())
      if (participant.id === id && !isFar(tab)) this.#happen({ type: 'left', id, tab })
    this.#own.drop(id)
  }

  #happen(event: RoomEvent): void {
    this.#room.apply(event)
    this.#tell(event)
  }

  /** The number of a message is written down before anybody hears of it. */
  #tell(event: RoomEvent): void {
    if (event.type === 'said' || event.type === 'numbered') this.#numbers.write(this.#room.talk)
    this.#parts.tell(event)
  }

  #hold(): void {
    this.#standing = 'held'
    this.#startHold()
  }

  #startHold(): void {
    this.#cancelHold()
    this.#cancelHold = this.#parts.scheduler.later(holdMs, () => this.#goAlone())
  }

  /** There is no line: whoever is elsewhere is not here, and what waits is done by this device. */
  #goAlone(): void {
    this.#cancelHold()
    if (this.#standing === 'alone') return
    this.#standing = 'alone'
    for (const person of this.#own.all())
      for (const tab of this.#own.tabsOf(person.id))
        if (!this.#room.people.isHereThrough(person.id, tab)) this.#tryEnter(person, tab)
    for (const { participant, tab } of this.#room.people.byTab())
      if (isFar(tab)) this.#happen({ type: 'left', id: participant.id, tab })
    if (this.#room.place === 'mirror') this.#happen({ type: 'place', at: 'device' })
    this.#asks.doAlone()
  }

  #tryEnter(person: Entering, tab: string): void {
    try {
      this.#room.enter(person, tab)
    } catch {
      this.#own.drop(person.id)
    }
  }

  #send(data: RoomAsk): void {
    this.#say(data)
  }

  #key(): string {
    return toHex(this.#parts.random.bytes(16))
  }
}

/** Where somebody is who is here through another device, or over HTTP. No tab has such a name. */
const far = (place: string) => `@${place}`
const isFar = (tab: string) => tab.startsWith('@')

const toPerson = ({ id, name, role }: Entering) =>
  ({ id, name, role }) as Extract<RoomAsk, { do: 'join' }>['person']

const asMessage = ({ was, ...message }: RoomDone['said'][number]): RoomMessage => ({
  ...message,
  ...(was === undefined ? {} : { was }),
})
