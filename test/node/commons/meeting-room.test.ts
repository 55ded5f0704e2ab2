// The meeting room against a plain list of everything that was ever said: whatever happens, both tell the same.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MeetingRing } from '../../../src/commons/room/meeting-ring.ts'
import { createMeetingRoom } from '../../../src/commons/room/meeting-room.ts'
import { checkRoomOption } from '../../../src/commons/room/room-size.ts'
import type { RoomEvent } from '../../../src/core/capability/port/room-port.ts'
import { readUtf8, utf8Length, writeUtf8 } from '../../../src/core/text/utf8.ts'
import { failure } from '../../contract/book-case.ts'

const clock = { now: () => Date.UTC(2026, 0, 1) }
const tabs = ['tab a', 'tab b'] as const
const ids = ['ada', 'bob', 'eve']
const size = { slots: 5, slotBytes: 16, participants: 2 }

const idOf = fc.constantFrom(...ids)
const tabOf = fc.constantFrom(...tabs)
const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      id: idOf,
      tab: tabOf,
      text: fc.string({ unit: 'binary', maxLength: 12 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('join' as const), id: idOf, tab: tabOf }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), id: idOf, tab: tabOf }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), tab: tabOf }) },
)

/** The room as one would write it without a thought for memory. */
function createModel() {
  let said: { number: number; from: string; text: string }[] = []
  let here: { id: string; tab: string }[] = []
  let count = 0
  const present = () => new Set(here.map(({ id }) => id))
  const tidy = () => {
    if (here.length === 0) said = []
  }
  const join = (id: string, tab: string) => {
    if (!present().has(id) && present().size >= size.participants) return false
    if (!here.some((one) => one.id === id && one.tab === tab)) here.push({ id, tab })
    return true
  }
  const oldest = () => Math.max(said[0]?.number ?? count + 1, count + 1 - size.slots)
  return {
    join,
    present,
    say(id: string, tab: string, text: string) {
      if (utf8Length(text) > size.slotBytes || !join(id, tab)) return false
      count += 1
      said.push({ number: count, from: id, text })
      return true
    },
    leave(id: string, tab: string) {
      here = here.filter((one) => one.id !== id || one.tab !== tab)
      tidy()
    },
    end(tab: string) {
      here = here.filter((one) => one.tab !== tab)
      tidy()
    },
    hear(id: string, tab: string, last: number) {
      join(id, tab)
      const known = last <= count ? last : 0
      return {
        messages: said.filter(({ number, from }) => number > known && number >= oldest() && from !== id),
        lost: last !== 0 && (last + 1 < oldest() || last > count),
      }
    },
    oldest,
    latest: () => count,
  }
}

const attempt = (work: () => unknown) => {
  try {
    work()
    return true
  } catch {
    return false
  }
}

it('tells what a plain list would tell, and so does every copy of it', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), fc.nat(60), (actions, copyAt) => {
      const model = createModel()
      const events: RoomEvent[] = []
      const room = createMeetingRoom(clock, (event) => events.push(event), size)
      const copy = createMeetingRoom(clock, () => undefined, size)
      actions.forEach((one, i) => {
        if (one.do === 'say')
          expect(attempt(() => room.roomForTab(one.tab).say(one.id, one.text))).toBe(
            model.say(one.id, one.tab, one.text),
          )
        else if (one.do === 'join')
          expect(
            attempt(() => room.roomForTab(one.tab).join({ id: one.id, name: one.id, role: 'participant' })),
          ).toBe(model.join(one.id, one.tab))
        else if (one.do === 'leave') {
          room.roomForTab(one.tab).leave(one.id)
          model.leave(one.id, one.tab)
        } else {
          room.leaveTab(one.tab)
          model.end(one.tab)
        }
        // A copy begins with all there is, and goes on with what happens.
        if (i === copyAt) for (const event of room.snapshot()) copy.apply(event)
        else if (i > copyAt) for (const event of events) copy.apply(event)
        events.length = 0
        for (const id of ids) {
          const numbers = [0, 1, model.oldest() - 2, model.oldest() - 1, model.latest(), model.latest() + 1]
          for (const last of numbers.filter((n) => n >= 0)) {
            const { messages, lost } = room.roomForTab(tabs[0]).hear(id, last, 100)
            const expected = model.hear(id, tabs[0], last)
            expect(messages.map(({ number, from, text }) => ({ number, from, text }))).toEqual(
              expected.messages,
            )
            expect(lost).toBe(expected.lost)
            if (i <= copyAt) continue
            // Another copy, for whoever hears in a room is in it from then on.
            const next = createMeetingRoom(clock, () => undefined, size)
            for (const event of copy.snapshot()) next.apply(event)
            expect(next.roomForTab(tabs[0]).hear(id, last, 100)).toEqual({ messages, lost })
          }
        }
        expect(
          new Set(
            room
              .roomForTab(tabs[0])
              .whoIsHere()
              .map(({ id }) => id),
          ),
        ).toEqual(model.present())
      })
    }),
    { numRuns: 300 },
  )
})

