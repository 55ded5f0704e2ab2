// The order in which partitions are asked for, against what a broker does with it: KIP-74, "Add Fetch Response Size Limit in Bytes".
import type { Consumer } from '@platformatic/kafka'
import { describe, expect, it } from 'vitest'
import { rotatePartitions } from '../../../../../src/hosts/node/kafka/kafka-intake.ts'

interface Asked {
  readonly node: number
  readonly topics: readonly {
    readonly topicId: string
    readonly partitions: readonly { partition: number }[]
  }[]
}

/** The partitions that an answer has, in its order. */
type Answer = readonly number[]

const most = 100

/** A broker whose partitions have batches of one size each, without end: it fills an answer as Kafka does. */
function consumerOf(batchBytes: readonly number[]) {
  const fetch = ({ topics }: Asked, done: (answer: Answer) => void) => {
    let room = most
    const answer: number[] = []
    for (const { partitions } of topics)
      for (const { partition } of partitions) {
        const bytes = batchBytes[partition] ?? 0
        // The first batch of an answer is there however large it is.
        if (bytes > room && answer.length > 0) continue
        answer.push(partition)
        room = Math.max(0, room - bytes)
      }
    done(answer)
  }
  const consumer = { fetch }
  rotatePartitions(consumer as unknown as Consumer)
  return consumer
}

/** How often each partition came in `count` answers. */
function came(consumer: ReturnType<typeof consumerOf>, asked: (n: number) => Asked, count: number) {
  const times = new Map<number, number>()
  for (let n = 0; n < count; n++)
    consumer.fetch(asked(n), (answer) => {
      for (const partition of answer) times.set(partition, (times.get(partition) ?? 0) + 1)
    })
  return [...times].toSorted(([a], [b]) => a - b)
}

const all = (node: number, topicId: string, partitions: readonly number[]): Asked => ({
  node,
  topics: partitions.map((partition) => ({ topicId, partitions: [{ partition }] })),
})

describe('the partitions of a topic', () => {
  it('take turns, so that each comes however large its batches are', () => {
    const consumer = consumerOf([60, 60, 60])
    expect(came(consumer, () => all(1, 'votes', [0, 1, 2]), 9)).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ])
  })

  it('leave room for others that are small', () => {
    const consumer = consumerOf([200, 10, 10])
    expect(came(consumer, () => all(1, 'votes', [0, 1, 2]), 9)).toEqual([
      [0, 3],
      [1, 6],
      [2, 6],
    ])
  })

  it('have turns of their own for each topic and each broker that leads some of them', () => {
    const consumer = consumerOf([60, 60, 60, 60])
    const asked = [all(1, 'votes', [0, 1]), all(2, 'votes', [2, 3]), all(1, 'facts', [0, 1])]
    const times = came(consumer, (n) => asked[n % 3] as Asked, 12)
    expect(times).toEqual([
      [0, 4],
      [1, 4],
      [2, 2],
      [3, 2],
    ])
  })

  it('are none where nothing is asked for', () => {
    const consumer = consumerOf([60])
    expect(came(consumer, () => all(1, 'votes', []), 2)).toEqual([])
  })
})
