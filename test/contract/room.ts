// The meeting room through a book, on every host.
import { describe, expect, it } from 'vitest'
import type { RoomMessage } from '../../src/core/capability/port/room-port.ts'
import { type BookCase, failure } from './book-case.ts'

export function roomCases({ book: open, reopen }: BookCase): void {
  describe('the meeting room', () => {
    it('lets agents talk while they are there', async () => {
      const { room } = await open()
      expect((await room.whoIsHere()).participants).toEqual([])
      const ada = await room.join({ as: 'ada', name: 'Ada', role: 'coordinator' })
      expect(ada).toMatchObject({ id: 'ada', name: 'Ada', role: 'coordinator' })
      const said = await room.say({ as: 'ada', text: 'Shall we begin?' })
      expect(said).toMatchObject({ number: 1, from: 'ada', name: 'Ada' })
      await room.say({ text: 'Yes.' })
      expect(await room.hear({ as: 'ada' })).toMatchObject({
        message: { number: 2, from: 'contract', text: 'Yes.' },
        messagesLost: false,
      })
      expect(await room.hear({ as: 'ada', last: 2 })).toEqual({ message: null, messagesLost: false })
      expect(await room.hearAll({ as: 'eve', limit: 1 })).toMatchObject({
        messages: [{ number: 1 }],
        moreAvailable: true,
      })
      expect(await room.status({ as: 'eve', last: 1 })).toMatchObject({
        participants: 3,
        latest: 2,
        unread: 1,
      })
      expect(await room.leave({ as: 'ada' })).toEqual({ left: true })
      expect(await room.leave({ as: 'ada' })).toEqual({ left: false })
      await room.leave()
      expect(await room.status()).toMatchObject({ participants: 1, latest: 2 })
      await room.leave({ as: 'eve' })
      expect(await room.status()).toMatchObject({ participants: 0, oldest: 0, latest: 0 })
    })

    it('goes on counting when it was empty, and tells a listener what it lost meanwhile', async () => {
      const { room } = await open()
      for (const text of ['one', 'two']) await room.say({ as: 'ada', text })
      expect(await room.hear({ as: 'eve' })).toMatchObject({ message: { number: 1 }, messagesLost: false })
      for (const as of ['ada', 'eve']) await room.leave({ as })
      expect(await room.hear({ as: 'eve', last: 1 })).toEqual({ message: null, messagesLost: true })
      expect(await room.hear({ as: 'eve', last: 2 })).toEqual({ message: null, messagesLost: false })
      expect((await room.say({ as: 'ada', text: 'three' })).number).toBe(3)
      expect(await room.hear({ as: 'eve', last: 2 })).toMatchObject({
        message: { number: 3, text: 'three' },
        messagesLost: false,
      })
      // A number of a room before this one.
      expect(await room.hear({ as: 'eve', last: 99 })).toMatchObject({
        message: { number: 3 },
        messagesLost: true,
      })
    })

    it('goes on counting when every copy of it was closed, and tells a listener what it lost and what it did not', async () => {
      const before = await open()
      for (const text of ['one', 'two', 'three']) await before.room.say({ as: 'ada', text })
      const { room, status } = await reopen(before)
      expect(await room.status({ as: 'eve' })).toMatchObject({ participants: 0, latest: 0 })
      expect(await room.hear({ as: 'eve', last: 2 })).toEqual({ message: null, messagesLost: true })
      expect(await room.hear({ as: 'eve', last: 3 })).toEqual({ message: null, messagesLost: false })
      expect((await room.say({ as: 'ada', text: 'four' })).number).toBe(4)
      expect(await room.hear({ as: 'eve', last: 3 })).toMatchObject({
        message: { number: 4 },
        messagesLost: false,
      })
      expect((await status()).degraded).not.toContainEqual(expect.stringContaining('room'))
    })

    it('has in it whoever listens', async () => {
      const { room } = await open()
      await room.say({ as: 'ada', text: 'hello' })
      await room.hear({ as: 'eve' })
      expect((await room.whoIsHere()).participants.map(({ id }) => id)).toEqual(['ada', 'eve'])
      // So what was said is there as long as somebody listens.
      await room.leave({ as: 'ada' })
      expect(await room.hear({ as: 'eve' })).toMatchObject({ message: { text: 'hello' } })
    })

    it('refuses what does not fit, and says nothing then', async () => {
      const { room } = await open()
      const error = await failure(room.say({ text: 'x'.repeat(1025) }))
      expect(error).toMatchObject({ code: 'too-large', details: { path: 'text', limitBytes: 1024 } })
      expect((await failure(room.say({ text: '' }))).code).toBe('invalid-input')
      expect(await room.status()).toMatchObject({ participants: 0, latest: 0 })
    })

    it('tells those who listen what is said', async () => {
      const { room } = await open()
      const heard = new Promise<RoomMessage>((resolve) => room.onMessage(resolve))
      await room.say({ text: 'hello' })
      expect(await heard).toMatchObject({ number: 1, from: 'contract', text: 'hello' })
    })

    it('says a thing once that is sent twice', async () => {
      const { room } = await open()
      const requestId = crypto.randomUUID()
      const once = await room.say({ text: 'hello' }, { requestId })
      expect(await room.say({ text: 'hello' }, { requestId })).toEqual(once)
    })
  })
}
