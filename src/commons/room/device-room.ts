// The meeting room on a device. While the device has a line to its mirror, the mirror numbers messages, and this
// room is a copy. Without a line the device numbers messages, and sends them to the mirror when a line opens.
// Invariant: a call resolves when its message has a number, and the message is in the room once; a participant that
// the mirror refused is not in this copy; a number is not used again, even after every tab was closed.
import { DaybookError, type ErrorShape } from '../../core/errors.ts'
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
import { defined } from '../../core/defined.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import { RoomNumberWriter, type RoomNumberStore, messageKey } from './room-talk.ts'
import { createMeetingRoom, type MeetingRoom } from './meeting-room.ts'
import { OwnPeople } from './room-people.ts'
import { splitByBytes, type RoomAsk, readRoomTell, type RoomDone, type Unsaid } from './room-wire.ts'

export interface DeviceRoomParts {
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
  /** The name of this device at its mirror. */
  readonly device: string
  /** The tab that the engine runs in. */
  readonly tab: string
  readonly size?: RoomSize | undefined
  /** Stores the used numbers. Absent: the numbers are lost with the memory of the room. */
  readonly numbers?: RoomNumberStore | undefined
  /** Gets every event of this copy, in order. */
  readonly tell: (event: RoomEvent) => void
}

/** Sends data on the line; false without a line. */
export type SendOnLine = (data: object) => boolean

/**
 * `alone`: this device numbers messages. `coming`: the line is open, and the mirror's answer to `come` is pending.
 * `joined`: the mirror numbers messages. `held`: the line is closed or not open yet, and the device waits `holdMs`
 * for it.
 */
type Standing = 'alone' | 'coming' | 'joined' | 'held'

/** The device waits this long for a line before it numbers messages itself. */
export const holdMs = 3000

export class DeviceRoom {
  readonly #parts: DeviceRoomParts
  readonly #room: MeetingRoom
  readonly #numbers: RoomNumberWriter
  readonly #own = new OwnPeople()
  readonly #pending = new PendingAsks()
  #standing: Standing = 'alone'
  #send: SendOnLine = () => false
  #cancelHold: () => void = () => undefined
  /** Events that arrive between `come` and its answer. */
  #coming: RoomEvent[] = []
  #comeKey = ''

