// The meeting room on a device. While the device has a line to its mirror, the mirror numbers messages, and this
// room is a copy. Without a line the device numbers messages, and sends them to the mirror when a line opens.
// Invariant: a call resolves when its message has a number, and the message is in the room once; a participant that
// the mirror refused is not in this copy; a number is not used again, even after every tab was closed.
import { DaybookError, type ErrorShape, isDaybookError } from '../../core/errors.ts'
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
import { RoomNumberWriter, type RoomNumberStore, messageKey } from './room-messages.ts'
import { createMeetingRoom, type MeetingRoom } from './meeting-room.ts'
import { LocalParticipants } from './room-participants.ts'
import {
  messageFrameBytes,
  splitByBytes,
  type RoomRequest,
  parseMirrorFrame,
  type RoomResult,
  type UnsentMessage,
} from './room-wire.ts'

export interface DeviceRoomDeps {
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
  /** The name of this device at its mirror. */
  readonly device: string
  /** The tab that the engine runs in. */
  readonly tab: string
  readonly size?: RoomSize | undefined
  /** Stores the used numbers. Absent: numbers start again at 1 after every tab was closed. */
  readonly numbers?: RoomNumberStore | undefined
  /** Gets every event of this copy, in order. */
  readonly emit: (event: RoomEvent) => void
}

/** Sends data on the line; false without a line. */
export type SendOnLine = (data: object) => boolean

/**
 * `alone`: this device numbers messages. `coming`: the line is open, and the mirror's answer to `come` is pending.
 * `joined`: the mirror numbers messages. `held`: the line is closed or not open yet, and the device waits `lineWaitMs`
 * for it.
 */
type NumberingState = 'alone' | 'coming' | 'joined' | 'held'

/** The device waits this long for a line before it numbers messages itself. */
export const lineWaitMs = 3000

export class DeviceRoom {
  readonly #deps: DeviceRoomDeps
  readonly #room: MeetingRoom
  readonly #numbers: RoomNumberWriter
  readonly #local = new LocalParticipants()
  readonly #pendingRequests = new PendingRequests()
  #numbering: NumberingState = 'alone'
  #send: SendOnLine = () => false
  #cancelLineWait: () => void = () => undefined
  /** Events that arrive between `come` and its answer. */
  #eventsBeforeAnswer: RoomEvent[] = []
  /** The key of the last `come`; empty without a line. */
  #comeKey = ''
  /** True if the last `come` had too many participants for a frame of the line. */
  #isTooLarge = false

