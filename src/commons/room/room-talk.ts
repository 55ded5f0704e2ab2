// What was said in a meeting room, as far as the ring has it, and what a listener with an older number has lost of it.
// Invariants: numbers only grow; a listener is told that it lost something if and only if there was a message after its number
// that it is not given any more.
import type { RoomEvent, RoomMessage } from '../../core/capability/port/room-port.ts'
import { nameHash } from '../../core/text/murmur.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import type { MeetingRing } from './meeting-ring.ts'

/** The key of a message that was said under none. */
export const noKey = '0'.repeat(32)

/** By which a message that is sent twice is known, in as many bytes whatever its name. */
export const messageKey = (name: string): string => nameHash('room', name)

/** What there is to know of the talk beside the messages. */
export interface Talk {
  readonly next: number
  readonly gone: number
  readonly given: number
  readonly forks: readonly (readonly [after: number, to: number])[]
  /** Messages in the ring, and the place of the one that is to come. */
  readonly count: number
  readonly head: number
}

export class RoomTalk {
  readonly #ring: MeetingRing
  #next = 1
  /** In a copy that was begun: the lowest number that may follow. */
  #following = 1
  #gone = 0
  #given = 0
  #forks: readonly (readonly [after: number, to: number])[] = []
  #count = 0
  #head = 0
  /** Where what was said under a key is, as long as it is there. */
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

  /** Whether a message of this number follows what this copy has. */
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

  /** The number of the oldest message; 0 while there is none. */
  oldest(): number {
    return this.#count === 0 ? 0 : this.#ring.readNumber(this.#placeOf(0))
  }

  clear(): void {
    this.#count = 0
    this.#keys.clear()
    this.#gone = Math.max(this.#gone, this.#next - 1)
  }

  /** Begins a copy, unless this one knows more; the messages follow. */
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

  /** The numbers of a room of which nothing else is left: all that was said is gone. */
  restore({ next, given, forks }: Pick<Talk, 'next' | 'given' | 'forks'>): void {
    this.#next = next
    this.#following = next
    this.#gone = next - 1
    this.#given = given
    this.#forks = forks.filter(([, to]) => to >= this.#gone)
  }

  /** From now on numbers are above those that a device has given by itself, of which those up to `gone` are gone. */
  raise(next: number, gone: number): void {
    if (next <= this.#next) return
    this.#next = next
    this.#following = next
    this.#gone = Math.max(this.#gone, gone)
  }

  /** What this device numbered itself is heard under other numbers now, or not at all. */
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
    // A number that was never given here is of an earlier life of the room: all that is here is new.
    const known = last < this.#next ? last : 0
    for (let i = this.#firstAfter(known); i < this.#count && messages.length < limit; i++) {
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

  /** Numbers only grow from one place to the next. */
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
