// The messages of a meeting room that are still in the ring, and their numbers. A device also stores the numbers.
// Invariant: numbers only grow; a listener gets `lost` if a message after its number (above 0) is gone; the stored
// numbers contain no text.
import type { RoomEvent, RoomMessage } from '../../core/capability/port/room-port.ts'
import { nameHash } from '../../core/text/text-key.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import type { MeetingRing } from './meeting-ring.ts'

/** Stands for the key of a message without a key. */
export const noKey = '0'.repeat(32)

/** A hash of `name` as 32 hexadecimal digits. Two messages with one key are one message. */
export const messageKey = (name: string): string => nameHash('room', name)

/**
 * The numbers of a talk and its position in the ring, without the messages. `RoomEvent` explains `gone`, `given`
 * and `forks`.
 */
export interface Talk {
  /** The number of the next message. */
  readonly next: number
  readonly gone: number
  readonly given: number
  readonly forks: readonly (readonly [after: number, to: number])[]
  /** The number of messages in the ring. */
  readonly count: number
  /** The slot of the next message. */
  readonly head: number
}

export class RoomTalk {
  readonly #ring: MeetingRing
  #next = 1
  /** The lowest number that is new here; below `#next` only while a copy receives the messages of a snapshot. */
  #following = 1
  #gone = 0
  #given = 0
  #forks: readonly (readonly [after: number, to: number])[] = []
  #count = 0
  #head = 0
  /** By key: the slot of its message. */
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

  /** True if this copy has not received a message with this number. */
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

  /** The number of the oldest message in the ring; 0 without messages. */
  oldest(): number {
    return this.#count === 0 ? 0 : this.#ring.readNumber(this.#placeOf(0))
  }

  clear(): void {
    this.#count = 0
    this.#keys.clear()
    this.#gone = Math.max(this.#gone, this.#next - 1)
  }

  /**
   * Starts a copy with the numbers of the event; its messages follow. A copy with higher numbers takes only `gone`,
   * unless the event has `anew`.
   */
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

  /** Continues from stored numbers. All earlier messages count as gone. */
  restore({ next, given, forks }: Pick<Talk, 'next' | 'given' | 'forks'>): void {
    this.#next = next
    this.#following = next
    this.#gone = next - 1
    this.#given = given
    this.#forks = forks.filter(([, to]) => to >= this.#gone)
  }

  /**
   * Skips to number `next`, because a device used the numbers below without a line. Messages up to `gone` count as
   * gone. A `next` that is not higher changes nothing.
   */
  raise(next: number, gone: number): void {
    if (next <= this.#next) return
    this.#next = next
    this.#following = next
    this.#gone = Math.max(this.#gone, gone)
  }

  /**
   * Notes that this device and the mirror assigned the numbers above `after`, up to `to`, to different messages.
   */
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
    // This room never assigned number `last`: it is from an earlier room, and every message is new.
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

  /** The index of the first message with a number above `last`, by binary search. */
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

/** The used numbers of a room. They are stored, so that no later copy uses a number again. */
export type RoomNumbers = Pick<Talk, 'next' | 'given' | 'forks'>

export interface RoomNumberStore {
  read(): RoomNumbers | undefined
  write(numbers: RoomNumbers): void
}

/** Stores the numbers of a talk after they change. Without a store, does nothing. */
export class RoomNumberWriter {
  readonly #store: RoomNumberStore | undefined
  #written = ''

  constructor(store: RoomNumberStore | undefined) {
    this.#store = store
  }

  /**
   * Continues the talk from the stored numbers. `bring` applies the events of another copy, and may replace the
   * talk. `isAlone`: there is no other copy.
   */
  restore(talk: () => RoomTalk, isAlone: boolean, bring: () => void): void {
    const stored = this.#store?.read()
    if (stored && isAlone) talk().restore(stored)
    bring()
    // The other copy may lack the last messages, whose numbers are stored already.
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
