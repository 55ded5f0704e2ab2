// The partitions of a topic, asked for in turn. A broker takes them in the order in which they are asked for, and of all but the
// first that has anything it leaves out a batch with no room in what is left of the answer. The client asks in the same order each
// time, so that a partition of large batches would come only when those before it are read to their end (KIP-74).
// Invariant: of as many answers as it has partitions with something, each partition is first in one.
import type { Consumer, FetchOptions } from '@platformatic/kafka'

type Asked = Pick<FetchOptions<Buffer, Buffer, Buffer, Buffer>, 'node' | 'topics'>
type Fetch<Options, Done> = (options: Options, done: Done) => void

/** From now on the partitions of each topic take turns. */
export function takeTurns(consumer: Consumer): void {
  const turns = new Map<string, number>()
  const fetch = consumer.fetch.bind(consumer) as Fetch<Asked, unknown>
  const inTurn: Fetch<Asked, unknown> = (options, done) => {
    const { node, topics } = options
    // A broker that leads some of them is asked for those alone.
    const asked = `${node} ${topics[0]?.topicId ?? ''}`
    const turn = turns.get(asked) ?? 0
    turns.set(asked, turn + 1)
    const first = turn % Math.max(1, topics.length)
    fetch({ ...options, topics: [...topics.slice(first), ...topics.slice(0, first)] }, done)
  }
  Object.assign(consumer, { fetch: inTurn })
}