  /** `snapshot`: the snapshot of another copy. Empty: no other copy exists. */
  constructor(deps: DeviceRoomDeps, snapshot: readonly RoomEvent[] = []) {
    this.#deps = deps
    this.#numbers = new RoomNumberWriter(deps.numbers)
    this.#room = createMeetingRoom(deps.clock, (event) => this.#emit(event), deps.size)
    this.#numbers.restore(
      () => this.#room.messages,
      snapshot.length === 0,
      () => snapshot.forEach((event) => this.#room.apply(event)),
    )
    for (const { participant, tab } of this.#room.participants.byTab())
      if (!isRemoteTab(tab)) this.#local.add(participant, tab)
  }

  get room(): MeetingRoom {
    return this.#room
  }

  /** True if this device has a participant: then it needs a line. */
  get isInUse(): boolean {
    return this.#local.count > 0
  }

  /** How many participants this device has, if they are too many for its line: then it works without the mirror. */
  get tooMany(): number | undefined {
    return this.#isTooLarge ? this.#local.count : undefined
  }

  /** Call it when a line may open soon. `send` sends on that line. */
  expectLine(send: SendOnLine): void {
    this.#send = send
    this.#waitForLine()
  }

  /** Call it when the line is open. */
  lineOpened(): void {
    this.#numbering = 'coming'
    this.#eventsBeforeAnswer = []
    this.#comeKey = this.#newKey()
    // `given`: the highest number that the mirror assigned. Only later numbers are this device's own.
    const { next, gone, given } = this.#room.messages.state()
    const people = this.#local.list()
    const size = this.#room.size()
    this.#startLineWait()
    this.#isTooLarge = false
    try {
      this.#send({
        do: 'come',
        key: this.#comeKey,
        size,
        people,
        next,
        gone: gone > given ? gone : 0,
      })
    } catch {
      // With too many participants the request is too large for a frame.
      this.#isTooLarge = true
      this.#continueAlone()
    }
  }

  /** Call it when the line is closed, or was refused. */
  lineClosed(): void {
    this.#comeKey = ''
    if (this.#numbering === 'joined') this.#waitForLine()
    else this.#continueAlone()
  }

  /** Takes data that the mirror sent on the line. */
  receive(data: unknown): void {
    const frame = parseMirrorFrame(data)
    if (!frame || this.#numbering === 'held') return
    if (this.#numbering === 'alone') {
      // Events are ignored until the next `come`, whose answer has the whole room.
      // The answer to `come` is late, and this device may have numbered messages since: start again.
      if (frame.did === 'done' && frame.key === this.#comeKey) this.lineOpened()
    } else if (frame.did === 'done') {
      if (frame.key === this.#comeKey && this.#numbering === 'coming') this.#joinMirror(frame)
      else this.#pendingRequests.answer(frame)
    } else if (this.#numbering === 'coming') this.#eventsBeforeAnswer.push(...frame.events)
    else for (const event of frame.events) this.#applyMirrorEvent(event)
  }

  leaveTab(tab: string): void {
    for (const id of this.#local.ids()) void this.#leave(id, tab).catch(() => undefined)
  }

  /** Tabs of this device that have a participant. */
  tabs(): string[] {
    return this.#room.tabs().filter((tab) => !isRemoteTab(tab))
  }

  /**
   * Applies a late event of the previous engine, which ran in another tab. Ignores its messages and numbers
   * if the mirror numbers messages now.
   */
  apply(event: RoomEvent): void {
    if (event.type === 'place') return
    if (this.#numbering === 'joined' && (event.type === 'said' || event.type === 'numbered')) return
    this.#room.apply(event)
    if (event.type === 'joined' && !isRemoteTab(event.tab)) this.#local.add(event.participant, event.tab)
    if (event.type === 'left') this.#local.remove(event.id, event.tab)
  }

  /**
   * Call it when the engine ends. Participants that only the engine's own tab has leave the mirror's room; the
   * others continue through the next engine. Waiting calls fail with `book-closed`.
   */
  close(): void {
    this.#cancelLineWait()
    if (this.#numbering === 'joined')
      for (const id of this.#local.ids())
        if (this.#local.isOnlyInTab(id, this.#deps.tab)) this.#send({ do: 'leave', key: this.#newKey(), id })
    this.#pendingRequests.close()
  }

  roomForTab(tab: string, requestId?: string): Room {
    const localRoom = this.#room.roomForTab(tab)
    return {
      join: (person) => this.#enter(person, tab),
      leave: (id) => this.#leave(id, tab),
      say: (id, text) =>
        this.#sayAs(id, text, tab, requestId === undefined ? this.#newKey() : messageKey(requestId)),
      hear: (id, last, limit) => {
        this.#addListener(id, tab)
        return this.#room.hear(id, last, limit)
      },
      look: localRoom.look,
      whoIsHere: localRoom.whoIsHere,
      status: localRoom.status,
    }
  }

  #enter(person: Entering, tab: string): Promise<Participant> {
    const enterHere = () => {
      const participant = this.#room.enter(person, tab)
      this.#local.add(participant, tab)
      return participant
    }
    if (this.#numbering === 'alone') return asPromise(enterHere)
    return this.#request(this.#joinRequest(person), enterHere, () => this.#addAccepted(person, tab))
  }

  /** Adds a participant that the mirror accepted. */
  #addAccepted({ id, name, role }: Entering, tab: string): Participant {
    const at = new Date(this.#deps.clock.now()).toISOString()
    const participant = { id, name, role, joinedAt: this.#room.participants.get(id)?.joinedAt ?? at }
    this.#local.add(participant, tab)
    this.#applyAndEmit({ type: 'joined', participant, tab })
    return participant
  }

  async #leave(id: string, tab: string): Promise<boolean> {
    if (!this.#local.has(id, tab)) return false
    if (this.#numbering === 'alone' || !this.#local.isOnlyInTab(id, tab)) {
      this.#local.remove(id, tab)
      return this.#room.leave(id, tab)
    }
    const leaveHere = () => {
      this.#local.remove(id, tab)
      return this.#room.leave(id, tab)
    }
    // Leave the removal to the mirror's event: a removal here would clear the messages, though others may have
    // joined.
    return this.#request({ do: 'leave', key: this.#newKey(), id }, leaveHere, () => {
      this.#local.remove(id, tab)
      return true
    })
  }

  async #sayAs(id: string, text: string, tab: string, key: string): Promise<RoomMessage> {
    const existing = this.#room.messageByKey(key, id)
    if (existing) return existing
    this.#room.checkText(text)
    const sayHere = () => {
      const message = this.#room.say({ id, text, tab, key })
      const person = this.#room.participants.get(id)
      if (person) this.#local.add(person, tab)
      return message
    }
    if (this.#numbering === 'alone') return sayHere()
    const { name = id, role = 'participant' } = this.#room.participants.get(id) ?? {}
    const messages = [{ key, id, name, text }]
    return this.#request(
      { do: 'say', key: this.#newKey(), size: this.#room.size(), messages },
      sayHere,
      ({ said }) => {
        if (!this.#local.has(id, tab)) this.#addAccepted({ id, name, role }, tab)
        const [message] = said
        if (!message) throw new DaybookError('protocol-error')
        return asMessage(message)
      },
    )
  }

  /** Adds a listener as a participant, if the room has a free place. Removes it again if the mirror refuses it. */
  #addListener(id: string, tab: string): void {
    if (this.#local.has(id, tab)) return
    this.#room.addListener(id, tab)
    const person = this.#room.participants.get(id)
    if (!person || !this.#room.participants.isInTab(id, tab)) return
    this.#local.add(person, tab)
    if (this.#numbering === 'alone') return
    const nothing = () => undefined
    this.#request(this.#joinRequest(person), nothing, nothing).catch((error: unknown) => {
      // The participant continues through the next engine.
      if (isDaybookError(error, 'book-closed')) return
      this.#local.remove(id, tab)
      this.#room.leave(id, tab)
    })
  }

  #joinRequest({ id, name, role }: Entering): RoomRequest {
    const person = { id, name, role } as Extract<RoomRequest, { do: 'join' }>['person']
    return { do: 'join', key: this.#newKey(), size: this.#room.size(), person }
  }

  /**
   * Sends a request to the mirror; `onResult` takes the answer. Runs `runHere` instead if no line opens in time. Rejects
   * with the mirror's refusal.
   */
  #request<Result>(
    data: RoomRequest,
    runHere: () => Result,
    onResult: (done: RoomResult) => Result,
  ): Promise<Result> {
    const answer = this.#pendingRequests.add(data, runHere, onResult)
    if (this.#numbering === 'joined') this.#sendRequest(data)
    return answer
  }

  /** Makes this room a copy of the mirror's room, and sends the mirror the messages that it lacks. */
  #joinMirror(result: RoomResult): void {
    this.#cancelLineWait()
    this.#numbering = 'joined'
    for (const { of } of result.refused) this.#local.removeFromAllTabs(of)
    const { given, next } = this.#room.messages.state()
    const unsent = this.#room.unsent()
    const unsentKeys = new Set(unsent.map(({ key }) => key))
    const mirrorMessages = this.#eventsBeforeAnswer.flatMap((one) => (one.type === 'said' ? [one] : []))
    // The mirror and this device assigned the same numbers: a listener at such a number missed messages of the
    // mirror.
    const newFromMirror = mirrorMessages.filter(({ key }) => key === undefined || !unsentKeys.has(key))
    const numbers = newFromMirror.map(({ message }) => message.number).filter((number) => number > given)
    const isGone = (result.goneBefore ?? 0) > given
    const firstMissed = isGone ? given + 1 : Math.min(...numbers)
    if (firstMissed < next) this.#room.messages.addFork(firstMissed - 1, next - 1)
    for (const event of this.#eventsBeforeAnswer) this.#applyMirrorEvent(event)
    this.#eventsBeforeAnswer = []
    this.#applyAndEmit({ type: 'place', at: 'mirror' })
    const keysAtMirror = new Set(mirrorMessages.map(({ key }) => key))
    this.#sendMessages(unsent.filter(({ key }) => !keysAtMirror.has(key)))
    for (const data of this.#pendingRequests.all()) this.#sendRequest(data)
  }

  /** Sends a request. One that the line can't take fails alone, as if the mirror had refused it. */
  #sendRequest(data: RoomRequest): void {
    try {
      this.#send(data)
    } catch (error) {
      this.#pendingRequests.refuse(data.key, error)
    }
  }

  #sendMessages(unsent: readonly { readonly key: string; readonly message: RoomMessage }[]): void {
    const messagesToSend = unsent.map(
      ({ key, message: { from, name, text, at, was, number } }): UnsentMessage => {
        return { key, id: from, name, text, at, was: was ?? number }
      },
    )
    for (const messages of splitByBytes(messagesToSend, ({ text }) => messageFrameBytes(text)))
      this.#sendRequest({ do: 'say', key: this.#newKey(), size: this.#room.size(), messages })
  }

  /**
   * Applies an event of the mirror to this copy. The event names this device as a tab: apply it for each tab of the
   * device.
   */
  #applyMirrorEvent(event: RoomEvent): void {
    if (event.type === 'numbered') {
      const forks = [...event.forks, ...this.#room.messages.state().forks]
      return this.#applyAndEmit({ ...event, forks })
    }
    if (event.type !== 'joined' && event.type !== 'left') return this.#applyAndEmit(event)
    if (event.tab !== this.#deps.device) return this.#applyAndEmit({ ...event, tab: remoteTab(event.tab) })
    const id = event.type === 'joined' ? event.participant.id : event.id
    if (event.type === 'joined') {
      for (const tab of this.#local.tabsOf(id)) this.#applyAndEmit({ ...event, tab })
      return
    }
    for (const { participant, tab } of this.#room.participants.byTab())
      if (participant.id === id && !isRemoteTab(tab)) this.#applyAndEmit({ type: 'left', id, tab })
    this.#local.removeFromAllTabs(id)
  }

  #applyAndEmit(event: RoomEvent): void {
    this.#room.apply(event)
    this.#emit(event)
  }

  /** Stores a message's number before anybody gets the message. */
  #emit(event: RoomEvent): void {
    if (event.type === 'said' || event.type === 'numbered') this.#numbers.write(this.#room.messages)
    this.#deps.emit(event)
  }

  #waitForLine(): void {
    this.#numbering = 'held'
    this.#startLineWait()
  }

  #startLineWait(): void {
    this.#cancelLineWait()
    this.#cancelLineWait = this.#deps.scheduler.later(lineWaitMs, () => this.#continueAlone())
  }

  /**
   * Continues without a line: removes participants of other devices, and performs pending requests on this device.
   */
  #continueAlone(): void {
    this.#cancelLineWait()
    if (this.#numbering === 'alone') return
    this.#numbering = 'alone'
    for (const person of this.#local.list())
      for (const tab of this.#local.tabsOf(person.id))
        if (!this.#room.participants.isInTab(person.id, tab)) this.#enterOrDrop(person, tab)
    for (const { participant, tab } of this.#room.participants.byTab())
      if (isRemoteTab(tab)) this.#applyAndEmit({ type: 'left', id: participant.id, tab })
    if (this.#room.place === 'mirror') this.#applyAndEmit({ type: 'place', at: 'device' })
    this.#pendingRequests.runAllHere()
  }

  #enterOrDrop(person: Entering, tab: string): void {
    try {
      this.#room.enter(person, tab)
    } catch {
      this.#local.removeFromAllTabs(person.id)
    }
  }

  #newKey(): string {
    return toHex(this.#deps.random.bytes(16))
  }
}

/** The tab of a participant that is at another device or over HTTP. No tab of this device has such a name. */
const remoteTab = (place: string) => `@${place}`
const isRemoteTab = (tab: string) => tab.startsWith('@')

const asMessage = ({ was, ...message }: RoomResult['said'][number]): RoomMessage => ({
  ...message,
  ...defined({ was }),
})

interface PendingRequest {
  readonly data: RoomRequest
  /** Performs the request on this device, without a line. */
  runHere(): void
  finish(done: RoomResult): void
  refuse(error: unknown): void
}

/**
 * Requests that wait for the mirror. Each ends once: with the mirror's answer, on this device without a line, or with
 * `book-closed`.
 */
class PendingRequests {
  readonly #pending = new Map<string, PendingRequest>()
  #isClosed = false

  add<Result>(
    data: RoomRequest,
    runHere: () => Result,
    onResult: (done: RoomResult) => Result,
  ): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new DaybookError('book-closed'))
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const attempt = (work: () => Result) => void asPromise(work).then(resolve, reject)
    this.#pending.set(data.key, {
      data,
      runHere: () => attempt(runHere),
      finish(answer) {
        const [refusal] = answer.refused
        if (refusal) reject(DaybookError.from(refusal as ErrorShape))
        else attempt(() => onResult(answer))
      },
      refuse: reject,
    })
    return promise
  }

  /** All waiting requests, oldest first. */
  all(): RoomRequest[] {
    return [...this.#pending.values()].map(({ data }) => data)
  }

  answer(result: RoomResult): void {
    const request = this.#pending.get(result.key)
    this.#pending.delete(result.key)
    request?.finish(result)
  }

  /** Does nothing if no request with this key waits. */
  refuse(key: string, error: unknown): void {
    const request = this.#pending.get(key)
    this.#pending.delete(key)
    request?.refuse(error)
  }

  /** Refuses all waiting and later requests. */
  close(): void {
    this.#isClosed = true
    for (const key of this.#pending.keys()) this.refuse(key, new DaybookError('book-closed'))
  }

  runAllHere(): void {
    const requests = [...this.#pending.values()]
    this.#pending.clear()
    for (const { runHere } of requests) runHere()
  }
}

const asPromise = <Result>(work: () => Result): Promise<Result> =>
  new Promise((resolve) => {
    resolve(work())
  })
