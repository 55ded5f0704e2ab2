// `daybook kafka` as a process, against a real broker.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ended, startDaybook } from '../command-line.ts'
import { type Said, startBridge } from './start-bridge.ts'
import { type KafkaWorld, newGroup } from '../../../../support/kafka/kafka-world.ts'

export function commandCases({ kafka, produce }: KafkaWorld): void {
  let home = ''
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'daybook-kafka-'))
  })
  afterAll(() => rm(home, { recursive: true }))
  const start = (group: string) =>
    startBridge({ broker: kafka().broker, group, home, args: ['--health', '0'] })

  it('answers for its health, ends on SIGTERM, and goes on where it was, killed or not', async () => {
    const group = newGroup()
    const topic = `group.${group}.knowledge.votes`
    const first = start(group)
    const { health = '' } = await first.said(({ event }) => event === 'started')
    await expect.poll(async () => (await fetch(`${health}/health`)).status).toBe(200)
    expect(await (await fetch(`${health}/metrics`)).text()).toContain('daybook_pool_up 1')
    await produce(topic, [{ value: Buffer.from('poison') }, { value: Buffer.from('more') }])
    await expect
      .poll(async () => ((await (await fetch(`${health}/health`)).json()) as Said).received)
      .toBeGreaterThanOrEqual(2)
    const killed = first.end
    first.child.kill('SIGKILL')
    await killed
    await produce(topic, [{ value: Buffer.from('third') }])
    const second = start(group)
    const again = await second.said(({ event }) => event === 'started')
    await expect
      .poll(async () => ((await (await fetch(`${again.health}/health`)).json()) as Said).received)
      .toBeGreaterThanOrEqual(1)
    // Nothing is left, and it says so of itself.
    expect(await second.said(({ event, lag }) => event === 'progress' && lag === 0)).toMatchObject({
      state: 'running',
      perSecond: expect.any(Number) as number,
    })
    second.child.kill('SIGTERM')
    expect((await second.end).code).toBe(0)
  })

  it('says what is wrong and how it is asked, with an exit code', async () => {
    const fresh = join(home, 'fresh')
    const run = (...args: string[]) => ended(startDaybook(['kafka', '--home', fresh, ...args]))
    expect(await run()).toMatchObject({ code: 2 })
    expect(await run('--brokers', 'a b')).toMatchObject({ code: 2 })
    expect(await run('--brokers', '127.0.0.1:1', '--partitions', '3')).toMatchObject({ code: 2 })
    const away = await run('--brokers', '127.0.0.1:1')
    expect([away.code, away.stderr]).toEqual([1, expect.stringContaining('offline')])
    const missing = await run('--brokers', kafka().broker, '--group', newGroup())
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('--create-topics')])
    // The book of the first test is in another group, and stays there.
    const joining = startDaybook([
      'kafka',
      '--home',
      home,
      '--brokers',
      kafka().broker,
      '--group',
      newGroup(),
    ])
    const group = await ended(joining)
    expect([group.code, group.stderr]).toEqual([1, expect.stringContaining('book.pool.configure')])
  })
}
