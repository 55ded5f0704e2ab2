// The presence of participants in a mirror's room, by place. A place is a device's line, or all calls over HTTP.
// Invariant: `refresh` removes a participant from a place after five minutes without a sign of life there.
import type { Entering, Participant, RoomMessage } from '../../core/capability/port/room-port.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { MeetingRoom } from './meeting-room.ts'

/** The place of all callers over HTTP. */
export const httpPlace = 'http'

export const endAfterMs = 300_000
/** `endLong` waits this much longer, because another copy may have a newer sign of life. */
const slackMs = 60_000
/**
 * The stored state is stale once a sign of life is this much newer than its stored one. An eviction loses signs of
 * life that are not stored.
 */
const saveEveryMs = 60_000
/** The room has at most this many places for each participant that its size allows. */
const placesEach = 4

/** The last sign of life at a place, and the stored one; milliseconds since 1970 UTC. */
interface Seen {
  readonly atMs: number
  readonly savedMs: number
}
type Places = Map<string, Seen>

export class MirrorPresence {
  readonly #room: MeetingRoom
  readonly #clock: Clock
  readonly #seen = new Map<string, Places>()
  #isStale = false

  constructor(room: MeetingRoom, clock: Clock) {
    this.#room = room
    this.#clock = clock
  }

  /** True if the stored state is too old, and must be written again. */
  get isStale(): boolean {
    return this.#isStale
  }

  restore(participant: Participant, places: readonly (readonly [string, number])[]): void {
    for (const [place] of places) this.#room.people.add(participant, place)
    const seen = places.map(([place, atMs]) => [place, { atMs, savedMs: atMs }] as const)
    this.#seen.set(participant.id, new Map(seen))
  }

  saved(): [Participant, [string, number][]][] {
    this.#isStale = false
    for (const places of this.#seen.values())
      for (const [place, { atMs }] of places) places.set(place, { atMs, savedMs: atMs })
    return this.#room.people.all().map((participant) => {
      const places = [...(this.#seen.get(participant.id) ?? [])]
      return [participant, places.map(([place, { atMs }]) => [place, atMs])]
    })
  }

  enter(person: Entering, place: string, joinedAt?: string): Participant {
    this.#checkPlaces(person.id, place)
    const here = this.#room.people.get(person.id)
    const isSame = here?.name === person.name && here.role === person.role
    const isHere = isSame && this.#room.people.isHereThrough(person.id, place)
    const participant = isHere ? here : this.#room.enter(person, place, here?.joinedAt ?? joinedAt)
    this.touch(person.id, place)
    return participant
  }

  leave(id: string, place: string): boolean {
    const places = this.#seen.get(id)
    places?.delete(place)
    if (places?.size === 0) this.#seen.delete(id)
    this.#isStale = true
    return this.#room.leave(id, place)
  }

  say(draft: { id: string; text: string; tab: string; key: string | undefined }): RoomMessage {
    this.#checkPlaces(draft.id, draft.tab)
    const message = this.#room.say(draft)
    this.touch(draft.id, draft.tab)
    return message
  }

  attend(id: string, place: string): void {
    this.#room.attend(id, place)
    if (this.#room.people.isHereThrough(id, place)) this.touch(id, place)
  }

  /** Call it when a device has a line again: removes the device's participants that are not in `ids`. */
  cameBack(device: string, ids: ReadonlySet<string>): void {
    for (const [id, places] of this.#seen) if (places.has(device) && !ids.has(id)) this.leave(id, device)
  }

  touch(id: string, place: string, atMs = this.#clock.now()): void {
    const places: Places = this.#seen.get(id) ?? new Map<string, Seen>()
    const before = places.get(place)
    const savedMs = before?.savedMs ?? atMs
    if (atMs - savedMs > saveEveryMs) this.#isStale = true
    this.#seen.set(id, places.set(place, { atMs: Math.max(before?.atMs ?? 0, atMs), savedMs }))
  }

  /** Notes the signs of life of all lines, and removes participants that were silent for five minutes. */
  refresh(aliveMs: (device: string) => number | undefined): void {
    for (const [id, places] of this.#seen) {
      for (const place of places.keys()) {
        const at = aliveMs(place)
        if (at !== undefined) this.touch(id, place, at)
      }
    }
    this.#endBefore(this.#clock.now() - endAfterMs)
  }

  /** Removes participants that were silent for six minutes, because no copy can have a newer sign of life. */
  endLong(): void {
    this.#endBefore(this.#clock.now() - endAfterMs - slackMs)
  }

  /**
   * The time at which the next participant may be removed, in milliseconds since 1970 UTC; undefined if nobody is
   * here.
   */
  nextEnd(): number | undefined {
    const times = [...this.#seen.values()].flatMap((places) => [...places.values()].map(({ atMs }) => atMs))
    return times.length === 0 ? undefined : Math.min(...times) + endAfterMs
  }

  #endBefore(ms: number): void {
    for (const [id, places] of this.#seen)
      for (const [place, { atMs }] of places) if (atMs < ms) this.leave(id, place)
  }

  #checkPlaces(id: string, place: string): void {
    const { participants } = this.#room.size()
    if (this.#room.people.isHereThrough(id, place)) return
    const count = [...this.#seen.values()].reduce((sum, { size }) => sum + size, 0)
    if (count < participants * placesEach) return
    const limit = participants * placesEach
    throw new DaybookError(
      'room-full',
      `Participants use all ${limit} places of the room. Leave one first.`,
      {
        details: { limit },
      },
    )
  }
}
