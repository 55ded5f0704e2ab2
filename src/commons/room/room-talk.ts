// The messages of a meeting room that are still in the ring, and their numbers, which a device also stores beside the book.
// Invariants: numbers only grow; a listener gets `lost` if and only if a message after its number is gone; the stored numbers
// contain no text.
import type { RoomEvent, RoomMessage } from '../../core/capability/port/room-port.ts'
import { nameHash } from '../../core/text/text-key.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import type { MeetingRing } from './meeting-ring.ts'

/** The key of a message that has none. */
export const noKey = '0'.repeat(32)

/** The key that makes a repeated message recognisable: a hash of fixed length. */
export const messageKey = (name: string): string => nameHash('room', name)

/** The state of a talk, without the messages. For `next`, `gone`, `given` and `forks` see `RoomEvent`. */
export interface Talk {
  readonly next: number
  readonly gone: number
  readonly given: number
  readonly forks: readonly (readonly [after: number, to: number])[]
  /** Messages in the ring, and the place of the next one. */
  readonly count: number
  readonly head: number
}

export class RoomTalk {
  readonly #ring: MeetingRing
  #next = 1
  /** In a copy: the lowest number that may follow. */
  #following = 1
  #gone = 0
  #given = 0
  #forks: readonly (readonly [after: number, to: number])[] = []
  #count = 0
  #head = 0
  /** The place of each message that has a key. */
  readonly #keys = new Map<string, number>()

  constructor(ring: MeetingRing, talk?: Talk) {
    this.#ring = ring
    if (!talk) return
    const { slots } = ring.size
    this.#next = talk.next
    this.#following = talk.next
    this.#gone = talk.gone
    this.#given = talk.given
    this.#forks = talk.forks
    this.#count = Math.min(talk.count, slots)
    this.#head = talk.head % slots
    for (let i = 0; i < this.#count; i++) {
      const { key } = ring.readMessage(this.#placeOf(i))
      if (key !== noKey) this.#keys.set(key, this.#placeOf(i))
    }
  }

  /** True when this copy has no message of this number yet. */
  isNew(number: number): boolean {
    return number >= this.#following
  }

  get count(): number {
    return this.#count
  }

  state(): Talk {
    return {
      next: this.#next,
      gone: this.#gone,
      given: this.#given,
      forks: this.#forks,
      count: this.#count,
      head: this.#head,
    }
  }

  /** The number of the oldest message; 0 in an empty room. */
  oldest(): number {
    return this.#count === 0 ? 0 : this.#ring.readNumber(this.#placeOf(0))
  }

  clear(): void {
    this.#count = 0
    this.#keys.clear()
    this.#gone = Math.max(this.#gone, this.#next - 1)
  }

  /** Resets the copy, unless it is further than the event; the messages follow. */
  begin({ anew, oldest, next, gone, given, forks }: RoomEvent & { readonly type: 'numbered' }): void {
    if (!anew && next < this.#next) {
      this.#gone = Math.max(this.#gone, gone)
      return
    }
    this.#count = 0
    this.#keys.clear()
    this.#next = next
    this.#following = oldest
    this.#gone = gone
    this.#given = given
    this.#forks = forks
  }

  /** Takes the stored numbers; every message is gone. */
  restore({ next, given, forks }: Pick<Talk, 'next' | 'given' | 'forks'>): void {
    this.#next = next
    this.#following = next
    this.#gone = next - 1
    this.#given = given
    this.#forks = forks.filter(([, to]) => to >= this.#gone)
  }

  /** Continues at `next`, above the numbers of a device without a line; messages up to `gone` are gone. */
  raise(next: number, gone: number): void {
    if (next <= this.#next) return
    this.#next = next
    this.#following = next
    this.#gone = Math.max(this.#gone, gone)
  }

  /** Messages that this device numbered itself have other numbers now, or are gone. */
  fork(after: number, to: number): void {
    this.#forks = [...this.#forks, [after, to] as const].filter(([, end]) => end >= this.#gone)
  }

  write(message: RoomMessage, key = noKey, isGiven = false): void {
    const { slots } = this.#ring.size
    const place = this.#head
    if (this.#count === slots) {
      const old = this.#ring.readMessage(place)
      this.#gone = Math.max(this.#gone, old.number)
      this.#keys.delete(old.key)
      this.#forks = this.#forks.filter(([, to]) => to >= this.#gone)
    }
    this.#ring.writeMessage(place, {
      ...message,
      atMs: parseTime(message.at) ?? 0,
      was: message.was ?? 0,
      key,
    })
    this.#count = Math.min(slots, this.#count + 1)
    this.#head = (place + 1) % slots
    this.#following = message.number + 1
    this.#next = Math.max(this.#next, this.#following)
    if (isGiven) this.#given = message.number
    if (key !== noKey) this.#keys.set(key, place)
  }

