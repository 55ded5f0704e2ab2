// An envelope that waits at the producer for others to be sent, and is taken back meanwhile.
import { expect, it, vi } from 'vitest'
import type { Outgoing } from '../../../../../src/core/pool.ts'
import { toDaybookError } from '../../../../../src/core/errors.ts'
import { KafkaOutlet } from '../../../../../src/hosts/node/kafka/kafka-outlet.ts'
import { poolTopics } from '../../../../../src/hosts/node/kafka/kafka-topics.ts'
import type { KafkaClient } from '../../../../../src/hosts/node/kafka/load-kafka.ts'

it('is not sent, and is waited for no longer', async () => {
  const sent: string[][] = []
  const broker = Promise.withResolvers<void>()
  const producer = {
    async send({ messages }: { messages: { value: string }[] }) {
      sent.push(messages.map(({ value }) => value))
      await broker.promise
    },
    close: () => Promise.resolve(),
  }
  const outlet = new KafkaOutlet({
    // What the outlet uses of the client.
    client: {
      stringSerializers: {},
      ProduceAcks: { ALL: -1 },
      Producer: vi.fn<() => typeof producer>(function only() {
        return producer
      }),
    } as unknown as KafkaClient,
    way: { bootstrapBrokers: ['127.0.0.1:9'] },
    clientId: 'one',
    topics: poolTopics('ops'),
    process: 'p',
    onSent: () => undefined,
    onFailed: toDaybookError,
  })
  const envelope = (text: string): Outgoing => ({ text, type: 'vote', key: text, group: 'ops' })
  const first = outlet.send(envelope('first'))
  await vi.waitFor(() => expect(sent).toEqual([['first']]))
  let isGone = false
  const second = outlet.send({ ...envelope('second'), isTakenBack: () => isGone })
  const third = outlet.send(envelope('third'))
  isGone = true
  broker.resolve()
  await Promise.all([first, second, third])
  expect(sent).toEqual([['first'], ['third']])
})
