// A device's line for the meeting room, as a test plays it: what it says, and what it is told.
import { expect } from 'vitest'
import type { RoomEvent } from '../../../../src/core/capability/port/room-port.ts'
import type { RoomResult, MirrorFrame } from '../../../../src/commons/room/room-wire.ts'
import type { LineHost } from './line-frame.ts'

export const usualSize = { slots: 100, slotBytes: 1024, participants: 32 }
let made = 0
export const newKey = (): string => (++made).toString(16).padStart(32, '0')

export interface RoomLine {
  /** Everything that was told on this line so far. */
  readonly events: RoomEvent[]
  /** The texts of what was said, with their numbers, in the order in which it was told. */
  said(): string[]
  ask(data: object): Promise<RoomResult>
  come(people?: readonly string[], more?: object): Promise<RoomResult>
  join(id: string, more?: object): Promise<RoomResult>
  say(id: string, text: string, more?: object): Promise<RoomResult>
  /** Reads until something was told of which this is true. */
  until(is: (event: RoomEvent) => boolean): Promise<RoomEvent>
  send(text: string): void
  next(): Promise<string>
}

export const person = (id: string) => ({ id, name: id, role: 'participant' as const })

export async function openRoomLine(
  host: LineHost,
  book: string,
  device: string,
  key?: string,
): Promise<RoomLine> {
  const { status, body } = await host.ticket(book, { device, for: ['room'] }, key)
  expect([status, body['code']]).toEqual([200, undefined])
  const socket = await host.open(book, String(body['ticket']), ['daybook.live.2'])
  const events: RoomEvent[] = []
  let seen = 0
  const read = async (): Promise<MirrorFrame> => {
    const text = await socket.next()
    const { type, data, from } = JSON.parse(text) as { type: string; data: MirrorFrame; from?: object }
    expect([type, from]).toEqual(['room', undefined])
    if (data.did === 'events') events.push(...data.events)
    return data
  }
  const ask = async (asked: object): Promise<RoomResult> => {
    const key = newKey()
    socket.send(JSON.stringify({ type: 'room', data: { key, ...asked } }))
    for (;;) {
      const told = await read()
      if (told.did === 'done' && told.key === ((asked as { key?: string }).key ?? key)) return told
    }
  }
  return {
    events,
    ask,
    said: () =>
      events.flatMap((one) => (one.type === 'said' ? [`${one.message.number} ${one.message.text}`] : [])),
    come: (people = [], more = {}) =>
      ask({ do: 'come', size: usualSize, people: people.map(person), next: 1, gone: 0, ...more }),
    join: (id, more = {}) => ask({ do: 'join', size: usualSize, person: person(id), ...more }),
    say: (id, text, more = {}) =>
      ask({ do: 'say', size: usualSize, messages: [{ key: newKey(), id, name: id, text, ...more }] }),
    async until(is) {
      for (;;) {
        const found = events.slice(seen).find(is)
        seen = found ? events.indexOf(found) + 1 : events.length
        if (found) return found
        await read()
      }
    },
    send: (text) => socket.send(text),
    next: () => socket.next(),
  }
}
