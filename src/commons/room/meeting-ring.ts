// The memory of a meeting room: a fixed ring of messages and a fixed table of participants in one buffer.
// Invariant: a place changes only when it is written again; nothing is allocated after the start.
import type { RoomSize } from '../../core/capability/port/room-port.ts'
import { readUtf8, utf8Length, writeUtf8 } from '../../core/text/utf8.ts'
import { defaultRoom } from './room-size.ts'

/** Most bytes of an id or a name. */
export const nameBytes = 128
const roleBytes = 64
const lengthBytes = 2
const numberBytes = 8
/** 32 hexadecimal digits: see `messageKey`. */
const keyBytes = 16
const headBytes = 3 * numberBytes + keyBytes
const nameField = lengthBytes + nameBytes

export interface RingMessage {
  readonly number: number
  readonly from: string
  readonly name: string
  readonly text: string
  readonly atMs: number
  /** The number that the speaker's device gave it first; 0: none. */
  readonly was: number
  /** 32 hexadecimal digits. */
  readonly key: string
}

export interface RingPerson {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly atMs: number
}

/** Bytes that a room of this size takes. */
export function ringBytes({ slots, slotBytes, participants }: RoomSize): number {
  return slots * slotOf(slotBytes) + participants * placeBytes
}

const slotOf = (messageBytes: number) => headBytes + 2 * nameField + lengthBytes + messageBytes
const placeBytes = numberBytes + 2 * nameField + lengthBytes + roleBytes

/** It checks no lengths: callers use `fitsPerson` and the slot size first. */
export class MeetingRing {
  readonly size: RoomSize
  /** The memory itself, not a copy. */
  readonly bytes: Uint8Array
  readonly #view: DataView
  readonly #slotBytes: number
  readonly #peopleAt: number

  /** `from`: the stored bytes of such a ring. */
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

/** True when the texts of a participant fit their places. */
export function fitsPerson({ id, name, role }: Pick<RingPerson, 'id' | 'name' | 'role'>): boolean {
  return utf8Length(id) <= nameBytes && utf8Length(name) <= nameBytes && utf8Length(role) <= roleBytes
}
