// Calls of the room that wait for the line: each ends, whatever becomes of the line or the book.
import { expect, it } from 'vitest'
import { DeviceRoom, lineWaitMs } from '../../../src/commons/room/device-room.ts'
import type { RoomEvent } from '../../../src/core/capability/port/room-port.ts'
import { DaybookError } from '../../../src/core/errors.ts'
import { frameLimits } from '../../../src/sync/wire/live-wire.ts'
import { createTestTime } from '../../support/test-engine.ts'

function openRoom(participants = 8) {
  const { ports, pass } = createTestTime(Date.UTC(2026, 0, 1))
  const events: RoomEvent[] = []
  const size = { slots: 10, slotBytes: 1024, participants }
  const device = new DeviceRoom({
    ...ports,
    device: 'd',
    tab: 'here',
    size,
    emit: (event) => void events.push(event),
  })
  return { device, room: device.roomForTab('here'), events, pass }
}

const person = (id: string) => ({ id, name: id, role: 'participant' }) as const

/** The outcome of a call, or `waits` if it has none now. */
const outcome = (call: Promise<unknown>) =>
  Promise.race([
    call.catch((error: DaybookError) => error.code),
    new Promise((resolve) => setTimeout(resolve, 20, 'waits')),
  ])

it('ends with the book', async () => {
  const { device, room, events } = openRoom()
  device.expectLine(() => true)
  room.hear('eve', 0, 10)
  const calls = [room.say('ada', 'Hello.'), room.join(person('bob'))]
  const count = events.length
  device.close()
  for (const call of calls) expect(await outcome(call)).toBe('book-closed')
  expect(await outcome(room.say('ada', 'Too late.'))).toBe('book-closed')
  // The listener continues through the next engine.
  expect(events.slice(count)).toEqual([])
})

it('ends on this device if the participants are too many for one frame', async () => {
  const { device, room, pass } = openRoom(1000)
  for (let i = 0; i < 700; i++) await room.join(person(`agent-number-${i}`))
  device.expectLine((data) => {
    if (JSON.stringify({ type: 'room', data }).length > frameLimits.bytes) throw new DaybookError('too-large')
    return true
  })
  const waiting = room.say('agent-number-1', 'first')
  device.lineOpened()
  expect(await outcome(waiting)).toMatchObject({ text: 'first' })
  await pass(lineWaitMs)
  expect(await outcome(room.say('agent-number-1', 'second'))).toMatchObject({ text: 'second' })
})
