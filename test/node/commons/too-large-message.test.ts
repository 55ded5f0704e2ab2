// A device that returns to its mirror with more than a frame of a line can take: a message, of which only that one stays
// out, or participants.
import { expect, it } from 'vitest'
import { DeviceRoom } from '../../../src/commons/room/device-room.ts'
import { DaybookError } from '../../../src/core/errors.ts'
import { frameLimits } from '../../../src/sync/wire/live-wire.ts'
import { createTestTime } from '../../support/test-engine.ts'

interface Sent {
  readonly do: string
  readonly key: string
  readonly messages?: readonly { readonly text: string }[]
}

it('sends all that fits, and refuses a waiting message that is too large', async () => {
  const { ports } = createTestTime(Date.UTC(2026, 0, 1))
  const size = { slots: 10, slotBytes: 65_535, participants: 8 }
  const device = new DeviceRoom({ ...ports, device: 'd', tab: 'here', size, emit: () => undefined })
  const large = '\u0001'.repeat(60_000)
  const room = device.roomForTab('here')
  await room.join({ id: 'ada', name: 'ada', role: 'participant' })
  for (const text of ['before', large, 'after']) await room.say('ada', text)
  const sent: Sent[] = []
  device.expectLine((data) => {
    const text = JSON.stringify({ type: 'room', data })
    if (text.length > frameLimits.bytes) throw new DaybookError('too-large')
    sent.push(data as Sent)
    return true
  })
  device.lineOpened()
  const refused = room.say('ada', large).catch((error: unknown) => error)
  const waiting = room.say('ada', 'waiting')
  device.receive({ did: 'done', key: sent[0]?.key ?? '', refused: [], said: [], goneBefore: 0 })
  expect(await refused).toMatchObject({ code: 'too-large' })
  const said = sent.filter((one) => one.do === 'say')
  expect(said.map(({ messages = [] }) => messages.map(({ text }) => text))).toEqual([
    ['before'],
    ['after'],
    ['waiting'],
  ])
  const message = { number: 9, from: 'ada', name: 'ada', text: 'waiting', at: '2026-01-01T00:00:00.000Z' }
  device.receive({ did: 'done', key: said[2]?.key ?? '', refused: [], said: [message] })
  expect(await waiting).toEqual(message)
})

it('says that its participants are too many for the line, until there are fewer', async () => {
  const { ports } = createTestTime(Date.UTC(2026, 0, 1))
  const size = { slots: 10, slotBytes: 1024, participants: 1000 }
  const device = new DeviceRoom({ ...ports, device: 'd', tab: 'here', size, emit: () => undefined })
  const room = device.roomForTab('here')
  const ids = Array.from({ length: 700 }, (_, i) => `participant-${i}`)
  for (const id of ids) await room.join({ id, name: id, role: 'participant' })
  const sent: object[] = []
  device.expectLine((data) => {
    const text = JSON.stringify({ type: 'room', data })
    if (text.length > frameLimits.bytes) throw new DaybookError('too-large')
    sent.push(data)
    return true
  })
  device.lineOpened()
  expect([device.tooMany, sent.length]).toEqual([700, 0])
  expect(await room.say('participant-0', 'Who is here?')).toMatchObject({ number: 1 })

  for (const id of ids.slice(100)) await room.leave(id)
  device.lineOpened()
  expect([device.tooMany, sent.length]).toEqual([undefined, 1])
})
