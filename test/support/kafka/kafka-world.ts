// A Kafka of the tests' own, ways over it, and what lies in its topics.
import { randomUUID } from 'node:crypto'
import type { Daybook } from '../../../src/book/daybook.ts'
import { defined } from '../../../src/core/defined.ts'
import type { Outgoing, PoolCarrierHooks, Taken } from '../../../src/core/pool.ts'
import type { KafkaConnection } from '../../../src/hosts/node/kafka/carrier-state.ts'
import { openDaybook } from '../../../src/hosts/node/book/open-daybook.ts'
import { loadKafka } from '../../../src/hosts/node/kafka/load-kafka.ts'
import { type KafkaOptions, openKafka } from '../../../src/hosts/node/kafka/open-kafka.ts'
import { missingKafka } from './find-kafka.ts'
import { startKafka, type TestKafka } from './kafka.ts'

const missing = missingKafka()
/** Why these tests are skipped here, as the end of their title; empty where they run. */
export const skipped = missing === undefined ? '' : ` (skipped: ${missing})`

export const accepted: Taken = { result: 'accepted', reason: 'new' }
export const newGroup = (): string => `g${randomUUID().slice(0, 8)}`
export const envelope = (n: number, over: Partial<Outgoing> = {}): Outgoing => ({
  text: JSON.stringify({ n }),
  type: 'vote',
  key: `p-${n % 7}`,
  group: 'g',
  ...over,
})

/** What a topic holds. */
export interface Lying {
  readonly topic: string
  readonly key: string
  readonly text: string
}

export interface ClawOptions {
  readonly broker: string
  readonly group: string
  /** Of its book, its agent and its consumer group. */
  readonly name: string
  /** The file of its book; default none. */
  readonly path?: string | undefined
}

/** A book whose agent is a claw of a group, over Kafka. */
export async function openKafkaClaw({
  broker,
  group,
  name,
  path = ':memory:',
}: ClawOptions): Promise<Daybook & AsyncDisposable> {
  const carrier = await openKafka({
    brokers: [broker],
    group,
    consumerGroup: `${group}.${name}`,
    createTopics: { partitions: 2, replicas: 1 },
  })
  const book = await openDaybook({ name, agent: name, path, pool: { carriers: [carrier] } })
  await book.pool.configure({ group, admission: 'anyone' })
  return book
}

export interface KafkaWorld {
  kafka(): TestKafka
  open(): Promise<void>
  close(): Promise<void>
  /** A way over it, which hands what comes to `take`; its group has its topics made. */
  carry(over: CarryOptions): Promise<Carried>
  /** Puts messages into a topic as any program could. */
  produce(topic: string, messages: readonly Produced[]): Promise<void>
  /** How many messages were ever put into one of the topics of a group. */
  count(group: string, what: string): Promise<number>
  /** Everything in the topics of a group, or in one of them, as a consumer of its own reads it, until there are `count` of them. */
  lying(group: string, count: number, what?: string): Promise<Lying[]>
}

export interface Produced {
  readonly key?: string
  readonly value?: Buffer
  /** When it claims to have been said, milliseconds; default now. */
  readonly timestamp?: bigint
}

export interface CarryOptions extends Partial<KafkaOptions> {
  readonly group: string
  readonly take?: (text: string, at: number | undefined) => Promise<Taken>
}

export interface Carried extends AsyncDisposable {
  readonly carrier: KafkaConnection
  readonly texts: string[]
  /** Resolves when that many have come. */
  came(count: number): Promise<void>
  ready: number
}

export function createKafkaWorld(secured = false): KafkaWorld {
  let kafka: TestKafka | undefined
  const own = (): TestKafka => {
    if (!kafka) throw new Error('Kafka was not started.')
    return kafka
  }
  const base = () => ({ bootstrapBrokers: [own().broker], clientId: 'test' })
  return {
    kafka: own,
    async open() {
      kafka = await startKafka({ secured })
    },
    async close() {
      await kafka?.remove()
    },
    async carry({ take = () => Promise.resolve(accepted), ...options }) {
      const carrier = await openKafka({
        brokers: [own().broker],
        consumerGroup: `c-${randomUUID()}`,
        createTopics: { partitions: 3, replicas: 1 },
        ...options,
      })
      const waiting: { count: number; done: () => void }[] = []
      const carried: Carried = {
        carrier,
        texts: [],
        ready: 0,
        came: (count) =>
          new Promise((done) => {
            if (carried.texts.length >= count) done()
            else waiting.push({ count, done })
          }),
        [Symbol.asyncDispose]: () => carrier.end(),
      }
      const hooks: PoolCarrierHooks = {
        async received(text, at) {
          const taken = await take(text, at)
          carried.texts.push(text)
          for (const { count, done } of waiting) if (carried.texts.length >= count) done()
          return taken
        },
        ready: () => (carried.ready += 1),
      }
      carrier.open(hooks)
      return carried
    },
    async produce(topic, messages) {
      const { Producer } = await loadKafka()
      // What a broker has not answered for is sent again, and lies there once all the same.
      const producer = new Producer({ ...base(), idempotent: true })
      await producer.send({
        messages: messages.map(({ key, value, timestamp }) => ({
          topic,
          ...defined({ timestamp }),
          ...(key === undefined ? {} : { key: Buffer.from(key) }),
          ...defined({ value }),
        })),
      })
      await producer.close()
    },
    async count(group, what) {
      const { Admin } = await loadKafka()
      const admin = new Admin(base())
      const name = `group.${group}.knowledge.${what}`
      const { topics } = await admin.metadata({ topics: [name] })
      const partitions = Array.from({ length: topics.get(name)?.partitionsCount ?? 0 }, (_, partition) => ({
        partitionIndex: partition,
        timestamp: -1n,
      }))
      const [ends] = await admin.listOffsets({ topics: [{ name, partitions }] })
      await admin.close()
      return (ends?.partitions ?? []).reduce((sum, { offset }) => sum + Number(offset), 0)
    },
    async lying(group, count, what) {
      const { Consumer } = await loadKafka()
      const consumer = new Consumer({ ...base(), groupId: `look-${randomUUID()}` })
      const topics =
        what !== undefined ? [what] : ['capabilities', 'presence', 'proposals', 'votes', 'decisions', 'facts']
      const stream = await consumer.consume({
        topics: topics.map((one) => `group.${group}.knowledge.${one}`),
        mode: 'earliest',
        autocommit: false,
        maxWaitTime: 100,
      })
      const found: Lying[] = []
      for await (const { topic, key, value } of stream) {
        found.push({ topic: topic.split('.').at(-1) ?? '', key: String(key), text: String(value) })
        if (found.length >= count) break
      }
      await consumer.close(true)
      return found
    },
  }
}
