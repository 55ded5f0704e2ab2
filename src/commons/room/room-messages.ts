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

/** The numbers of the messages and their position in the ring, without the messages. */
export interface RoomMessagesState {
  /** The number of the next message. */
  readonly next: number
  /** Highest number of a removed message; 0: none was removed. */
  readonly gone: number
  /** Highest number that the mirror assigned. This device assigned higher numbers. */
  readonly given: number
  /** Ranges of numbers that this device and the mirror both assigned: above `after`, up to `to`. */
  readonly forks: readonly (readonly [after: number, to: number])[]
  /** The number of messages in the ring. */
  readonly count: number
  /** The slot of the next message. The `count` slots before it have the messages. */
  readonly head: number
}

export class RoomMessages {
  readonly #ring: MeetingRing
  #next = 1
  /** The lowest number that is new here; below `#next` only while a copy receives the messages of a snapshot. */
  #lowestNew = 1
  #gone = 0
  #given = 0
  #forks: readonly (readonly [after: number, to: number])[] = []
  #count = 0
  #head = 0
  /** By key: the slot of its message. */
  readonly #keys = new Map<string, number>()

  constructor(ring: MeetingRing, state?: RoomMessagesState) {
    this.#ring = ring
    if (!state) return
    const { slots } = ring.size
    this.#next = state.next
    this.#lowestNew = state.next
    this.#gone = state.gone
    this.#given = state.given
    this.#forks = state.forks
    this.#count = Math.min(state.count, slots)
    this.#head = state.head % slots
    for (let i = 0; i < this.#count; i++) {
      const { key } = ring.readMessage(this.#slotOf(i))
      if (key !== noKey) this.#keys.set(key, this.#slotOf(i))
    }
  }

  /** True if this copy has not received a message with this number. */
  isNew(number: number): boolean {
    return number >= this.#lowestNew
  }

  get count(): number {
    return this.#count
  }

  state(): RoomMessagesState {
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
    return this.#count === 0 ? 0 : this.#ring.readNumber(this.#slotOf(0))
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
  startCopy({ anew, oldest, next, gone, given, forks }: RoomEvent & { readonly type: 'numbered' }): void {
    if (!anew && next < this.#next) {
      this.#gone = Math.max(this.#gone, gone)
      return
    }
    this.#count = 0
    this.#keys.clear()
    this.#next = next
    this.#lowestNew = oldest
    this.#gone = gone
    this.#given = given
    this.#forks = forks
  }

  /** Continues from stored numbers. All earlier messages count as gone. */
  continueFrom({ next, given, forks }: Pick<RoomMessagesState, 'next' | 'given' | 'forks'>): void {
    this.#next = next
    this.#lowestNew = next
    this.#gone = next - 1
    this.#given = given
    this.#forks = forks.filter(([, to]) => to >= this.#gone)
  }

  /**
   * Skips to number `next`, because a device used the numbers below without a line. Messages up to `gone` count as
   * gone. A `next` that is not higher changes nothing.
   */
  skipTo(next: number, gone: number): void {
    if (next <= this.#next) return
    this.#next = next
    this.#lowestNew = next
    this.#gone = Math.max(this.#gone, gone)
  }

  /**
   * Notes that this device and the mirror assigned the numbers above `after`, up to `to`, to different messages. Ranges
   * below `gone` are dropped: a listener there gets `lost` anyway.
   */
  addFork(after: number, to: number): void {
    this.#forks = [...this.#forks, [after, to] as const].filter(([, end]) => end >= this.#gone)
  }

  append(message: RoomMessage, key = noKey, isNumberedByMirror = false): void {
    const { slots } = this.#ring.size
    const slot = this.#head
    if (this.#count === slots) {
      const overwritten = this.#ring.readMessage(slot)
      this.#gone = Math.max(this.#gone, overwritten.number)
      this.#keys.delete(overwritten.key)
      this.#forks = this.#forks.filter(([, to]) => to >= this.#gone)
    }
    this.#ring.writeMessage(slot, {
      ...message,
      atMs: parseTime(message.at) ?? 0,
      was: message.was ?? 0,
      key,
    })
    this.#count = Math.min(slots, this.#count + 1)
    this.#head = (slot + 1) % slots
    this.#lowestNew = message.number + 1
    this.#next = Math.max(this.#next, this.#lowestNew)
    if (isNumberedByMirror) this.#given = message.number
    if (key !== noKey) this.#keys.set(key, slot)
  }

  byKey(key: string): RoomMessage | undefined {
    const slot = this.#keys.get(key)
    return slot === undefined ? undefined : this.#readSlot(slot).message
  }

  messagesAfter(last: number): { readonly key: string; readonly message: RoomMessage }[] {
    const messages = []
    for (let i = this.#firstIndexAfter(last); i < this.#count; i++)
      messages.push(this.#readSlot(this.#slotOf(i)))
    return messages
  }

  /** Messages of others after number `last`, for `id`. */
  messagesFor(id: string, last: number, limit: number): RoomMessage[] {
    const messages: RoomMessage[] = []
    // This room never assigned number `last`: it is from an earlier room, and every message is new.
    const lastKnown = last < this.#next ? last : 0
    for (let i = this.#firstIndexAfter(lastKnown); i < this.#count && messages.length < limit; i++) {
      const { message } = this.#readSlot(this.#slotOf(i))
      if (message.from !== id) messages.push(message)
    }
    return messages
  }

  /** False for 0: such a listener wants only the messages that are still here. */
  hasLostAfter(last: number): boolean {
    if (last === 0) return false
    return (
      last < this.#gone || last >= this.#next || this.#forks.some(([after, to]) => after < last && last <= to)
    )
  }

  #readSlot(slot: number) {
    const { number, was, from, name, text, atMs, key } = this.#ring.readMessage(slot)
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

  #slotOf(i: number): number {
    const { slots } = this.#ring.size
    return (this.#head - this.#count + i + slots) % slots
  }

  /** The index of the first message with a number above `last`, by binary search. */
  #firstIndexAfter(last: number): number {
    let low = 0
    let high = this.#count
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#ring.readNumber(this.#slotOf(middle)) > last) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** The used numbers of a room. They are stored, so that no later copy uses a number again. */
export type RoomNumbers = Pick<RoomMessagesState, 'next' | 'given' | 'forks'>

export interface RoomNumberStore {
  read(): RoomNumbers | undefined
  write(numbers: RoomNumbers): void
}

/** Stores the numbers of the messages after they change. Without a store, does nothing. */
export class RoomNumberWriter {
  readonly #store: RoomNumberStore | undefined
  #writtenText = ''

  constructor(store: RoomNumberStore | undefined) {
    this.#store = store
  }

  /**
   * Continues from the stored numbers. `applyCopy` applies the events of another copy, and may replace the messages.
   * `isOnlyCopy`: there is no other copy.
   */
  restore(messages: () => RoomMessages, isOnlyCopy: boolean, applyCopy: () => void): void {
    const stored = this.#store?.read()
    if (stored && isOnlyCopy) messages().continueFrom(stored)
    applyCopy()
    // The other copy may lack the last messages, whose numbers are stored already.
    if (stored) messages().skipTo(stored.next, stored.next - 1)
    if (stored) this.#writtenText = JSON.stringify(numbersOf(messages()))
  }

  write(messages: RoomMessages): void {
    if (!this.#store) return
    const numbers = numbersOf(messages)
    const text = JSON.stringify(numbers)
    if (text === this.#writtenText) return
    this.#writtenText = text
    this.#store.write(numbers)
  }
}

function numbersOf(messages: RoomMessages): RoomNumbers {
  const { next, given, forks } = messages.state()
  return { next, given, forks }
}
