// What the reader of topics asks its brokers while they go.
import { EventEmitter, once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { KafkaIntake } from '../../../../../src/hosts/node/kafka/kafka-intake.ts'
import type { KafkaClient } from '../../../../../src/hosts/node/kafka/load-kafka.ts'
import { createTestTime } from '../../../../support/test-engine.ts'

/** A consumer whose streams bring nothing, and whose every question is answered with "no broker" when it is closed. */
class LeavingConsumer extends EventEmitter {
  readonly topics = { trackAll: () => undefined }
  readonly fetch = () => undefined
  readonly #asked = Promise.withResolvers<never>()
  readonly #stream = Object.assign(new EventEmitter(), { readableLength: 0, read: () => null })

  consume = () => Promise.resolve(this.#stream)
  listOffsets = () => this.#ask()
  listCommittedOffsets = () => this.#ask()
  metadata = () => this.#ask()

  close(): Promise<void> {
    this.#asked.reject(new Error('Client closed while retrying metadata.'))
    this.#stream.emit('close')
    return Promise.resolve()
  }

  #ask(): Promise<never> {
    this.emit('asked')
    return this.#asked.promise.catch((error: Error) => {
      throw error
    })
  }
}

/** A consumer of two topics, the second of which it opens when a test says so. */
class FailingConsumer extends EventEmitter {
  readonly topics = { trackAll: () => undefined }
  readonly fetch = () => undefined
  readonly streams: EventEmitter[] = []
  readonly second = Promise.withResolvers<void>()
  isClosed = false

  async consume(): Promise<EventEmitter> {
    if (this.streams.length > 0) await this.second.promise
    const stream = Object.assign(new EventEmitter(), { readableLength: 0, read: () => null })
    this.streams.push(stream)
    this.emit('consumed')
    return stream
  }

  close(): Promise<void> {
    this.isClosed = true
    return Promise.resolve()
  }
}

function intakeOf(consumer: EventEmitter) {
  const opened = Promise.withResolvers<void>()
  const intake = new KafkaIntake({
    ...createTestTime().ports,
    // The one class of the client that the intake uses.
    client: {
      Consumer: vi.fn<() => EventEmitter>(function only() {
        return consumer
      }),
    } as unknown as KafkaClient,
    way: { bootstrapBrokers: ['127.0.0.1:9'] },
    clientId: 'one',
    consumerGroup: 'group',
    memberName: 'one',
    topics: ['group.facts', 'group.votes'],
    take: () => Promise.resolve(),
    onCommitted: () => undefined,
    onOpen: () => opened.resolve(),
  })
  return { intake, opened: opened.promise }
}

describe('the reader of topics', () => {
  it('leaves no error that nobody takes when it ends while the brokers are asked how far it is behind', async () => {
    const consumer = new LeavingConsumer()
    const lost: unknown[] = []
    const onLost = (error: unknown) => lost.push(error)
    const { intake, opened } = intakeOf(consumer)
    process.on('unhandledRejection', onLost)
    try {
      const running = intake.run(() => undefined)
      await opened
      const asked = once(consumer, 'asked')
      const lag = intake.lag()
      await asked
      await intake.close()
      await running
      expect(await lag).toBeUndefined()
      await turn()
      expect(lost).toEqual([])
    } finally {
      process.off('unhandledRejection', onLost)
    }
  })

  it('fails, so that it is begun again, when its member does not get back into its group', async () => {
    const consumer = new FailingConsumer()
    consumer.second.resolve()
    const { intake, opened } = intakeOf(consumer)
    const running = intake.run(() => undefined)
    await opened
    // Nobody else hears it: an error event without a listener ends the process.
    consumer.emit('error', new Error('REBALANCE_IN_PROGRESS'))
    await expect(running).rejects.toThrow('REBALANCE_IN_PROGRESS')
    expect(consumer.isClosed).toBe(true)
  })

  it('fails when one topic fails while the next one is opened', async () => {
    const consumer = new FailingConsumer()
    const consumed = once(consumer, 'consumed')
    const { intake } = intakeOf(consumer)
    const running = intake.run(() => undefined)
    await consumed
    await turn()
    consumer.streams[0]?.emit('error', new Error('The broker has gone.'))
    consumer.second.resolve()
    await expect(running).rejects.toThrow('The broker has gone.')
    expect(consumer.isClosed).toBe(true)
  })
})
