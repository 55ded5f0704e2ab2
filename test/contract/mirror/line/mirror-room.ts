// The meeting room at a mirror, for devices by their lines and for callers over HTTP, on any host of mirrors.
import { describe, expect, it } from 'vitest'
import type { RoomMessages, RoomMessage, RoomStatus } from '../../../../src/core/capability/port/room-port.ts'
import type { LineHost } from './line-frame.ts'
import { newKey, openRoomLine, usualSize } from './room-line.ts'

interface HeardAll {
  readonly messages: readonly RoomMessage[]
  readonly messagesLost: boolean
}

export function mirrorRoomCases(host: LineHost): void {
  const open = (book: string, device = 'd_one', key?: string) => openRoomLine(host, book, device, key)
  const run = async <Answer>(book: string, verb: string, input: object = {}) =>
    (await host.run(book, `room:${verb}`, input)) as Answer
  const hear = (book: string, last = 0, as = 'http') => run<HeardAll>(book, 'hear_all', { as, last })
  const status = (book: string, as = 'nobody') => run<RoomStatus>(book, 'status', { as })
  const makeKey = async (book: string, input: object) =>
    ((await host.run(book, 'daybook:create_access_key', { name: 'guest', ...input })) as { key: string }).key

  describe('the meeting room at a mirror', () => {
    it('O10 has all devices and callers over HTTP hear the same in the same order, under numbers of one place', async () => {
      const book = host.newBook()
      const [one, two] = [await open(book), await open(book, 'd_two')]
      await one.come(['ada'])
      await two.come(['bob'])
      const said = []
      for (let round = 1; round <= 3; round++) {
        said.push((await one.say('ada', `ada ${round}`)).said[0]?.number)
        said.push((await run<RoomMessage>(book, 'say', { as: 'http', text: `http ${round}` })).number)
        said.push((await two.say('bob', `bob ${round}`)).said[0]?.number)
      }
      expect(said).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
      const all = [1, 2, 3]
        .flatMap((n) => [`ada ${n}`, `http ${n}`, `bob ${n}`])
        .map((text, i) => `${i + 1} ${text}`)
      for (const line of [one, two]) {
        await line.until((event) => event.type === 'said' && event.message.number === 9)
        expect(line.said()).toEqual(all)
      }
      const { messages, messagesLost } = await hear(book)
      expect(messages.map(({ number, text }) => `${number} ${text}`)).toEqual(
        all.filter((text) => !text.includes('http')),
      )
      expect(messagesLost).toBe(false)
      expect(await status(book)).toMatchObject({ participants: 3, oldest: 1, latest: 9, at: 'mirror' })
    })

    it('O10 tells who comes and who goes, and has in it whoever listens', async () => {
      const book = host.newBook()
      const one = await open(book)
      await one.come(['ada'])
      await run(book, 'hear', { as: 'eve' })
      await one.until((event) => event.type === 'joined' && event.participant.id === 'eve')
      const { participants } = await run<{ participants: { id: string }[] }>(book, 'who_is_here')
      expect(participants.map(({ id }) => id)).toEqual(['ada', 'eve'])
      expect(await run(book, 'leave', { as: 'eve' })).toEqual({ left: true })
      await one.until((event) => event.type === 'left' && event.id === 'eve')
      expect((await one.ask({ do: 'leave', id: 'ada' })).refused).toEqual([])
      expect(await status(book)).toMatchObject({ participants: 0, latest: 0 })
    })

    it('O11 numbers anew what a device said without a line, says so, and gives no number twice', async () => {
      const book = host.newBook()
      const [one, two] = [await open(book), await open(book, 'd_two')]
      await two.come(['bob'])
      for (const text of ['first', 'second']) await two.say('bob', text)
      // It has given 1 to 5 by itself, and has the last two of them.
      await one.come(['ada'], { next: 6, gone: 3 })
      const unsent = [4, 5].map((was) => ({ key: newKey(), id: 'ada', name: 'Ada', text: `was ${was}`, was }))
      const done = await one.ask({ do: 'say', size: usualSize, messages: unsent })
      expect(done.said.map(({ number, was }) => [number, was])).toEqual([
        [6, 4],
        [7, 5],
      ])
      // What is sent again is there once.
      expect((await one.ask({ do: 'say', size: usualSize, messages: unsent })).said).toEqual(done.said)
      expect((await two.say('bob', 'third')).said[0]?.number).toBe(8)
      // 3 was said to nobody but its own device, and is gone.
      expect(await hear(book, 2)).toMatchObject({ messagesLost: true })
      expect(await hear(book, 5)).toMatchObject({ messagesLost: false })
      expect((await hear(book)).messages.map(({ number }) => number)).toEqual([1, 2, 6, 7, 8])
    })

    it('goes on counting when it was empty, and tells a listener what it lost meanwhile', async () => {
      const book = host.newBook()
      await run(book, 'say', { as: 'ada', text: 'one' })
      await run(book, 'say', { as: 'ada', text: 'two' })
      await run(book, 'leave', { as: 'ada' })
      expect(await hear(book, 1)).toEqual({ messages: [], messagesLost: true, moreAvailable: false })
      expect(await hear(book, 2)).toMatchObject({ messagesLost: false })
      expect(await run<RoomMessage>(book, 'say', { as: 'ada', text: 'three' })).toMatchObject({ number: 3 })
      // A number that nobody was given yet.
      expect(await hear(book, 99)).toMatchObject({ messages: [{ number: 3 }], messagesLost: true })
      await run(book, 'leave', { as: 'http' })
    })

    it('refuses the 33rd participant over all devices, and what no slot takes, and goes on', async () => {
      const book = host.newBook()
      const [one, two] = [await open(book), await open(book, 'd_two')]
      await one.come(Array.from({ length: 20 }, (_, i) => `one-${i}`))
      const { refused } = await two.come(Array.from({ length: 13 }, (_, i) => `two-${i}`))
      expect(refused).toMatchObject([
        { of: 'two-12', code: 'room-full', retry: true, details: { limit: 32 } },
      ])
      expect((await two.say('two-12', 'let me in')).refused).toMatchObject([{ code: 'room-full' }])
      // Some hosts answer what went wrong, others throw it.
      const third = await host.run(book, 'room:join', { as: 'http' }).catch(String)
      expect(JSON.stringify(third)).toContain('room-full')
      // In a full room one listens from outside.
      expect(await run<RoomMessages>(book, 'hear', { as: 'http' })).toMatchObject({ message: null })
      const long = 'é'.repeat(512)
      expect((await one.say('one-0', long)).said).toMatchObject([{ number: 1, text: long }])
      expect((await one.say('one-0', `${long}!`)).refused).toMatchObject([
        { code: 'too-large', details: { path: 'text', limitBytes: 1024, bytes: 1025 } },
      ])
      expect(await status(book)).toMatchObject({ participants: 32, latest: 1 })
    })

    it('O12 answers a frame that it does not understand, and ends no line for it', async () => {
      const book = host.newBook()
      const one = await open(book)
      await one.come(['ada'])
      for (const [asked, path] of [
        [{ do: 'shout' }, 'do'],
        [
          { do: 'join', size: usualSize, person: { id: 'a\nb', name: 'a', role: 'participant' } },
          'person.id',
        ],
        [{ do: 'say', size: usualSize, messages: [] }, 'messages'],
        [{ do: 'leave' }, 'id'],
      ] as const)
        expect((await one.ask(asked)).refused).toMatchObject([{ code: 'invalid-input', details: { path } }])
      expect((await one.say('ada', 'still here')).refused).toEqual([])
    })

    it('lets a guest speak in its own name alone, and tells nothing to one without `meeting-room`', async () => {
      const book = host.newBook()
      const one = await open(book)
      await one.come(['ada'])
      await one.say('ada', 'hello')
      const inRoom = { scope: 'meeting-room', permissions: ['read', 'write'], holder: 'helper' }
      const guest = await open(book, 'd_guest', await makeKey(book, inRoom))
      await guest.come()
      expect((await guest.say('ada', 'Not me')).refused).toMatchObject([
        { code: 'forbidden', details: { path: 'id' } },
      ])
      expect((await guest.say('helper', 'Me')).said).toMatchObject([{ from: 'helper', name: 'helper' }])
      const outside = await makeKey(book, { scope: 'project:x', permissions: ['read', 'write'] })
      const { status: refused, body } = await host.ticket(book, { device: 'd_out', for: ['room'] }, outside)
      expect([refused, body['code']]).toEqual([403, 'forbidden'])
    })

    it('is as large as it was begun, and a device that asked for another size is told', async () => {
      const book = host.newBook()
      const one = await open(book)
      const size = { slots: 1000, slotBytes: 100, participants: 32 }
      await one.come(['ada'], { size })
      expect(await status(book)).toMatchObject({ slots: 1000, messageBytes: 100 })
      const two = await open(book, 'd_two')
      await two.come(['bob'], { size: { slots: 200, slotBytes: 512, participants: 32 } })
      expect(two.events.find(({ type }) => type === 'numbered')).toMatchObject({ size })
      expect((await two.say('bob', 'x'.repeat(101))).refused).toMatchObject([{ code: 'too-large' }])
      for (const line of [one, two]) await line.come([])
      // What no mirror keeps in one row is begun as large as is usual.
      await one.come(['ada'], { size: { slots: 10_000, slotBytes: 1600, participants: 32 } })
      expect(await status(book)).toMatchObject({ slots: 100, messageBytes: 1024 })
    })
  })
}
