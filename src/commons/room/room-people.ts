// Who is in the meeting room: a fixed table of places in the ring's memory.
// Invariant: a participant is here while some tab says so, and the last one who leaves ends what the table holds.
import { DaybookError } from '../../core/errors.ts'
import type { Participant } from '../../core/capability/port/room-port.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import type { MeetingRing } from './meeting-ring.ts'

export class RoomPeople {
  readonly #ring: MeetingRing
  /** The place in the table of each who is here, and the tabs through which. */
  readonly #here = new Map<string, { readonly place: number; readonly tabs: Set<string> }>()
  readonly #free: number[]

  constructor(ring: MeetingRing) {
    this.#ring = ring
    const { participants } = ring.size
    this.#free = Array.from({ length: participants }, (_, i) => participants - 1 - i)
  }

  get count(): number {
    return this.#here.size
  }

  get isFull(): boolean {
    return this.#free.length === 0
  }

  get(id: string): Participant | undefined {
    const known = this.#here.get(id)
    return known && this.#at(known.place)
  }

  isHereThrough(id: string, tab: string): boolean {
    return this.#here.get(id)?.tabs.has(tab) === true
  }

  /** Adds somebody, or changes name and role; `room-full` when every place is taken. */
  add({ id, name, role, joined_at }: Participant, tab: string): void {
    const known = this.#here.get(id)
    const place = known?.place ?? this.#free.pop()
    if (place === undefined) {
      const { participants } = this.#ring.size
      throw new DaybookError('room-full', `All ${participants} places in the room are taken.`, {
        details: { limit: participants },
      })
    }
    this.#ring.writePerson(place, { id, name, role, atMs: parseTime(joined_at) ?? 0 })
    if (known) known.tabs.add(tab)
    else this.#here.set(id, { place, tabs: new Set([tab]) })
  }

  /** False when that one was not here through this tab. */
  remove(id: string, tab: string): boolean {
    const person = this.#here.get(id)
    if (!person?.tabs.delete(tab)) return false
    if (person.tabs.size === 0) {
      this.#here.delete(id)
      this.#free.push(person.place)
    }
    return true
  }

  ids(): string[] {
    return [...this.#here.keys()]
  }

  /** Everybody, in the order of coming. */
  all(): Participant[] {
    return [...this.#here.values()].map(({ place }) => this.#at(place))
  }

  /** Everybody once for each tab through which. */
  byTab(): { readonly participant: Participant; readonly tab: string }[] {
    return [...this.#here.values()].flatMap(({ place, tabs }) =>
      [...tabs].map((tab) => ({ participant: this.#at(place), tab })),
    )
  }

  #at(place: number): Participant {
    const { id, name, role, atMs } = this.#ring.readPerson(place)
    return { id, name, role, joined_at: formatTime(atMs) }
  }
}