  under(key: string): RoomMessage | undefined {
    const place = this.#keys.get(key)
    return place === undefined ? undefined : this.#read(place).message
  }

  after(last: number): { readonly key: string; readonly message: RoomMessage }[] {
    const found = []
    for (let i = this.#firstAfter(last); i < this.#count; i++) found.push(this.#read(this.#placeOf(i)))
    return found
  }

  unheard(id: string, last: number, limit: number): RoomMessage[] {
    const messages: RoomMessage[] = []
    // A number that this room never used is from an earlier room: every message is new.
    const after = last < this.#next ? last : 0
    for (let i = this.#firstAfter(after); i < this.#count && messages.length < limit; i++) {
      const { message } = this.#read(this.#placeOf(i))
      if (message.from !== id) messages.push(message)
    }
    return messages
  }

  isLost(last: number): boolean {
    if (last === 0) return false
    return (
      last < this.#gone || last >= this.#next || this.#forks.some(([after, to]) => after < last && last <= to)
    )
  }

  #read(place: number) {
    const { number, was, from, name, text, atMs, key } = this.#ring.readMessage(place)
    const message: RoomMessage = {
      number,
      ...(was === 0 ? {} : { was }),
      from,
      name,
      text,
      at: formatTime(atMs),
    }
    return { key, message }
  }

  #placeOf(i: number): number {
    const { slots } = this.#ring.size
    return (this.#head - this.#count + i + slots) % slots
  }

  /** A binary search: numbers grow from place to place. */
  #firstAfter(last: number): number {
    let low = 0
    let high = this.#count
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#ring.readNumber(this.#placeOf(middle)) > last) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** The numbers that a room has used: they outlive all its copies. */
export type RoomNumbers = Pick<Talk, 'next' | 'given' | 'forks'>

export interface RoomNumberStore {
  read(): RoomNumbers | undefined
  write(numbers: RoomNumbers): void
}

/** Stores the numbers of a talk when they have changed. */
export class RoomNumberWriter {
  readonly #store: RoomNumberStore | undefined
  #written = ''

  constructor(store: RoomNumberStore | undefined) {
    this.#store = store
  }

  /** Continues the talk from the stored numbers; `bring` applies the events of another copy. */
  restore(talk: () => RoomTalk, isAlone: boolean, bring: () => void): void {
    const stored = this.#store?.read()
    if (stored && isAlone) talk().restore(stored)
    bring()
    // The other copy may have missed the last messages.
    if (stored) talk().raise(stored.next, stored.next - 1)
    if (stored) this.#written = JSON.stringify(numbersOf(talk()))
  }

  write(talk: RoomTalk): void {
    if (!this.#store) return
    const numbers = numbersOf(talk)
    const text = JSON.stringify(numbers)
    if (text === this.#written) return
    this.#written = text
    this.#store.write(numbers)
  }
}

function numbersOf(talk: RoomTalk): RoomNumbers {
  const { next, given, forks } = talk.state()
  return { next, given, forks }
}
