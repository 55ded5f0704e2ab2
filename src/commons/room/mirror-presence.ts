// Who is in the room at a mirror, through which devices, and when each was last heard of: a device by its line, a caller over
// HTTP by its calls. Invariant: whoever was not heard of for five minutes is not there any more.
import type { Entering, Participant, RoomMessage } from '../../core/capability/port/room-port.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { MeetingRoom } from './meeting-room.ts'

/** Stands for callers over HTTP, in place of a device. */
export const httpPlace = 'http'

export const endAfterMs = 300_000
/** A reader ends nobody who may have been heard of where this copy was not told yet. */
const slackMs = 60_000
/** So much of what was heard may be forgotten with an object that is evicted. */
const noteEveryMs = 60_000
/** Ways through which all participants may be here, for each of them. */
const placesEach = 4

interface Heard {
  readonly atMs: number
  /** What is written down of it. */
  readonly notedMs: number
}
type Places = Map<string, Heard>

export class MirrorPresence {
  readonly #room: MeetingRoom
  readonly #clock: Clock
  readonly #seen = new Map<string, Places>()
  #isStale = false

  constructor(room: MeetingRoom, clock: Clock) {
    this.#room = room
    this.#clock = clock
  }

  /** What is written down is older than may be forgotten. */
  get isStale(): boolean {
    return this.#isStale
  }

  restore(participant: Participant, places: readonly (readonly [string, number])[]): void {
    for (const [place] of places) this.#room.people.add(participant, place)
    const heard = places.map(([place, atMs]) => [place, { atMs, notedMs: atMs }] as const)
    this.#seen.set(participant.id, new Map(heard))
  }

  saved(): [Participant, [string, number][]][] {
    this.#isStale = false
    for (const places of this.#seen.values())
      for (const [place, { atMs }] of places) places.set(place, { atMs, notedMs: atMs })
    return this.#room.people.all().map((participant) => {
      const places = [...(this.#seen.get(participant.id) ?? [])]
      return [participant, places.map(([place, { atMs }]) => [place, atMs])]
    })
  }

  enter(who: Entering, place: string, joinedAt?: string): Participant {
    this.#checkPlaces(who.id, place)
    const here = this.#room.people.get(who.id)
    const isSame = here?.name === who.name && here.role === who.role
    // Who is here as who it says it is has come already.
    const isHere = isSame && this.#room.people.isHereThrough(who.id, place)
    const participant = isHere ? here : this.#room.enter(who, place, here?.joined_at ?? joinedAt)
    this.touch(who.id, place)
    return participant
  }

  leave(id: string, place: string): boolean {
    const places = this.#seen.get(id)
    places?.delete(place)
    if (places?.size === 0) this.#seen.delete(id)
    this.#isStale = true
    return this.#room.leave(id, place)
  }

  say(said: { id: string; text: string; tab: string; key: string | undefined }): RoomMessage {
    this.#checkPlaces(said.id, said.tab)
    const message = this.#room.say(said)
    this.touch(said.id, said.tab)
    return message
  }

  attend(id: string, place: string): void {
    this.#room.attend(id, place)
    if (this.#room.people.isHereThrough(id, place)) this.touch(id, place)
  }

  /** A device that has a line again has these with it, and no others. */
  cameBack(device: string, ids: ReadonlySet<string>): void {
    for (const [id, places] of this.#seen) if (places.has(device) && !ids.has(id)) this.leave(id, device)
  }

  touch(id: string, place: string, atMs = this.#clock.now()): void {
    const places: Places = this.#seen.get(id) ?? new Map<string, Heard>()
    const before = places.get(place)
    const notedMs = before?.notedMs ?? atMs
    if (atMs - notedMs > noteEveryMs) this.#isStale = true
    this.#seen.set(id, places.set(place, { atMs: Math.max(before?.atMs ?? 0, atMs), notedMs }))
  }

  /** Takes what lines have told meanwhile, and ends who was not heard of. */
  refresh(aliveMs: (device: string) => number | undefined): void {
    for (const [id, places] of this.#seen) {
      for (const place of places.keys()) {
        const at = aliveMs(place)
        if (at !== undefined) this.touch(id, place, at)
      }
    }
    this.#endBefore(this.#clock.now() - endAfterMs)
  }

  /** Ends who was not heard of for so long that nobody can have missed to note it. */
  endLong(): void {
    this.#endBefore(this.#clock.now() - endAfterMs - slackMs)
  }

  /** When to look again; undefined while nobody is here. */
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
    throw new DaybookError('room-full', `The room takes ${participants * placesEach} ways of being there.`, {
      details: { limit: participants * placesEach },
    })
  }
}
