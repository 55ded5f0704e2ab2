// A room of another size than this device asked for: the one at the mirror is used, and the status says so.
import { expect, it } from 'vitest'
import type { RoomSize } from '../../../src/core/capability/port/room-port.ts'
import { createBookRoom } from '../../../src/engine/service/book-room.ts'
import { createTestTime } from '../../support/test-engine.ts'
import { openTestStore } from '../../support/test-store.ts'

const wide = { slots: 1000, slotBytes: 100, participants: 32 }
const deep = { slots: 200, slotBytes: 512, participants: 32 }

/** A device that asked for a size, and a line over which a mirror answers with its own. */
function openDevice(roomSize: RoomSize | undefined, atMirror: RoomSize) {
  const { ports } = createTestTime(Date.UTC(2026, 0, 1))
  const room = createBookRoom({
    options: { ports, roomSize } as never,
    store: openTestStore([]),
    events: { tell: () => undefined },
  })
  const { device } = room
  if (!device) throw new Error('no room of a device')
  const asked: { key: string }[] = []
  device.expectLine((data) => asked.push(data as { key: string }) > 0)
  device.lineOpened()
  const numbered = {
    type: 'numbered',
    size: atMirror,
    oldest: 1,
    next: 1,
    gone: 0,
    given: 0,
    forks: [],
    anew: true,
  }
  const join = () => {
    device.receive({ did: 'events', events: [numbered] })
    device.receive({ did: 'done', key: asked[0]?.key ?? '', refused: [], said: [], goneBefore: 0 })
  }
  return { room, join }
}

it('is told once the mirror gives the numbers, by what was asked for and what is used', () => {
  const { room, join } = openDevice(wide, deep)
  expect(room.size()).toEqual(wide)
  expect(room.degraded()).toEqual([])
  join()
  expect(room.size()).toEqual(deep)
  expect(room.degraded()).toEqual([
    'room: this device asked for `1000 × 100 bytes, 32 participants`, but the room at the mirror has `200 × 512 bytes, 32 participants`, which is used.',
  ])
})

it('is not told of a device that asked for nothing, or for what it got', () => {
  for (const asked of [undefined, deep]) {
    const { room, join } = openDevice(asked, deep)
    join()
    expect(room.size()).toEqual(deep)
    expect(room.degraded()).toEqual([])
  }
})
