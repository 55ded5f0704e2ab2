// The presence of participants in a mirror's room, by place. A place is a device's line, or all calls over HTTP.
// Invariant: `refresh` removes a participant from a place after five minutes without a sign of life there.
import type { Entering, Participant, RoomMessage } from '../../core/capability/port/room-port.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { MeetingRoom } from './meeting-room.ts'

/** The place of all callers over HTTP. */
export const httpPlace = 'http'

export const maxSilenceMs = 300_000
/** `removeLongSilent` waits this much longer, because another copy may have a newer sign of life. */
const otherCopySlackMs = 60_000
/**
 * The stored state is stale once a sign of life is this much newer than its stored one. An eviction loses signs of
 * life that are not stored.
 */
const saveIntervalMs = 60_000
/** Over all participants, the room has at most this many places for each participant that its size allows. */
const maxPlacesPerParticipant = 4

/** The last sign of life at a place, and the stored one; milliseconds since 1970 UTC. */
interface SignOfLife {
  readonly atMs: number
  readonly savedMs: number
}
type Places = Map<string, SignOfLife>

export class MirrorPresence {
  readonly #room: MeetingRoom
  readonly #clock: Clock
  readonly #signsOfLife = new Map<string, Places>()
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
    for (const [place] of places) this.#room.participants.add(participant, place)
    const signsOfLife = places.map(([place, atMs]) => [place, { atMs, savedMs: atMs }] as const)
    this.#signsOfLife.set(participant.id, new Map(signsOfLife))
  }

  /** The participants with their places and signs of life, for the row. Then `isStale` is false. */
  takeStateToSave(): [Participant, [string, number][]][] {
    this.#isStale = false
    for (const places of this.#signsOfLife.values())
      for (const [place, { atMs }] of places) places.set(place, { atMs, savedMs: atMs })
    return this.#room.participants.list().map((participant) => {
      const places = [...(this.#signsOfLife.get(participant.id) ?? [])]
      return [participant, places.map(([place, { atMs }]) => [place, atMs])]
    })
  }

  /**
   * Adds a participant at a place; without an event if nothing changes. `joinedAt` counts only for a
   * participant that is new in the room; default: now.
   */
  enter(person: Entering, place: string, joinedAt?: string): Participant {
    this.#assertFreePlace(person.id, place)
    const existing = this.#room.participants.get(person.id)
    const isUnchanged = existing?.name === person.name && existing.role === person.role
    const isAlreadyThere = isUnchanged && this.#room.participants.isInTab(person.id, place)
    const participant = isAlreadyThere
      ? existing
      : this.#room.enter(person, place, existing?.joinedAt ?? joinedAt)
    this.touch(person.id, place)
    return participant
  }

  leave(id: string, place: string): boolean {
    const places = this.#signsOfLife.get(id)
    places?.delete(place)
    if (places?.size === 0) this.#signsOfLife.delete(id)
    this.#isStale = true
    return this.#room.leave(id, place)
  }

  say(draft: { id: string; text: string; tab: string; key: string | undefined }): RoomMessage {
    this.#assertFreePlace(draft.id, draft.tab)
    const message = this.#room.say(draft)
    this.touch(draft.id, draft.tab)
    return message
  }

  addListener(id: string, place: string): void {
    this.#room.addListener(id, place)
    if (this.#room.participants.isInTab(id, place)) this.touch(id, place)
  }

  /** Call it when a device has a line again: removes the device's participants that are not in `ids`. */
  removeOthersOf(device: string, ids: ReadonlySet<string>): void {
    for (const [id, places] of this.#signsOfLife)
      if (places.has(device) && !ids.has(id)) this.leave(id, device)
  }

  /** Notes a sign of life. It marks the state as stale only if the stored sign is too old. */
  touch(id: string, place: string, atMs = this.#clock.now()): void {
    const places: Places = this.#signsOfLife.get(id) ?? new Map<string, SignOfLife>()
    const previous = places.get(place)
    const savedMs = previous?.savedMs ?? atMs
    if (atMs - savedMs > saveIntervalMs) this.#isStale = true
    this.#signsOfLife.set(id, places.set(place, { atMs: Math.max(previous?.atMs ?? 0, atMs), savedMs }))
  }

  /** Notes the signs of life of all lines, and removes participants that were silent for five minutes. */
  refresh(aliveMs: (device: string) => number | undefined): void {
    for (const [id, places] of this.#signsOfLife) {
      for (const place of places.keys()) {
        const atMs = aliveMs(place)
        if (atMs !== undefined) this.touch(id, place, atMs)
      }
    }
    this.#removeSilentSince(this.#clock.now() - maxSilenceMs)
  }

  /** Removes participants that were silent for six minutes, because no copy can have a newer sign of life. */
  removeLongSilent(): void {
    this.#removeSilentSince(this.#clock.now() - maxSilenceMs - otherCopySlackMs)
  }

  /**
   * The time at which the next participant may be removed, in milliseconds since 1970 UTC; undefined if nobody is
   * here.
   */
  nextRemovalMs(): number | undefined {
    const times = [...this.#signsOfLife.values()].flatMap((places) =>
      [...places.values()].map(({ atMs }) => atMs),
    )
    return times.length === 0 ? undefined : Math.min(...times) + maxSilenceMs
  }

  #removeSilentSince(ms: number): void {
    for (const [id, places] of this.#signsOfLife)
      for (const [place, { atMs }] of places) if (atMs < ms) this.leave(id, place)
  }

  #assertFreePlace(id: string, place: string): void {
    const { participants } = this.#room.size()
    if (this.#room.participants.isInTab(id, place)) return
    const count = [...this.#signsOfLife.values()].reduce((sum, { size }) => sum + size, 0)
    if (count < participants * maxPlacesPerParticipant) return
    const limit = participants * maxPlacesPerParticipant
    throw new DaybookError(
      'room-full',
      `Participants use all ${limit} places of the room. Leave one first.`,
      {
        details: { limit },
      },
    )
  }
}
