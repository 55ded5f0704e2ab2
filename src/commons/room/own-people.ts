// Who is in the room through this device, and through which of its tabs.
import type { Participant } from '../../core/capability/port/room-port.ts'

type Person = Omit<Participant, 'role'> & { readonly role: 'participant' | 'coordinator' | 'observer' }

interface Own {
  participant: Participant
  readonly tabs: Set<string>
}

export class OwnPeople {
  readonly #people = new Map<string, Own>()

  get count(): number {
    return this.#people.size
  }

  add(participant: Participant, tab: string): void {
    const known = this.#people.get(participant.id)
    if (known) {
      known.participant = participant
      known.tabs.add(tab)
    } else this.#people.set(participant.id, { participant, tabs: new Set([tab]) })
  }

  has(id: string, tab: string): boolean {
    return this.#people.get(id)?.tabs.has(tab) === true
  }

  isOnlyThrough(id: string, tab: string): boolean {
    return this.has(id, tab) && this.#people.get(id)?.tabs.size === 1
  }

  remove(id: string, tab: string): void {
    const known = this.#people.get(id)
    known?.tabs.delete(tab)
    if (known?.tabs.size === 0) this.#people.delete(id)
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
