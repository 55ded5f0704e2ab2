// Topics read as one: in what order, and who is waited for.
import { EventEmitter } from 'node:events'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Timed, TopicMerge } from '../../../../../src/hosts/node/kafka/topic-merge.ts'
import { createTestTime } from '../../../../support/test-engine.ts'

interface Message extends Timed {
  readonly topic: string
  readonly n: number
}

/** A topic whose messages come when a test says so. */
class FakeTopic extends EventEmitter {
  readonly #here: Message[] = []

  get readableLength(): number {
    return this.#here.length
  }

  read(): Message | null {
    return this.#here.shift() ?? null
  }

  bring(...messages: Message[]): void {
    this.emit('fetch')
    this.#here.push(...messages)
    if (messages.length > 0) this.emit('readable')
  }
}

const { ports, pass } = createTestTime()
let serial = 0
const message = (topic: string, at: number, partition = 0, bytes = 10): Message => ({
  topic,
  partition,
  timestamp: BigInt(at),
  key: undefined,
  value: Buffer.alloc(bytes),
  n: ++serial,
})

function merged(count: number) {
  const streams = Array.from({ length: count }, () => new FakeTopic())
  const merge = new TopicMerge<Message>(ports)
  const others = new Set<FakeTopic>()
  for (const stream of streams) merge.add({ stream, isOurs: () => !others.has(stream) })
  /** From now on somebody else reads it. */
  const giveAway = (n: number) => void others.add(streams[n] ?? expect.unreachable())
  return { streams, merge, giveAway }
}
const long = () => ports.clock.now() - 3_600_000
const ns = (batch: readonly Message[] | undefined) => batch?.map(({ n }) => n)

