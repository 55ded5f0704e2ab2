// The size of a meeting room, as the option `room` of a page sets it.
import { expect, it } from 'vitest'
import { openDaybook } from '../../src/index.ts'
import { failure } from '../contract/book-case.ts'

it('has the size of the option `room`, also for a page that joins, and after the owner closed', async () => {
  const name = `room-${crypto.randomUUID()}`
  const room = { slots: 8, slotBytes: 256, participants: 2 }
  const size = { slots: 8, messageBytes: 256 }
  const first = await openDaybook({ name, agent: 'first', room })
  await using second = await openDaybook({ name, agent: 'second', room })
  await first.room.join()
  for (let i = 1; i <= 9; i += 1) await second.room.say({ text: `m${i}` })
  expect(await second.room.status()).toMatchObject({ ...size, participants: 2, oldest: 2, latest: 9 })
  expect((await failure(second.room.join({ as: 'third' }))).code).toBe('room-full')
  await first.close()
  expect(await second.room.status()).toMatchObject({ ...size, oldest: 2, latest: 9 })
})
