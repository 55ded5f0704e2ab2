// The way of the pool over a channel that keeps nothing: who is there, who has had what, and what stays in the outbox.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  ackTimeoutMs,
  type CarrierFrame,
  ChannelCarrier,
} from '../../../../src/commons/pool/service/channel-carrier.ts'
import type { Outgoing, Taken } from '../../../../src/core/pool.ts'
import { isDaybookError } from '../../../../src/core/errors.ts'
import { createVirtualTime, type VirtualTime } from '../../../support/virtual-time.ts'

const accepted: Taken = { result: 'accepted', reason: '' }
const envelope = (id: string): Outgoing => ({
  text: JSON.stringify({ id }),
  type: 'vote',
  key: id,
  group: 'g',
})

let time: VirtualTime
beforeEach(() => {
  time = createVirtualTime()
})

/** A channel on which everybody hears everybody else, in order, after a moment. */
function openChannel() {
  const members = new Map<string, Member>()
  const said: { from: string; talk: CarrierFrame; to: string | undefined }[] = []
  return {
    members,
    said,
    join(name: string, take: (text: string) => Promise<Taken> = () => Promise.resolve(accepted)): Member {
      const member: Member = {
        heard: [],
        ready: 0,
        isDeaf: false,
        carrier: new ChannelCarrier({
          name,
          clock: time.clock,
          scheduler: time.scheduler,
          maxFramesPerSecond: 100,
          sendFrame(talk, to) {
            said.push({ from: name, talk, to })
            time.scheduler.soon(() => {
              for (const [other, one] of members)
                if (other !== name && (to === undefined || to === other) && !one.isDeaf)
                  one.carrier.receive(talk, name)
            })
            return true
          },
        }),
      }
      members.set(name, member)
      member.carrier.open({
        async received(text) {
          const taken = await take(text)
          member.heard.push(text)
          return taken
        },
        ready: () => (member.ready += 1),
      })
      member.carrier.channelOpened()
      return member
    },
  }
}
interface Member {
  readonly carrier: ChannelCarrier
  readonly heard: string[]
  ready: number
  isDeaf: boolean
}

const outcome = (sent: Promise<void>) =>
  sent.then(
    () => 'had',
    (error: unknown) => (isDaybookError(error) ? error.code : String(error)),
  )

describe('A channel that keeps nothing', () => {
  it('keeps an envelope in the outbox while nobody else is there, and asks for it when somebody comes', async () => {
    const { join } = openChannel()
    const a = join('a')
    await time.advance(1000)
    expect(await outcome(a.carrier.send(envelope('1')))).toBe('offline')
    const b = join('b')
    await time.advance(1000)
    expect([a.ready, b.ready]).toEqual([1, 1])
    const sent = outcome(a.carrier.send(envelope('1')))
    await time.advance(1000)
    expect(await sent).toBe('had')
    expect(b.heard).toEqual(['{"id":"1"}'])
  })

  it('lets go of an envelope when everybody who is there has it in his book, and not before', async () => {
    const { join } = openChannel()
    const held = Promise.withResolvers<Taken>()
    const a = join('a')
    const b = join('b')
    const c = join('c', () => held.promise)
    await time.advance(1000)
    let came = 'waits'
    void outcome(a.carrier.send(envelope('1'))).then((one) => (came = one))
    await time.advance(1000)
    expect([b.heard.length, came]).toEqual([1, 'waits'])
    held.resolve(accepted)
    await time.advance(1000)
    expect([c.heard.length, came]).toEqual([1, 'had'])
  })

  it('says the same again to who could not write it', async () => {
    const { join } = openChannel()
    const a = join('a')
    let isFull = true
    const b = join('b', () => (isFull ? Promise.reject(new Error('full')) : Promise.resolve(accepted)))
    await time.advance(1000)
    const sent = outcome(a.carrier.send(envelope('1')))
    await time.advance(ackTimeoutMs + 1000)
    expect(await sent).toBe('offline')
    isFull = false
    const again = outcome(a.carrier.send(envelope('1')))
    await time.advance(1000)
    expect([await again, b.heard.length]).toEqual(['had', 1])
  })

  it('does not wait for ever for who is gone without a word', async () => {
    const { join } = openChannel()
    const a = join('a')
    const b = join('b')
    const c = join('c')
    await time.advance(1000)
    b.isDeaf = true
    const sent = outcome(a.carrier.send(envelope('1')))
    await time.advance(ackTimeoutMs + 1000)
    expect([await sent, c.heard.length]).toEqual(['had', 1])
    expect([...a.carrier.receivers]).toEqual(['c'])
    c.carrier.close()
    await time.advance(1000)
    expect(await outcome(a.carrier.send(envelope('2')))).toBe('offline')
  })

  it('rejects what is under way when the channel is lost, and says who is there when it is back', async () => {
    const { join } = openChannel()
    const a = join('a')
    const b = join('b')
    await time.advance(1000)
    b.isDeaf = true
    const sent = outcome(a.carrier.send(envelope('1')))
    a.carrier.channelClosed()
    expect(await sent).toBe('offline')
    b.isDeaf = false
    a.carrier.channelOpened()
    await time.advance(1000)
    expect([...a.carrier.receivers]).toEqual(['b'])
  })

  it('says no more in a second than the channel takes, and loses nothing of it', async () => {
    const { join, said } = openChannel()
    const a = join('a')
    const b = join('b')
    await time.advance(1000)
    const sent = Array.from({ length: 130 }, (_, n) => outcome(a.carrier.send(envelope(String(n)))))
    await time.advance(900)
    const first = said.length
    expect(first).toBeLessThan(100)
    await time.advance(5000)
    expect(new Set(await Promise.all(sent))).toEqual(new Set(['had']))
    expect(b.heard).toHaveLength(130)
  })

  it('says nothing that was taken back while it waited for its turn', async () => {
    const { join } = openChannel()
    const a = join('a')
    const b = join('b')
    await time.advance(1000)
    let isGone = false
    const isTakenBack = () => isGone
    const sent = Array.from({ length: 130 }, (_, n) =>
      outcome(a.carrier.send({ ...envelope(String(n)), isTakenBack })),
    )
    await time.advance(100)
    const first = b.heard.length
    expect(first).toBeLessThan(100)
    isGone = true
    await time.advance(5000)
    expect(new Set(await Promise.all(sent))).toEqual(new Set(['had']))
    expect(b.heard).toHaveLength(first)
  })

  it('leaves alone what is none of its words', async () => {
    const { join } = openChannel()
    const a = join('a')
    await time.advance(1000)
    for (const data of [
      undefined,
      null,
      1,
      'x',
      {},
      { n: -1, envelope: {} },
      { had: 'all' },
      { n: 1, envelope: [] },
    ])
      a.carrier.receive(data, 'stranger')
    await time.advance(1000)
    expect([a.heard, [...a.carrier.receivers]]).toEqual([[], []])
  })
})
