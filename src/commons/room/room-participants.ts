// The participants of a meeting room: `RoomParticipants` has those of the whole room, in the ring's table of fixed size;
// `LocalParticipants` has those of this device.
// Invariant: a participant is in the room while at least one tab has it.
import { DaybookError } from '../../core/errors.ts'
import type { Participant } from '../../core/capability/port/room-port.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import type { MeetingRing } from './meeting-ring.ts'

export class RoomParticipants {
  readonly #ring: MeetingRing
  /** By participant id: the slot in the table, and the tabs that have the participant. */
  readonly #participants = new Map<string, { readonly slot: number; readonly tabs: Set<string> }>()
  readonly #freeSlots: number[]

  constructor(ring: MeetingRing) {
    this.#ring = ring
    const { participants } = ring.size
    this.#freeSlots = Array.from({ length: participants }, (_, i) => participants - 1 - i)
  }

  get count(): number {
    return this.#participants.size
  }

  get isFull(): boolean {
    return this.#freeSlots.length === 0
  }

  get(id: string): Participant | undefined {
    const entry = this.#participants.get(id)
    return entry && this.#readSlot(entry.slot)
  }

  isInTab(id: string, tab: string): boolean {
    return this.#participants.get(id)?.tabs.has(tab) === true
  }

  /** Adds a participant through `tab`, or changes its name and role. Throws `room-full` if every slot is taken. */
  add({ id, name, role, joinedAt }: Participant, tab: string): void {
    const entry = this.#participants.get(id)
    const slot = entry?.slot ?? this.#freeSlots.pop()
    if (slot === undefined) {
      const { participants } = this.#ring.size
      throw new DaybookError('room-full', `All ${participants} places in the room are taken.`, {
        details: { limit: participants },
      })
    }
    this.#ring.writeParticipant(slot, { id, name, role, atMs: parseTime(joinedAt) ?? 0 })
    if (entry) entry.tabs.add(tab)
    else this.#participants.set(id, { slot, tabs: new Set([tab]) })
  }

  /**
   * Removes the participant from `tab`; without another tab it leaves the room. False if `tab` does not have it.
   */
  remove(id: string, tab: string): boolean {
    const entry = this.#participants.get(id)
    if (!entry?.tabs.delete(tab)) return false
    if (entry.tabs.size === 0) {
      this.#participants.delete(id)
      this.#freeSlots.push(entry.slot)
    }
    return true
  }

  ids(): string[] {
    return [...this.#participants.keys()]
  }

  /** All participants, in order of arrival. */
  list(): Participant[] {
    return [...this.#participants.values()].map(({ slot }) => this.#readSlot(slot))
  }

  /** One entry for each tab of each participant. */
  byTab(): { readonly participant: Participant; readonly tab: string }[] {
    return [...this.#participants.values()].flatMap(({ slot, tabs }) =>
      [...tabs].map((tab) => ({ participant: this.#readSlot(slot), tab })),
    )
  }

  #readSlot(slot: number): Participant {
    const { id, name, role, atMs } = this.#ring.readParticipant(slot)
    return { id, name, role, joinedAt: formatTime(atMs) }
  }
}

/** A device's verbs allow only these roles; the room takes any text from the mirror. */
type LocalParticipant = Omit<Participant, 'role'> & {
  readonly role: 'participant' | 'coordinator' | 'observer'
}

/** The participants of this device, each with its tabs. */
export class LocalParticipants {
  readonly #entries = new Map<string, { participant: Participant; readonly tabs: Set<string> }>()

  get count(): number {
    return this.#entries.size
  }

  add(participant: Participant, tab: string): void {
    const entry = this.#entries.get(participant.id)
    if (entry) {
      entry.participant = participant
      entry.tabs.add(tab)
    } else this.#entries.set(participant.id, { participant, tabs: new Set([tab]) })
  }

  has(id: string, tab: string): boolean {
    return this.#entries.get(id)?.tabs.has(tab) === true
  }

  isOnlyInTab(id: string, tab: string): boolean {
    return this.has(id, tab) && this.#entries.get(id)?.tabs.size === 1
  }

  remove(id: string, tab: string): void {
    const entry = this.#entries.get(id)
    entry?.tabs.delete(tab)
    if (entry?.tabs.size === 0) this.#entries.delete(id)
  }

  removeFromAllTabs(id: string): void {
    this.#entries.delete(id)
  }

  ids(): string[] {
    return [...this.#entries.keys()]
  }

  tabsOf(id: string): string[] {
    return [...(this.#entries.get(id)?.tabs ?? [])]
  }

  list(): LocalParticipant[] {
    return [...this.#entries.values()].map(({ participant }) => ({
      ...participant,
      role: participant.role as LocalParticipant['role'],
    }))
  }
}