it('says a thing once, however often it is said under one key, also in the room of the next owner', () => {
  const room = createMeetingRoom(clock, () => undefined)
  const first = room.roomForTab('tab', 'key').say('ada', 'hello')
  expect(room.roomForTab('tab', 'key').say('ada', 'hello')).toEqual(first)
  const next = createMeetingRoom(clock, () => undefined)
  for (const event of room.snapshot()) next.apply(event)
  expect(next.roomForTab('tab', 'key').say('ada', 'hello')).toEqual(first)
  expect(next.roomForTab('tab').status('bob', 0)).toMatchObject({ latest: 1, unread: 1 })
})

it('takes 1,024 bytes, and not one more; 32 participants, and not one more; about 140 KB, once', async () => {
  const room = createMeetingRoom(clock, () => undefined)
  const here = room.roomForTab('tab')
  expect(here.say('ada', 'é'.repeat(512)).text).toBe('é'.repeat(512))
  const long = await failure(Promise.resolve().then(() => here.say('ada', `${'é'.repeat(512)}!`)))
  expect(long).toMatchObject({ code: 'too-large', details: { path: 'text', limitBytes: 1024, bytes: 1025 } })
  expect(here.status('ada', 0).latest).toBe(1)
  for (let i = 1; i < 32; i++) here.join({ id: `p${i}`, name: `p${i}`, role: 'observer' })
  const full = await failure(Promise.resolve().then(() => here.say('p32', 'let me in')))
  expect(full).toMatchObject({ code: 'room-full', retry: true, details: { limit: 32 } })
  // Who is here already may come again.
  expect(here.join({ id: 'p1', name: 'another name', role: 'observer' }).name).toBe('another name')
  expect(here.whoIsHere()).toHaveLength(32)
  const { sizeBytes } = new MeetingRing()
  expect(here.status('ada', 0).sizeBytes).toBe(sizeBytes)
  expect(sizeBytes).toBeGreaterThan(135_000)
  expect(sizeBytes).toBeLessThan(145_000)
})

it('loses the oldest message when the 101st is said', () => {
  const here = createMeetingRoom(clock, () => undefined).roomForTab('tab')
  for (let i = 1; i <= 99; i++) here.say('ada', `${i}`)
  expect(here.status('bob', 0)).toMatchObject({ oldest: 1, latest: 99 })
  here.say('ada', '100')
  expect(here.hear('bob', 0, 1).messages[0]?.number).toBe(1)
  here.say('ada', '101')
  expect(here.status('bob', 0)).toMatchObject({ oldest: 2, latest: 101 })
  expect(here.hear('bob', 1, 1)).toMatchObject({ lost: false, messages: [{ number: 2 }] })
  for (let i = 102; i <= 200; i++) here.say('ada', `${i}`)
  expect(here.status('bob', 0)).toMatchObject({ oldest: 101, latest: 200, unread: 100 })
  expect(here.hear('bob', 50, 1)).toMatchObject({ lost: true, messages: [{ number: 101 }] })
  expect(here.hear('ada', 0, 100)).toEqual({ messages: [], lost: false })
})

it('writes and reads UTF-8 as the platform does', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const bytes = new Uint8Array(utf8Length(text))
      expect(writeUtf8(text, bytes, 0)).toBe(bytes.length)
      expect(bytes).toEqual(new TextEncoder().encode(text))
      expect(readUtf8(bytes)).toBe(text.toWellFormed())
    }),
  )
})

it('is as large as it was begun, in whichever tab it goes on', () => {
  const room = createMeetingRoom(clock, () => undefined, size)
  room.roomForTab('tab').say('ada', 'hello')
  const larger = createMeetingRoom(clock, () => undefined, { slots: 9, slotBytes: 64, participants: 3 })
  larger.roomForTab('own').say('bob', 'x'.repeat(40))
  for (const event of room.snapshot()) larger.apply(event)
  expect(larger.size()).toEqual(size)
  expect(
    larger
      .roomForTab('own')
      .hear('bob', 0, 9)
      .messages.map(({ text }) => text),
  ).toEqual(['hello'])
  expect(attempt(() => larger.roomForTab('own').say('bob', 'x'.repeat(40)))).toBe(false)
})

it.each([
  [{ slots: 0 }, 'room.slots'],
  [{ slots: 1.5 }, 'room.slots'],
  [{ slotBytes: 70_000 }, 'room.slotBytes'],
  [{ participants: 1001 }, 'room.participants'],
  [{ slots: 10_000, slotBytes: 60_000 }, 'room'],
  [{ slot: 5 }, 'room.slot'],
  ['large', 'room'],
])('has no size such as %j', (asked, path) => {
  expect(() => checkRoomOption(asked, 'room')).toThrowError(
    expect.objectContaining({
      code: 'invalid-input',
      details: expect.objectContaining({ path }) as object,
    }) as Error,
  )
})