describe('topics read as one', () => {
  it('bring the oldest first, however unequal they are', async () => {
    const { streams, merge } = merged(2)
    const at = long()
    const facts = [1, 2, 3].map((n) => message('facts', at + n * 100))
    const votes = [0, 1, 2, 3].flatMap((n) => [
      message('votes', at + n * 100 - 2),
      message('votes', at + n * 100 - 1),
    ])
    streams[0]?.bring(...facts)
    streams[1]?.bring(...votes)
    const all = [...facts, ...votes].toSorted((a, b) => Number(a.timestamp - b.timestamp))
    // What is left of the one is younger than anything of the other may be.
    expect(ns(await merge.next(100))).toEqual(ns(all.slice(0, -1)))
    streams[1]?.bring()
    expect(ns(await merge.next(100))).toEqual(ns(all.slice(-1)))
  })

  it('wait for one that may have older ones, and not for one that has nothing', async () => {
    const { streams, merge } = merged(3)
    const fact = message('facts', long())
    streams[0]?.bring(fact)
    streams[1]?.bring()
    let isHere = false
    const next = merge.next(100).finally(() => (isHere = true))
    await pass(500)
    expect(isHere).toBe(false)
    const vote = message('votes', long() - 1000)
    streams[2]?.bring(vote)
    expect(ns(await next)).toEqual([vote.n])
    // It has brought all that it had, and is asked again.
    streams[2]?.bring()
    expect(ns(await merge.next(100))).toEqual([fact.n])
  })

  it('wait for none that somebody else reads now', async () => {
    const { streams, merge, giveAway } = merged(2)
    const fact = message('facts', long())
    streams[0]?.bring(fact)
    const next = merge.next(100)
    await pass(1000)
    giveAway(1)
    await pass(5100)
    expect(ns(await next)).toEqual([fact.n])
    const nothing = merge.next(100)
    for (let seconds = 0; seconds < 120; seconds += 30) {
      await pass(30_000)
      streams[0]?.bring()
    }
    const late = message('facts', long())
    streams[0]?.bring(late)
    expect(ns(await nothing)).toEqual([late.n])
  })

  it('fail when one that is read says nothing for a minute, and run ahead of it never', async () => {
    const { streams, merge } = merged(2)
    const fact = message('facts', long())
    streams[1]?.bring(message('votes', long() - 1000))
    streams[0]?.bring(fact)
    await pass(0)
    expect(await merge.next(100)).toHaveLength(1)
    const next = merge.next(100).catch((error: unknown) => error)
    // The other one has something all the time.
    for (let seconds = 0; seconds < 70; seconds += 10) {
      streams[0]?.bring(message('facts', long()))
      await pass(10_000)
    }
    expect(await next).toMatchObject({ code: 'offline' })
  })

  it('fail when one that had nothing says nothing more', async () => {
    const { streams, merge } = merged(2)
    for (const stream of streams) stream.bring()
    const next = merge.next(100).catch((error: unknown) => error)
    for (let seconds = 0; seconds < 70; seconds += 10) {
      streams[0]?.bring()
      await pass(10_000)
    }
    expect(await next).toMatchObject({ code: 'offline' })
  })

  it('count no silence against one whose messages are still held', async () => {
    const { streams, merge } = merged(2)
    const old = message('facts', long())
    streams[0]?.bring(old, message('facts', long() + 5000))
    streams[1]?.bring(message('votes', long() + 1000))
    expect(ns(await merge.next(1))).toEqual([old.n])
    await pass(300_000)
    expect(await merge.next(1)).toHaveLength(1)
  })

  it('bring at once what was said just now', async () => {
    const { streams, merge } = merged(2)
    const vote = message('votes', ports.clock.now() - 1000)
    streams[0]?.bring(vote)
    expect(ns(await merge.next(100))).toEqual([vote.n])
  })

  it('hold back nothing behind a message from the future', async () => {
    const { streams, merge } = merged(2)
    const ahead = message('votes', ports.clock.now() + 86_400_000)
    const behind = message('votes', long())
    streams[0]?.bring(ahead, behind)
    streams[1]?.bring()
    expect(ns(await merge.next(100))).toEqual([ahead.n])
    expect(ns(await merge.next(100))).toEqual([behind.n])
  })

  it('bring what is old of a partition before what others have run ahead with', async () => {
    const { streams, merge } = merged(2)
    const at = long()
    const [known, old, fact] = [
      message('votes', at, 1),
      message('votes', at + 1, 1),
      message('facts', at + 5),
    ]
    const ahead = Array.from({ length: 5 }, (_, n) => message('votes', at + 10 + n, 0, 900_000))
    streams[0]?.bring(fact)
    streams[1]?.bring(known)
    expect(ns(await merge.next(1))).toEqual([known.n])
    streams[1]?.bring(...ahead, old)
    expect(ns(await merge.next(2))).toEqual([old.n, fact.n])
  })

  it('end when one ends, and fail when one fails', async () => {
    const first = merged(2)
    const next = first.merge.next(1)
    first.streams[1]?.emit('close')
    expect(await next).toBeUndefined()
    const second = merged(2)
    const failing = second.merge.next(1)
    second.streams[0]?.emit('error', new Error('away'))
    await expect(failing).rejects.toThrow('away')
  })

  it('bring everything once, each partition in its order, and hold no more than is agreed', async () => {
    const any = fc.record({
      topic: fc.nat(2),
      partition: fc.nat(2),
      ago: fc.integer({ min: -100_000, max: 10_000_000 }),
      bytes: fc.constantFrom(0, 10, 900_000),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(any, { maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        async (said, limit) => {
          const { streams, merge } = merged(3)
          const now = ports.clock.now()
          const all = said.map(({ topic, partition, ago, bytes }) =>
            message(String(topic), now - ago, partition, bytes),
          )
          for (const [n, stream] of streams.entries()) {
            stream.bring(...all.filter(({ topic }) => topic === String(n)))
          }
          const got: Message[] = []
          while (got.length < all.length) {
            const next = merge.next(limit)
            await pass(500)
            // Those that have brought all that they had are asked again.
            for (const stream of streams) stream.bring()
            const batch = await next
            expect(batch?.length).toBeLessThanOrEqual(limit)
            got.push(...(batch ?? []))
            const lying = streams.reduce((sum, { readableLength }) => sum + readableLength, 0)
            expect(all.length - got.length - lying).toBeLessThanOrEqual(3 * 60)
          }
          for (const topic of ['0', '1', '2'])
            for (const partition of [0, 1, 2]) {
              const of = (list: readonly Message[]) =>
                ns(list.filter((one) => one.topic === topic && one.partition === partition))
              expect(of(got)).toEqual(of(all))
            }
        },
      ),
      { numRuns: 50 },
    )
  })
})
