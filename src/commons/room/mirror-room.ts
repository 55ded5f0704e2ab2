// The meeting room at a mirror: it numbers messages for all devices and callers. One row stores the room, so it
// survives an eviction of the mirror from memory.
// Invariant: events are stored before they are sent, so no number is used twice; on a guest's line only that guest
// speaks.
import { DaybookError, toDaybookError } from '../../core/errors.ts'
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
import { messageKey } from './room-talk.ts'
import { eventFrames, roomAsk, type RoomAsk, type RoomRefusal, type Unsaid } from './room-wire.ts'
import { type LoadedRoom, StoredRoom, type StoredRoomParts } from './stored-room.ts'

/** The authenticated sender on a line. */
export interface Speaker {
  readonly device: string
  /** The only participant id that this line may use. Absent: the line is the owner's, and may use any id. */
  readonly agent?: string | undefined
}

/** Largest room that a mirror stores, in bytes: a row of a Durable Object takes 2 MB. */
const mirrorRoomLimits = { bytes: 1_500_000, slotBytes: 8192 } as const
/** A device may raise the next number by at most this much. */
const mostRaised = 1_000_000

/** The room as the lines of this process last received it. */
interface Sent {
  /** The highest used number. */
  readonly last: number
  readonly isAnyThere: boolean
  /** By `placeName`: the participant and its place, as JSON. */
  readonly people: ReadonlyMap<string, string>
}

const placeName = ({ participant, tab }: { participant: Participant; tab: string }) =>
  JSON.stringify([participant.id, tab])

function sentState(room: MeetingRoom): Sent {
  const people = room.people.byTab().map((one) => [placeName(one), JSON.stringify(one)] as const)
  const { next, count } = room.talk.state()
  return { last: next - 1, isAnyThere: count > 0, people: new Map(people) }
}

export class MirrorRoom {
  readonly #stored: StoredRoom
  #sent: Sent | undefined

  constructor(parts: StoredRoomParts) {
    this.#stored = new StoredRoom(parts)
  }

  /** The room for callers over HTTP. Two messages with one `key` are one message. */
  of(key?: string): Room {
    return {
      join: (person) => this.#change(({ presence }) => presence.enter(person, httpPlace)),
      leave: (id) => this.#change(({ presence }) => presence.leave(id, httpPlace)),
      say: (id, text) =>
        this.#change(({ presence }) =>
          presence.say({ id, text, tab: httpPlace, key: key === undefined ? undefined : messageKey(key) }),
        ),
      hear: (id, last, limit) => {
        this.#attend(id)
        return this.#stored.now().room.hear(id, last, limit)
      },
      look: (id, last, limit) => this.#stored.now().room.hear(id, last, limit),
      whoIsHere: () => this.#stored.now().room.people.all(),
      status: (id, last) => ({ ...this.#stored.now().room.of(httpPlace).status(id, last), at: 'mirror' }),
    }
  }

  /**
   * Performs a request from a device's line. `reply` sends the answer on that line, after the events that the
   * request caused.
   */
  async take(data: object, speaker: Speaker, reply: (data: object) => void): Promise<void> {
    const read = roomAsk.safeParse(data)
    const key = String((data as { key?: unknown }).key ?? '')
    if (!read.success) {
      const [issue] = read.error.issues
      const path = issue?.path.join('.') ?? ''
      const fault = new DaybookError('invalid-input', `\`${path}\` ${issue?.message}.`, {
        details: { path },
      })
      return reply({ did: 'done', key, refused: [refusalOf('', fault)], said: [] })
    }
    const done = await this.#change((one) => performAsk(one, read.data, speaker)).catch((error: unknown) => ({
      refused: [refusalOf('', error)],
      said: [],
    }))
    if (read.data.do === 'come') for (const frame of eventFrames(this.#whole())) reply(frame)
    reply({ did: 'done', key, ...done })
  }

  /** Frames for every line, with the changes since the last call. */
  news(): object[] {
    return eventFrames(this.#newEvents())
  }

  size(): RoomSize {
    return this.#stored.now().room.size()
  }

  /**
   * Removes participants without a sign of life for five minutes. `aliveMs` returns the last sign of life of a
   * device's line, undefined without one. Resolves to the time of the next sweep, undefined if nobody is here. All
   * times are milliseconds since 1970 UTC.
   */
  async sweep(aliveMs: (device: string) => number | undefined): Promise<number | undefined> {
    await this.#change(({ presence }) => presence.refresh(aliveMs))
    return this.#stored.now().presence.nextEnd()
  }

  #change<Result>(work: (room: LoadedRoom) => Result): Promise<Result> {
    return this.#stored.change(work, ({ room }) => void (this.#sent ??= sentState(room)))
  }

  #newEvents(): RoomEvent[] {
    const { room } = this.#stored.now()
    const before = this.#sent
    this.#sent = sentState(room)
    if (!before) return []
    // Every message that the lines received is gone: the room was empty in between, or changed without them.
    const { gone } = room.talk.state()
    if (gone > before.last || (gone === before.last && before.isAnyThere)) return this.#whole()
    const here = new Map(room.people.byTab().map((one) => [placeName(one), one]))
    const leaving = [...before.people.keys()].filter((place) => !here.has(place))
    const coming = [...here].filter(([place, one]) => before.people.get(place) !== JSON.stringify(one))
    // Send arrivals before departures: a copy that sees everybody leave clears its messages.
    return [
      ...coming.map(([, one]): RoomEvent => ({ type: 'joined', ...one })),
      ...room.messageEvents(before.last).map((one): RoomEvent => ({ ...one, given: true })),
      ...leaving.map((place): RoomEvent => {
        const [id = '', tab = ''] = JSON.parse(place) as string[]
        return { type: 'left', id, tab }
      }),
    ]
  }

  /** Events of the whole room, which replace everything in a device's copy. */
  #whole(): RoomEvent[] {
    const { room } = this.#stored.now()
    const events = room.snapshot().filter(({ type }) => type !== 'place')
    return events.map((one) => {
      if (one.type === 'numbered') return { ...one, given: one.next - 1, forks: [], anew: true }
      return one.type === 'said' ? { ...one, given: true } : one
    })
  }

  #attend(id: string): void {
    const { room, presence } = this.#stored.now()
    if (room.people.isHereThrough(id, httpPlace)) {
      presence.touch(id, httpPlace)
      if (!presence.isStale) return
    }
    void this.#change((one) => one.presence.attend(id, httpPlace)).catch(() => undefined)
  }
}

