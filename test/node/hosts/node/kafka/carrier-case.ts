// Kafka as a way of the pool, against a real Apache Kafka: what goes out and in, and what is poison, away, or killed.
import { expect, it } from 'vitest'
import { envelopeTypes } from '../../../../../src/core/pool.ts'
import { accepted, envelope, type KafkaWorld, newGroup } from '../../../../support/kafka/kafka-world.ts'

const topic = (group: string, what: string) => `group.${group}.knowledge.${what}`
const numberOf = (text: string) => (JSON.parse(text) as { n: number }).n

/** Needs the broker of `world`, which it stops and starts again. */
export function carrierCases({ kafka, carry, produce, lying }: KafkaWorld): void {
  it('puts each type into its topic, under the key of what it is about, and gives it to everybody else', async () => {
    const group = newGroup()
    await using a = await carry({ group })
    await using b = await carry({ group })
    const sent = envelopeTypes.map((type, n) => envelope(n, { type, key: `about-${n}` }))
    await Promise.all(sent.map((one) => a.carrier.send(one)))
    await b.came(7)
    expect(b.texts.map(numberOf).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6])
    const found = await lying(group, 7)
    expect(found.map(({ topic: what, key }) => `${what} ${key}`).toSorted()).toEqual([
      'capabilities about-0',
      'decisions about-4',
      'facts about-5',
      'presence about-1',
      'proposals about-2',
      // What is taken back lies where it was proposed, so that it is read after that.
      'proposals about-6',
      'votes about-3',
    ])
    // What a process has sent itself it does not take in.
    expect(a.texts).toEqual([])
    await expect.poll(() => a.carrier.state.own).toBe(7)
  })

  it('keeps the order of what is about one thing', async () => {
    const group = newGroup()
    await using a = await carry({ group })
    const order = new Map<string, number[]>()
    await using b = await carry({
      group,
      async take(text) {
        // Some take longer than others.
        const n = numberOf(text)
        await new Promise((resolve) => setImmediate(resolve))
        if (n % 3 === 0) await new Promise((resolve) => setImmediate(resolve))
        const key = `p-${n % 7}`
        order.set(key, [...(order.get(key) ?? []), n])
        return accepted
      },
    })
    const numbers = Array.from({ length: 700 }, (_, n) => n)
    await Promise.all(numbers.map((n) => a.carrier.send(envelope(n))))
    await b.came(700)
    for (const [key, taken] of order) expect(taken).toEqual(numbers.filter((n) => `p-${n % 7}` === key))
    expect(order.size).toBe(7)
  })

  it('goes on after what nobody can read, and hands every piece of it to the pool', async () => {
    const group = newGroup()
    await using a = await carry({
      group,
      take: (text) =>
        Promise.resolve(text.startsWith('{"n"') ? accepted : { result: 'rejected', reason: 'no JSON' }),
    })
    const good = (n: number) => ({ key: 'k', value: Buffer.from(`{"n":${n}}`) })
    await produce(topic(group, 'votes'), [
      good(1),
      { key: 'k', value: Buffer.from('not JSON') },
      { key: 'k', value: Buffer.from([0xff, 0xfe, 0x00, 0x80]) },
      // A JSON whose text is not UTF-8 throughout must not be taken with a hole in it.
      { key: 'k', value: Buffer.concat([Buffer.from('{"n":"'), Buffer.from([0xc3]), Buffer.from('"}')]) },
      { key: 'k', value: Buffer.alloc(0) },
      { key: 'k' },
      { value: Buffer.alloc(900_000, 'x') },
      { value: Buffer.from('[]') },
      good(2),
    ])
    await a.came(9)
    await expect
      .poll(() => a.carrier.state)
      .toMatchObject({
        state: 'running',
        received: 9,
        results: { accepted: 2, rejected: 7 },
      })
    const isReadable = (text: string) => {
      try {
        return text.startsWith('{"n"') && JSON.parse(text) !== undefined
      } catch {
        return false
      }
    }
    expect(a.texts.filter(isReadable).map(numberOf)).toEqual([1, 2])
  })

  it('gives the same again until the book has taken it, and never passes it over', async () => {
    const group = newGroup()
    let isFull = true
    await using a = await carry({
      group,
      take: () => (isFull ? Promise.reject(new Error('full')) : Promise.resolve(accepted)),
    })
    await produce(topic(group, 'facts'), [{ key: 'f', value: Buffer.from('{"n":1}') }])
    await expect.poll(() => a.carrier.state.state).toBe('waiting')
    expect(a.carrier.degraded()).toBeDefined()
    expect(a.carrier.state.received).toBe(0)
    isFull = false
    await a.came(1)
    await expect.poll(() => a.carrier.state).toMatchObject({ state: 'running', received: 1, lag: 0 })
    expect(a.carrier.degraded()).toBeUndefined()
  })

  it('goes on where it was', async () => {
    const group = newGroup()
    const consumerGroup = `same-${group}`
    const first = await carry({ group, consumerGroup })
    await produce(topic(group, 'votes'), [{ value: Buffer.from('{"n":1}') }])
    await first.came(1)
    await first.carrier.end()
    expect(first.carrier.state).toMatchObject({ state: 'closed', received: 1 })
    await produce(topic(group, 'votes'), [{ value: Buffer.from('{"n":2}') }])
    await using second = await carry({ group, consumerGroup })
    await second.came(1)
    expect(second.texts).toEqual(['{"n":2}'])
  })

  it('rejects what is sent while the broker is away, says when it is back, and lies there once after', async () => {
    const group = newGroup()
    await using a = await carry({ group })
    await using b = await carry({ group })
    await a.carrier.send(envelope(0))
    await b.came(1)
    await kafka().stop()
    await expect(a.carrier.send(envelope(1))).rejects.toMatchObject({ code: 'offline' })
    expect(a.carrier.state.state).toBe('waiting')
    expect(a.carrier.degraded()).toContain('do not answer')
    let told = a.ready
    await kafka().start()
    // As the pool does: given again each time that the way is said to be open, which it may not be for long.
    for (let isSent = false; !isSent;) {
      await expect.poll(() => a.ready, { timeout: 40_000 }).toBeGreaterThan(told)
      told = a.ready
      isSent = await a.carrier.send(envelope(1)).then(
        () => true,
        () => false,
      )
    }
    await b.came(2)
    expect((await lying(group, 2)).map(({ text }) => numberOf(text))).toEqual([0, 1])
    await expect.poll(() => [a.carrier.state.state, b.carrier.state.state]).toEqual(['running', 'running'])
  })
}
