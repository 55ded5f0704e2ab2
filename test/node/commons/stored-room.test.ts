// The stored room of a mirror: processes that share its row assign no number twice, and a write that fails and runs again
// stores its message.
import { describe, expect, it } from 'vitest'
import { MirrorRoom } from '../../../src/commons/room/mirror-room.ts'
import type { RoomRow, RoomRows } from '../../../src/store/mirror/room-row.ts'

function createRows() {
  let row: RoomRow | undefined
  let nextNumber = 0
  const rows: RoomRows = {
    read: () => row && { ...row, bytes: row.bytes.slice() },
    stamp: () => row?.stamp,
    write: (room) => void (row = { ...room, bytes: room.bytes.slice() }),
    remove: () => (row = undefined),
    nextNumber: () => nextNumber,
    setNextNumber: (next) => void (nextNumber = next),
  }
  return rows
}

let stamps = 0

/** A mirror's room in one process. After an error, `commit` runs the work once more, as the write queue does. */
function createMirrorRoom(rows: RoomRows): MirrorRoom {
  return new MirrorRoom({
    clock: { now: () => Date.UTC(2026, 0, 1) },
    random: { bytes: (count) => Uint8Array.from({ length: count }, () => ++stamps) },
    rows,
    async commit(work) {
      try {
        return work()
      } catch {
        return work()
      }
    },
    onChange: () => undefined,
  })
}

const ada = { id: 'ada', name: 'ada', role: 'participant' }

describe('the stored room', () => {
  it('continues the numbers of another process that opened and left the room', async () => {
    const rows = createRows()
    const first = createMirrorRoom(rows).roomForHttp()
    const second = createMirrorRoom(rows).roomForHttp()
    expect(first.whoIsHere()).toEqual([])
    expect((await second.say('bob', 'one')).number).toBe(1)
    expect((await second.say('bob', 'two')).number).toBe(2)
    await second.leave('bob')
    expect((await first.say('ada', 'three')).number).toBe(3)
    expect(first.hear('cleo', 1, 10).lost).toBe(true)
  })

  it('stores a message whose first write failed', async () => {
    const rows = createRows()
    let isBroken = false
    const failingRows: RoomRows = {
      ...rows,
      write(room) {
        if (!isBroken) return rows.write(room)
        isBroken = false
        throw new Error('The disk is full.')
      },
    }
    const mirror = createMirrorRoom(failingRows)
    await mirror.roomForHttp().join(ada)
    isBroken = true
    expect((await mirror.roomForHttp('key').say('ada', 'hello')).number).toBe(1)
    const { messages } = createMirrorRoom(rows).roomForHttp().look('bob', 0, 10)
    expect(messages.map(({ text }) => text)).toEqual(['hello'])
  })
})
