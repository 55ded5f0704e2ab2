// The memory of a meeting room: one buffer with a ring of messages and a table of participants, both of fixed size.
// Invariant: the buffer never grows, and a write changes only its own slot.
import type { RoomSize } from '../../core/capability/port/room-port.ts'
import { readUtf8, utf8Length, writeUtf8 } from '../../core/text/utf8.ts'
import { defaultRoom } from './room-size.ts'

/** Most UTF-8 bytes of an id or a name. */
export const nameBytes = 128
const roleBytes = 64
const lengthBytes = 2
const numberBytes = 8
/** Bytes of a message key, which is 32 hexadecimal digits; see `messageKey`. */
const keyBytes = 16
const headBytes = 3 * numberBytes + keyBytes
const nameField = lengthBytes + nameBytes

export interface RingMessage {
  readonly number: number
  readonly from: string
  readonly name: string
  readonly text: string
  readonly atMs: number
  /** The number that the speaker's device assigned first, before the mirror assigned `number`; 0: none. */
  readonly was: number
  /** 32 hexadecimal digits; `noKey`: the message has no key. */
  readonly key: string
}

export interface RingPerson {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly atMs: number
}

/** Bytes of the buffer of a room of this size. */
export function ringBytes({ slots, slotBytes, participants }: RoomSize): number {
  return slots * slotOf(slotBytes) + participants * placeBytes
}

const slotOf = (messageBytes: number) => headBytes + 2 * nameField + lengthBytes + messageBytes
const placeBytes = numberBytes + 2 * nameField + lengthBytes + roleBytes

/** Checks no lengths. Before a write, check a participant with `fitsPerson`, and a text against `slotBytes`. */
export class MeetingRing {
  readonly size: RoomSize
  /** The buffer itself, not a copy. */
  readonly bytes: Uint8Array
  readonly #view: DataView
  readonly #slotBytes: number
  readonly #peopleAt: number

  /** `from`: the `bytes` of a ring of the same size; they are copied. Default: an empty ring. */
  constructor(size: RoomSize = defaultRoom, from?: Uint8Array) {
    this.size = size
    this.bytes = new Uint8Array(ringBytes(size))
    if (from) this.bytes.set(from.subarray(0, this.bytes.length))
    this.#view = new DataView(this.bytes.buffer)
    this.#slotBytes = slotOf(size.slotBytes)
    this.#peopleAt = size.slots * this.#slotBytes
  }

  get sizeBytes(): number {
    return this.bytes.length
  }

  writeMessage(place: number, { number, from: speaker, name, text, atMs, was, key }: RingMessage): void {
    const slot = place * this.#slotBytes
    this.#view.setFloat64(slot, number)
    this.#view.setFloat64(slot + numberBytes, atMs)
    this.#view.setFloat64(slot + 2 * numberBytes, was)
    this.#writeKey(slot + 3 * numberBytes, key)
    const afterFrom = this.#writeText(slot + headBytes, speaker, nameBytes)
    this.#writeText(this.#writeText(afterFrom, name, nameBytes), text, this.size.slotBytes)
  }

  readMessage(place: number): RingMessage {
    const slot = place * this.#slotBytes
    const speaker = slot + headBytes
    return {
      number: this.#view.getFloat64(slot),
      atMs: this.#view.getFloat64(slot + numberBytes),
      was: this.#view.getFloat64(slot + 2 * numberBytes),
      key: this.#readKey(slot + 3 * numberBytes),
      from: this.#readText(speaker),
      name: this.#readText(speaker + nameField),
      text: this.#readText(speaker + 2 * nameField),
    }
  }

  readNumber(place: number): number {
    return this.#view.getFloat64(place * this.#slotBytes)
  }

  writePerson(place: number, { id, name, role, atMs }: RingPerson): void {
    const at = this.#peopleAt + place * placeBytes
    this.#view.setFloat64(at, atMs)
    const afterId = this.#writeText(at + numberBytes, id, nameBytes)
    this.#writeText(this.#writeText(afterId, name, nameBytes), role, roleBytes)
  }

  readPerson(place: number): RingPerson {
    const at = this.#peopleAt + place * placeBytes
    const id = at + numberBytes
    return {
      atMs: this.#view.getFloat64(at),
      id: this.#readText(id),
      name: this.#readText(id + nameField),
      role: this.#readText(id + 2 * nameField),
    }
  }

  #writeText(at: number, text: string, limit: number): number {
    this.#view.setUint16(at, writeUtf8(text, this.bytes, at + lengthBytes))
    return at + lengthBytes + limit
  }

  #readText(at: number): string {
    const start = at + lengthBytes
    return readUtf8(this.bytes.subarray(start, start + this.#view.getUint16(at)))
  }

  #writeKey(at: number, key: string): void {
    for (let i = 0; i < keyBytes; i++)
      this.bytes[at + i] = Number.parseInt(key.slice(2 * i, 2 * i + 2), 16) || 0
  }

  #readKey(at: number): string {
    const bytes = this.bytes.subarray(at, at + keyBytes)
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  }
}

/** True if the id, name and role of a participant fit their fields. */
export function fitsPerson({ id, name, role }: Pick<RingPerson, 'id' | 'name' | 'role'>): boolean {
  return utf8Length(id) <= nameBytes && utf8Length(name) <= nameBytes && utf8Length(role) <= roleBytes
}
