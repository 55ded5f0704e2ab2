// The participants of a meeting room: `RoomPeople` has those of the whole room, in the ring's table of fixed size;
// `OwnPeople` has those of this device.
// Invariant: a participant is in the room while at least one tab has it.
import { DaybookError } from '../../core/errors.ts'
import type { Participant } from '../../core/capability/port/room-port.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import type { MeetingRing } from './meeting-ring.ts'

export class RoomPeople {
  readonly #ring: MeetingRing
  /** By participant id: the place in the table, and the tabs that have the participant. */
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
    const person = this.#here.get(id)
    return person && this.#at(person.place)
  }

  isHereThrough(id: string, tab: string): boolean {
    return this.#here.get(id)?.tabs.has(tab) === true
  }

  /** Adds a participant through `tab`, or changes its name and role. Throws `room-full` if every place is taken. */
  add({ id, name, role, joinedAt }: Participant, tab: string): void {
    const person = this.#here.get(id)
    const place = person?.place ?? this.#free.pop()
    if (place === undefined) {
      const { participants } = this.#ring.size
      throw new DaybookError('room-full', `All ${participants} places in the room are taken.`, {
        details: { limit: participants },
      })
    }
    this.#ring.writePerson(place, { id, name, role, atMs: parseTime(joinedAt) ?? 0 })
    if (person) person.tabs.add(tab)
    else this.#here.set(id, { place, tabs: new Set([tab]) })
  }

  /**
   * Removes the participant from `tab`; without another tab it leaves the room. False if `tab` does not have it.
   */
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

  /** All participants, in order of arrival. */
  all(): Participant[] {
    return [...this.#here.values()].map(({ place }) => this.#at(place))
  }

  /** One entry for each tab of each participant. */
  byTab(): { readonly participant: Participant; readonly tab: string }[] {
    return [...this.#here.values()].flatMap(({ place, tabs }) =>
      [...tabs].map((tab) => ({ participant: this.#at(place), tab })),
    )
  }

  #at(place: number): Participant {
    const { id, name, role, atMs } = this.#ring.readPerson(place)
    return { id, name, role, joinedAt: formatTime(atMs) }
  }
}

type Person = Omit<Participant, 'role'> & { readonly role: 'participant' | 'coordinator' | 'observer' }

/** The participants of this device, each with its tabs. */
export class OwnPeople {
  readonly #people = new Map<string, { participant: Participant; readonly tabs: Set<string> }>()

  get count(): number {
    return this.#people.size
  }

  add(participant: Participant, tab: string): void {
    const own = this.#people.get(participant.id)
    if (own) {
      own.participant = participant
      own.tabs.add(tab)
    } else this.#people.set(participant.id, { participant, tabs: new Set([tab]) })
  }

  has(id: string, tab: string): boolean {
    return this.#people.get(id)?.tabs.has(tab) === true
  }

  isOnlyThrough(id: string, tab: string): boolean {
    return this.has(id, tab) && this.#people.get(id)?.tabs.size === 1
  }

  remove(id: string, tab: string): void {
    const own = this.#people.get(id)
    own?.tabs.delete(tab)
    if (own?.tabs.size === 0) this.#people.delete(id)
  }

  drop(id: string): void {
    this.#people.delete(id)
  }

  ids(): string[] {
    return [...this.#people.keys()]
  }

  tabsOf(id: string): string[] {
    return [...(this.#people.get(id)?.tabs ?? [])]
  }

  all(): Person[] {
    return [...this.#people.values()].map(({ participant }) => ({
      ...participant,
      role: participant.role as Person['role'],
    }))
  }
}
