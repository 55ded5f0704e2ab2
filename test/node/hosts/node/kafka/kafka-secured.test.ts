// The way to a Kafka behind TLS and SASL, against a real one.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KafkaOptions } from '../../../../../src/hosts/node/kafka/open-kafka.ts'
import { createKafkaWorld, envelope, newGroup, skipped } from '../../../../support/kafka/kafka-world.ts'
import { startBridge } from './start-bridge.ts'

const { open, close, kafka, carry, lying } = createKafkaWorld(true)

/** The way to the broker that asks who one is. */
function way(over: Partial<KafkaOptions['sasl']> = {}) {
  const { secured } = kafka()
  if (!secured) throw new Error('It has no such listener.')
  const { broker, ca, user, password } = secured
  const sasl = { mechanism: 'scram-sha-512', username: user, password, ...over } as const
  return { brokers: [broker], tls: { caFile: ca }, sasl }
}

describe.skipIf(skipped !== '')(`Kafka behind TLS and SASL${skipped}`, { timeout: 170_000 }, () => {
  beforeAll(open)
  afterAll(close)

  it('lets in by either mechanism who has the password, over TLS whose certificate is checked', async () => {
    const group = newGroup()
    await using a = await carry({ group, ...way() })
    await using b = await carry({ group, ...way({ mechanism: 'plain' }) })
    await a.carrier.send(envelope(1))
    await b.came(1)
    expect(await lying(group, 1)).toMatchObject([{ topic: 'votes', text: '{"n":1}' }])
  })

  it('is refused with another password, and says so without repeating it', async () => {
    const group = newGroup()
    for (const mechanism of ['scram-sha-512', 'plain'] as const) {
      const refused = carry({ group, ...way({ mechanism, password: 'wrong-password' }) })
      await expect(refused).rejects.toMatchObject({ code: 'unauthorized' })
      await expect(refused).rejects.not.toThrow(/wrong-password/)
    }
  })

  it('sends nothing to a broker for whom nobody vouches', async () => {
    await expect(carry({ group: newGroup(), ...way(), tls: true })).rejects.toMatchObject({ code: 'offline' })
  })

  it('lets in the command by what stands in its environment, and shows none of it', async () => {
    const { broker, ca, user, password } = kafka().secured ?? { broker: '', ca: '', user: '', password: '' }
    const home = await mkdtemp(join(tmpdir(), 'daybook-secured-'))
    const group = newGroup()
    await using ends = new AsyncDisposableStack()
    ends.defer(() => rm(home, { recursive: true }))
    const start = (env: NodeJS.ProcessEnv) =>
      startBridge({
        broker,
        group,
        home,
        args: ['--health', '0'],
        env: {
          DAYBOOK_KAFKA_CA: ca,
          DAYBOOK_KAFKA_SASL: 'SCRAM-SHA-512',
          DAYBOOK_KAFKA_USER: user,
          DAYBOOK_KAFKA_PASSWORD: password,
          ...env,
        },
      })
    await using joined = start({})
    const { health = '' } = await joined.said(({ event }) => event === 'started')
    await expect.poll(async () => (await fetch(`${health}/health`)).status).toBe(200)
    joined.child.kill('SIGTERM')
    expect((await joined.end).code).toBe(0)
    await using refused = start({ DAYBOOK_KAFKA_PASSWORD: 'wrong-password' })
    const { code, stdout, stderr } = await refused.end
    expect([code, stderr]).toEqual([1, expect.stringContaining('unauthorized')])
    expect(`${stdout}${stderr}`).not.toContain('wrong-password')
  })

  it('says which topics are missing, and makes none unasked', async () => {
    const group = newGroup()
    await expect(carry({ group, ...way(), createTopics: undefined })).rejects.toMatchObject({
      code: 'not-found',
      details: { topics: expect.arrayContaining([`group.${group}.knowledge.votes`]) as string[] },
    })
  })
})