  /** `copied`: the snapshot of another copy. Empty: no other copy exists. */
  constructor(parts: DeviceRoomParts, copied: readonly RoomEvent[] = []) {
    this.#parts = parts
    this.#numbers = new RoomNumberWriter(parts.numbers)
    this.#room = createMeetingRoom(parts.clock, (event) => this.#tell(event), parts.size)
    this.#numbers.restore(
      () => this.#room.talk,
      copied.length === 0,
      () => copied.forEach((event) => this.#room.apply(event)),
    )
    for (const { participant, tab } of this.#room.people.byTab())
      if (!isFar(tab)) this.#own.add(participant, tab)
  }

  get copy(): MeetingRoom {
    return this.#room
  }

  /** True if this device has a participant: then it needs a line. */
  get isInUse(): boolean {
    return this.#own.count > 0
  }

  /** Call it when a line may open soon. `send` sends on that line. */
  await(send: SendOnLine): void {
    this.#send = send
    this.#hold()
  }

  /** Call it when the line is open. */
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

  /** Call it when the line is closed, or was refused. */
  gone(): void {
    this.#comeKey = ''
    if (this.#standing === 'joined') this.#hold()
    else this.#goAlone()
  }

  /** Takes data that the mirror sent on the line. */
  hear(data: unknown): void {
    const frame = readRoomTell(data)
    if (!frame || this.#standing === 'held') return
    if (this.#standing === 'alone') {
      // The answer to `come` is late, and this device may have numbered messages since: start again.
      if (frame.did === 'done' && frame.key === this.#comeKey) this.opened()
    } else if (frame.did === 'done') {
      if (frame.key === this.#comeKey && this.#standing === 'coming') this.#join(frame)
      else this.#pending.answer(frame)
    } else if (this.#standing === 'coming') this.#coming.push(...frame.events)
    else for (const event of frame.events) this.#takeOver(event)
  }

  leaveTab(tab: string): void {
    for (const id of this.#own.ids()) void this.#leave(id, tab).catch(() => undefined)
  }

  /** Tabs of this device that have a participant. */
  tabs(): string[] {
    return this.#room.tabs().filter((tab) => !isFar(tab))
  }

  /**
   * Applies a late event of the previous engine. Ignores its messages and numbers if the mirror numbers messages
   * now.
   */
  apply(event: RoomEvent): void {
    if (event.type === 'place') return
    if (this.#standing === 'joined' && (event.type === 'said' || event.type === 'numbered')) return
    this.#room.apply(event)
    if (event.type === 'joined' && !isFar(event.tab)) this.#own.add(event.participant, event.tab)
    if (event.type === 'left') this.#own.remove(event.id, event.tab)
  }

  /**
   * Call it when the engine ends. Participants that only the engine's own tab has leave the mirror's room; the
   * others continue through the next engine.
   */
  close(): void {
    this.#cancelHold()
    if (this.#standing !== 'joined') return
    for (const id of this.#own.ids())
      if (this.#own.isOnlyThrough(id, this.#parts.tab)) this.#send({ do: 'leave', key: this.#key(), id })
  }

  of(tab: string, requestId?: string): Room {
    const own = this.#room.of(tab)
    return {
      join: (person) => this.#enter(person, tab),
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

  #enter(person: Entering, tab: string): Promise<Participant> {
    const here = () => {
      const participant = this.#room.enter(person, tab)
      this.#own.add(participant, tab)
      return participant
    }
    if (this.#standing === 'alone') return asPromise(here)
    return this.#ask(this.#joinAsk(person), here, () => this.#entered(person, tab))
  }

  /** Adds a participant that the mirror accepted. */
  #entered({ id, name, role }: Entering, tab: string): Participant {
    const at = new Date(this.#parts.clock.now()).toISOString()
    const participant = { id, name, role, joinedAt: this.#room.people.get(id)?.joinedAt ?? at }
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
    // Leave the removal to the mirror's event: a removal here would clear the messages, though others may have
    // joined.
    return this.#ask({ do: 'leave', key: this.#key(), id }, here, () => {
      this.#own.remove(id, tab)
      return true
    })
  }

  async #sayAs(id: string, text: string, tab: string, key: string): Promise<RoomMessage> {
    const before = this.#room.messageUnder(key, id)
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
      if (!this.#own.has(id, tab)) this.#entered({ id, name, role }, tab)
      const [message] = said
      if (!message) throw new DaybookError('protocol-error')
      return asMessage(message)
    })
  }

  /** Adds a listener as a participant, if the room has a free place. Removes it again if the mirror refuses it. */
  #attend(id: string, tab: string): void {
    if (this.#own.has(id, tab)) return
    this.#room.attend(id, tab)
    const person = this.#room.people.get(id)
    if (!person || !this.#room.people.isHereThrough(id, tab)) return
    this.#own.add(person, tab)
    if (this.#standing === 'alone') return
    const nothing = () => undefined
    this.#ask(this.#joinAsk(person), nothing, nothing).catch(() => {
      this.#own.remove(id, tab)
      this.#room.leave(id, tab)
    })
  }

  #joinAsk({ id, name, role }: Entering): RoomAsk {
    const person = { id, name, role } as Extract<RoomAsk, { do: 'join' }>['person']
    return { do: 'join', key: this.#key(), size: this.#room.size(), person }
  }

  /**
   * Sends a request to the mirror; `done` takes the answer. Runs `alone` instead if no line opens in time. Rejects
   * with the mirror's refusal.
   */
  #ask<Result>(data: RoomAsk, alone: () => Result, done: (done: RoomDone) => Result): Promise<Result> {
    const answer = this.#pending.add(data, alone, done)
    if (this.#standing === 'joined') this.#send(data)
    return answer
  }

  /** Makes this room a copy of the mirror's room, and sends the mirror the messages that it lacks. */
  #join(done: RoomDone): void {
    this.#cancelHold()
    this.#standing = 'joined'
    for (const { of } of done.refused) this.#own.drop(of)
    const { given, next } = this.#room.talk.state()
    const unsent = this.#room.unsent()
    const ours = new Set(unsent.map(({ key }) => key))
    const theirs = this.#coming.flatMap((one) => (one.type === 'said' ? [one] : []))
    // The mirror and this device assigned the same numbers: a listener at such a number missed messages of the
    // mirror.
    const others = theirs.filter(({ key }) => key === undefined || !ours.has(key))
    const numbers = others.map(({ message }) => message.number).filter((number) => number > given)
    const isGone = (done.goneBefore ?? 0) > given
    const firstMissed = isGone ? given + 1 : Math.min(...numbers)
    if (firstMissed < next) this.#room.talk.fork(firstMissed - 1, next - 1)
    for (const event of this.#coming) this.#takeOver(event)
    this.#coming = []
    this.#happen({ type: 'place', at: 'mirror' })
    const present = new Set(theirs.map(({ key }) => key))
    this.#sendMessages(unsent.filter(({ key }) => !present.has(key)))
    for (const data of this.#pending.all()) this.#send(data)
  }

  #sendMessages(unsent: readonly { readonly key: string; readonly message: RoomMessage }[]): void {
    const all = unsent.map(({ key, message: { from, name, text, at, was, number } }): Unsaid => {
      return { key, id: from, name, text, at, was: was ?? number }
    })
    for (const messages of splitByBytes(all, ({ text }) => utf8Length(text) + 400))
      this.#send({ do: 'say', key: this.#key(), size: this.#room.size(), messages })
  }

  /**
   * Applies an event of the mirror to this copy. The event names this device as a tab: apply it for each tab of the
   * device.
   */
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

  /** Stores a message's number before anybody gets the message. */
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

  /**
   * Continues without a line: removes participants of other devices, and performs pending requests on this device.
   */
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
    this.#pending.runAlone()
  }

  #tryEnter(person: Entering, tab: string): void {
    try {
      this.#room.enter(person, tab)
    } catch {
      this.#own.drop(person.id)
    }
  }

  #key(): string {
    return toHex(this.#parts.random.bytes(16))
  }
}

/** The tab of a participant that is at another device or over HTTP. No tab of this device has such a name. */
const far = (place: string) => `@${place}`
const isFar = (tab: string) => tab.startsWith('@')

const asMessage = ({ was, ...message }: RoomDone['said'][number]): RoomMessage => ({
  ...message,
  ...defined({ was }),
})

interface PendingAsk {
  readonly data: RoomAsk
  /** Performs the request on this device, without a line. */
  alone(): void
  done(done: RoomDone): void
}

/**
 * Requests that wait for the mirror. Each ends once: with the mirror's answer, or on this device without a line.
 */
class PendingAsks {
  readonly #pending = new Map<string, PendingAsk>()

  add<Result>(data: RoomAsk, alone: () => Result, done: (done: RoomDone) => Result): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const attempt = (work: () => Result) => void asPromise(work).then(resolve, reject)
    this.#pending.set(data.key, {
      data,
      alone: () => attempt(alone),
      done(answer) {
        const [refused] = answer.refused
        if (refused) reject(DaybookError.from(refused as ErrorShape))
        else attempt(() => done(answer))
      },
    })
    return promise
  }

  /** All waiting requests, oldest first. */
  all(): RoomAsk[] {
    return [...this.#pending.values()].map(({ data }) => data)
  }

  answer(done: RoomDone): void {
    const ask = this.#pending.get(done.key)
    this.#pending.delete(done.key)
    ask?.done(done)
  }

  runAlone(): void {
    const asks = [...this.#pending.values()]
    this.#pending.clear()
    for (const { alone } of asks) alone()
  }
}

const asPromise = <Result>(work: () => Result): Promise<Result> =>
  new Promise((resolve) => {
    resolve(work())
  })
