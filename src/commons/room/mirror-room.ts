// The meeting room at a mirror: it numbers messages for all devices and callers. One row stores the room, so it
// survives an eviction of the mirror from memory.
// Invariant: events are stored before they are sent, so no number is used twice; on a guest's line only that guest
// speaks.
import { DaybookError, invalidInput, toDaybookError } from '../../core/errors.ts'
import { plainMessage, valueAt } from '../../core/plain-issue.ts'
import type {
  Participant,
  Room,
  RoomEvent,
  RoomMessage,
  RoomSize,
} from '../../core/capability/port/room-port.ts'
import { ringBytes } from './meeting-ring.ts'
import type { MeetingRoom } from './meeting-room.ts'
import { httpPlace } from './mirror-presence.ts'
import { messageKey } from './room-messages.ts'
import {
  eventFrames,
  roomRequest,
  type RoomRequest,
  type RoomRefusal,
  type UnsentMessage,
} from './room-wire.ts'
import { type LoadedRoom, StoredRoom, type StoredRoomDeps } from './stored-room.ts'

/** The authenticated sender on a line. */
export interface LineSender {
  readonly device: string
  /** The only participant id that this line may use. Absent: the line is the owner's, and may use any id. */
  readonly agent?: string | undefined
}

/** Largest room that a mirror stores, in bytes: a row of a Durable Object takes 2 MB. */
const mirrorRoomLimits = { bytes: 1_500_000, slotBytes: 8192 } as const
/** A device may raise the next number by at most this much. */
const maxSkippedNumbers = 1_000_000

/** The room as the lines of this process last received it. */
interface SentState {
  /** The highest used number. */
  readonly lastNumber: number
  /** True if messages were in the ring. */
  readonly hadMessages: boolean
  /** By `placeKey`: the participant and its place, as JSON. */
  readonly people: ReadonlyMap<string, string>
}

/** A mirror's room has a place (a device's name or `httpPlace`) wherever a device's room has a tab. */
const placeKey = ({ participant, tab }: { participant: Participant; tab: string }) =>
  JSON.stringify([participant.id, tab])

function sentStateOf(room: MeetingRoom): SentState {
  const people = room.participants.byTab().map((one) => [placeKey(one), JSON.stringify(one)] as const)
  const { next, count } = room.messages.state()
  return { lastNumber: next - 1, hadMessages: count > 0, people: new Map(people) }
}

export class MirrorRoom {
  readonly #stored: StoredRoom
  /** Undefined until the first change: lines receive changes only, and `come` is answered with the whole room. */
  #sent: SentState | undefined

  constructor(deps: StoredRoomDeps) {
    this.#stored = new StoredRoom(deps)
  }

  /** The room for callers over HTTP. `key`: of the call. Two messages with one `key` are one message. */
  roomForHttp(key?: string): Room {
    return {
      join: (person) => this.#change(({ presence }) => presence.enter(person, httpPlace)),
      leave: (id) => this.#change(({ presence }) => presence.leave(id, httpPlace)),
      say: (id, text) =>
        this.#change(({ presence }) =>
          presence.say({ id, text, tab: httpPlace, key: key === undefined ? undefined : messageKey(key) }),
        ),
      hear: (id, last, limit) => {
        this.#addListener(id)
        return this.#stored.current().room.hear(id, last, limit)
      },
      look: (id, last, limit) => this.#stored.current().room.hear(id, last, limit),
      whoIsHere: () => this.#stored.current().room.participants.list(),
      status: (id, last) => ({
        ...this.#stored.current().room.roomForTab(httpPlace).status(id, last),
        at: 'mirror',
      }),
    }
  }

  /**
   * Performs a request from a device's line. `reply` sends the answer on that line, after the events that the
   * request caused.
   */
  async handleRequest(data: object, sender: LineSender, reply: (data: object) => void): Promise<void> {
    const parsed = roomRequest.safeParse(data)
    const key = String((data as { key?: unknown }).key ?? '')
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      const path = issue?.path.map(String) ?? []
      const message = issue ? plainMessage(issue, valueAt(data, path)) : 'is not valid'
      const fault = invalidInput(path.join('.'), message)
      return reply({ did: 'done', key, refused: [refusalOf('', fault)], said: [] })
    }
    const result = await this.#change((loaded) => performRequest(loaded, parsed.data, sender)).catch(
      (error: unknown) => ({
        refused: [refusalOf('', error)],
        said: [],
      }),
    )
    if (parsed.data.do === 'come') for (const frame of eventFrames(this.#allEvents())) reply(frame)
    reply({ did: 'done', key, ...result })
  }

  /** Frames for every line, with the changes since the last call. */
  takeEventFrames(): object[] {
    return eventFrames(this.#newEvents())
  }

  size(): RoomSize {
    return this.#stored.current().room.size()
  }

  /**
   * Removes participants without a sign of life for five minutes. `aliveMs` returns the last sign of life of a
   * device's line, undefined without one. Resolves to the time of the next sweep, undefined if nobody is here. All
   * times are milliseconds since 1970 UTC.
   */
  async sweep(aliveMs: (device: string) => number | undefined): Promise<number | undefined> {
    await this.#change(({ presence }) => presence.refresh(aliveMs))
    return this.#stored.current().presence.nextRemovalMs()
  }

  #change<Result>(work: (room: LoadedRoom) => Result): Promise<Result> {
    return this.#stored.change(work, ({ room }) => void (this.#sent ??= sentStateOf(room)))
  }

  #newEvents(): RoomEvent[] {
    const { room } = this.#stored.current()
    const previous = this.#sent
    this.#sent = sentStateOf(room)
    if (!previous) return []
    // Every message that the lines received is gone: the room was empty in between, or changed without them.
    const { gone } = room.messages.state()
    if (gone > previous.lastNumber || (gone === previous.lastNumber && previous.hadMessages))
      return this.#allEvents()
    const present = new Map(room.participants.byTab().map((one) => [placeKey(one), one]))
    const departures = [...previous.people.keys()].filter((place) => !present.has(place))
    const arrivals = [...present].filter(([place, one]) => previous.people.get(place) !== JSON.stringify(one))
    // Send arrivals before departures: a copy that sees everybody leave clears its messages.
    return [
      ...arrivals.map(([, one]): RoomEvent => ({ type: 'joined', ...one })),
      ...room.messageEvents(previous.lastNumber).map((one): RoomEvent => ({ ...one, given: true })),
      ...departures.map((place): RoomEvent => {
        const [id = '', tab = ''] = JSON.parse(place) as string[]
        return { type: 'left', id, tab }
      }),
    ]
  }

  /** Events of the whole room, which replace everything in a device's copy. */
  #allEvents(): RoomEvent[] {
    const { room } = this.#stored.current()
    const events = room.snapshot().filter(({ type }) => type !== 'place')
    return events.map((one) => {
      // At the mirror, the mirror assigned every number.
      if (one.type === 'numbered') return { ...one, given: one.next - 1, forks: [], anew: true }
      return one.type === 'said' ? { ...one, given: true } : one
    })
  }

  /** Adds a listener without waiting for the commit, because `hear` is synchronous. If that fails, it only listens. */
  #addListener(id: string): void {
    const { room, presence } = this.#stored.current()
    if (room.participants.isInTab(id, httpPlace)) {
      presence.touch(id, httpPlace)
      if (!presence.isStale) return
    }
    void this.#change((one) => one.presence.addListener(id, httpPlace)).catch(() => undefined)
  }
}