interface Performed {
  readonly refused: readonly RoomRefusal[]
  readonly said: readonly RoomMessage[]
  readonly goneBefore?: number
}

const refusalOf = (of: string, error: unknown): RoomRefusal => ({ of, ...toDaybookError(error).toJSON() })

function takeSize({ room }: LoadedRoom, size: RoomSize): void {
  const { slots, slotBytes, participants } = size
  const isUsable = slots > 0 && slotBytes > 0 && participants > 0 && slotBytes <= mirrorRoomLimits.slotBytes
  if (room.isEmpty() && isUsable && ringBytes(size) <= mirrorRoomLimits.bytes) room.takeSize(size)
}

function checkSpeaker(id: string, { agent }: Speaker): void {
  if (agent === undefined || agent === id) return
  throw new DaybookError('forbidden', `The line is ${agent}'s, and no one else's.`, {
    details: { path: 'id' },
  })
}

/** Performs the allowed parts of a device's request. The refused parts change nothing. */
function performAsk(one: LoadedRoom, ask: RoomAsk, speaker: Speaker): Performed {
  const refused: RoomRefusal[] = []
  const messages: RoomMessage[] = []
  const { next, gone } = one.room.talk.state()
  const attempt = (of: string, work: () => unknown) => {
    try {
      work()
    } catch (error) {
      refused.push(refusalOf(of, error))
    }
  }
  const enter = ({ id, name, role, joinedAt }: Extract<RoomAsk, { do: 'join' }>['person']) =>
    attempt(id, () => {
      checkSpeaker(id, speaker)
      one.presence.enter({ id, name: speaker.agent ?? name, role }, speaker.device, joinedAt)
    })
  const say = ({ key, id, name, text, at, was }: Unsaid) =>
    attempt(key, () => {
      checkSpeaker(id, speaker)
      const message =
        was === undefined
          ? one.presence.say({ id, text, tab: speaker.device, key })
          : one.room.take({
              key,
              message: { number: was, from: id, name: speaker.agent ?? name, text, at: at ?? '' },
            })
      messages.push(message)
    })
  if (ask.do === 'leave') attempt(ask.id, () => checkSpeaker(ask.id, speaker))
  if (ask.do === 'leave' && refused.length === 0) one.presence.leave(ask.id, speaker.device)
  if (ask.do !== 'leave') takeSize(one, ask.size)
  if (ask.do === 'join') enter(ask.person)
  if (ask.do === 'say') ask.messages.forEach(say)
  if (ask.do === 'come') {
    one.presence.cameBack(speaker.device, new Set(ask.people.map(({ id }) => id)))
    ask.people.forEach(enter)
    if (ask.next > next && ask.next - next <= mostRaised) {
      one.room.raise(ask.next, Math.min(ask.gone, ask.next - 1))
    }
  }
  return ask.do === 'come' ? { refused, said: messages, goneBefore: gone } : { refused, said: messages }
}
