// The meeting room at a mirror: it gives the numbers for all devices and callers, and is written down in one row, so that an
// object that is evicted goes on where it was.
// Invariant: what is told was written first, so no number is given twice.
import { DaybookError } from '../../core/errors.ts'
import type { Participant, Room, RoomEvent, RoomSize } from '../../core/capability/port/room-port.ts'
import { KeptRoom, type KeptRoomParts, type KnownRoom } from './kept-room.ts'
import type { MeetingRoom } from './meeting-room.ts'
import { httpPlace } from './mirror-presence.ts'
import { asRefusal, performAsk, type Speaker } from './perform-ask.ts'
import { messageKey } from './room-talk.ts'
import { eventFrames, roomAsk } from './room-wire.ts'

export interface MirrorRoom {
  /** The room as callers over HTTP use it. */
  of(key?: string): Room
  /** Does what a device says on its line, and answers it there by `reply`, after the news of it. */
  take(data: object, speaker: Speaker, reply: (data: object) => void): Promise<void>
  /** What happened since this was last asked, as data of frames for every line. */
  news(): object[]
  /**
   * Ends who has not been heard of for five minutes; `aliveMs` says when the line of a device was last alive. Answers when to
   * look again, undefined while nobody is here.
   */
  sweep(aliveMs: (device: string) => number | undefined): Promise<number | undefined>
  size(): RoomSize
}

/** What the lines of this process have been told. */
interface Told {
  readonly last: number
  readonly isAnyThere: boolean
  readonly people: ReadonlyMap<string, string>
}

const placeName = ({ participant, tab }: { participant: Participant; tab: string }) =>
  JSON.stringify([participant.id, tab])

function toldOf(room: MeetingRoom): Told {
  const people = room.people.byTab().map((one) => [placeName(one), JSON.stringify(one)] as const)
  const { next, count } = room.talk.state()
  return { last: next - 1, isAnyThere: count > 0, people: new Map(people) }
}

export function createMirrorRoom(parts: KeptRoomParts): MirrorRoom {
  const kept = new KeptRoom(parts)
  let told: Told | undefined
  const change = <Result>(work: (room: KnownRoom) => Result) =>
    kept.change(work, ({ room }) => void (told ??= toldOf(room)))
  const news = (): RoomEvent[] => {
    const { room } = kept.now()
    const before = told
    told = toldOf(room)
    if (!before) return []
    // All that they know is gone: the room was empty meanwhile, or went on without them.
    const { gone } = room.talk.state()
    if (gone > before.last || (gone === before.last && before.isAnyThere)) return whole()
    const here = new Map(room.people.byTab().map((one) => [placeName(one), one]))
    const left = [...before.people.keys()].filter((place) => !here.has(place))
    const came = [...here].filter(([place, one]) => before.people.get(place) !== JSON.stringify(one))
    // Who comes is told before who leaves: a copy that thought everybody gone would clear.
    return [
      ...came.map(([, one]): RoomEvent => ({ type: 'joined', ...one })),
      ...room.said(before.last).map((one): RoomEvent => ({ ...one, given: true })),
      ...left.map((place): RoomEvent => {
        const [id = '', tab = ''] = JSON.parse(place) as string[]
        return { type: 'left', id, tab }
      }),
    ]
  }
  /** Everything there is, in place of what a device knows. */
  const whole = (): RoomEvent[] => {
    const { room } = kept.now()
    const events = room.snapshot().filter(({ type }) => type !== 'place')
    return events.map((one) => {
      if (one.type === 'numbered') return { ...one, given: one.next - 1, forks: [], anew: true }
      return one.type === 'said' ? { ...one, given: true } : one
    })
  }

  const attend = (id: string) => {
    const { room, presence } = kept.now()
    if (room.people.isHereThrough(id, httpPlace)) {
      presence.touch(id, httpPlace)
      if (!presence.isStale) return
    }
    void change((one) => one.presence.attend(id, httpPlace)).catch(() => undefined)
  }

  return {
    of: (key) => ({
      join: (who) => change(({ presence }) => presence.enter(who, httpPlace)),
      leave: (id) => change(({ presence }) => presence.leave(id, httpPlace)),
      say: (id, text) =>
        change(({ presence }) =>
          presence.say({ id, text, tab: httpPlace, key: key === undefined ? undefined : messageKey(key) }),
        ),
      hear(id, last, limit) {
        attend(id)
        return kept.now().room.hear(id, last, limit)
      },
      look: (id, last, limit) => kept.now().room.hear(id, last, limit),
      whoIsHere: () => kept.now().room.people.all(),
      status: (id, last) => ({ ...kept.now().room.of(httpPlace).status(id, last), at: 'mirror' }),
    }),

    async take(data, speaker, reply) {
      const asked = roomAsk.safeParse(data)
      const key = String((data as { key?: unknown }).key ?? '')
      if (!asked.success) {
        const [issue] = asked.error.issues
        const path = issue?.path.join('.') ?? ''
        const fault = new DaybookError('invalid-input', `\`${path}\` ${issue?.message}.`, {
          details: { path },
        })
        return reply({ did: 'done', key, refused: [asRefusal('', fault)], said: [] })
      }
      const done = await change((one) => performAsk(one, asked.data, speaker)).catch((error: unknown) => ({
        refused: [asRefusal('', error)],
        said: [],
      }))
      if (asked.data.do === 'come') for (const frame of eventFrames(whole())) reply(frame)
      reply({ did: 'done', key, ...done })
    },

    news: () => eventFrames(news()),

    size: () => kept.now().room.size(),

    async sweep(aliveMs) {
      await change(({ presence }) => presence.refresh(aliveMs))
      return kept.now().presence.nextEnd()
    },
  }
}