interface RequestResult {
  readonly refused: readonly RoomRefusal[]
  readonly said: readonly RoomMessage[]
  /** Only for `come`: see room-wire.ts. */
  readonly goneBefore?: number
}

/** `of`: the id or key of the refused part; empty for the whole request. */
const refusalOf = (of: string, error: unknown): RoomRefusal => ({ of, ...toDaybookError(error).toJSON() })

/** The first device of an empty room sets its size. Ignores a size that a row can't store. */
function applySize({ room }: LoadedRoom, size: RoomSize): void {
  const { slots, slotBytes, participants } = size
  const isUsable = slots > 0 && slotBytes > 0 && participants > 0 && slotBytes <= mirrorRoomLimits.slotBytes
  if (room.isEmpty() && isUsable && ringBytes(size) <= mirrorRoomLimits.bytes) room.setSize(size)
}

function assertMaySpeakAs(id: string, { agent }: LineSender): void {
  if (agent === undefined || agent === id) return
  throw new DaybookError('forbidden', `The line is ${agent}'s, and no one else's.`, {
    details: { path: 'id' },
  })
}

/** Performs the allowed parts of a device's request. The refused parts change nothing. */
function performRequest(loaded: LoadedRoom, request: RoomRequest, sender: LineSender): RequestResult {
  const refused: RoomRefusal[] = []
  const messages: RoomMessage[] = []
  const { next, gone } = loaded.room.messages.state()
  const attempt = (of: string, work: () => unknown) => {
    try {
      work()
    } catch (error) {
      refused.push(refusalOf(of, error))
    }
  }
  const enter = ({ id, name, role, joinedAt }: Extract<RoomRequest, { do: 'join' }>['person']) =>
    attempt(id, () => {
      assertMaySpeakAs(id, sender)
      loaded.presence.enter({ id, name: sender.agent ?? name, role }, sender.device, joinedAt)
    })
  const say = ({ key, id, name, text, at, was }: UnsentMessage) =>
    attempt(key, () => {
      assertMaySpeakAs(id, sender)
      const message =
        was === undefined
          ? loaded.presence.say({ id, text, tab: sender.device, key })
          : loaded.room.renumber({
              key,
              message: { number: was, from: id, name: sender.agent ?? name, text, at: at ?? '' },
            })
      messages.push(message)
    })
  if (request.do === 'leave') attempt(request.id, () => assertMaySpeakAs(request.id, sender))
  if (request.do === 'leave' && refused.length === 0) loaded.presence.leave(request.id, sender.device)
  if (request.do !== 'leave') applySize(loaded, request.size)
  if (request.do === 'join') enter(request.person)
  if (request.do === 'say') request.messages.forEach(say)
  if (request.do === 'come') {
    loaded.presence.removeOthersOf(sender.device, new Set(request.people.map(({ id }) => id)))
    request.people.forEach(enter)
    if (request.next > next && request.next - next <= maxSkippedNumbers) {
      loaded.room.skipTo(request.next, Math.min(request.gone, request.next - 1))
    }
  }
  return request.do === 'come' ? { refused, said: messages, goneBefore: gone } : { refused, said: messages }
}
