// When a broker had a message, in topics that keep that (`message.timestamp.type=LogAppendTime`).
// The client tells what the sender says instead: the broker leaves the times of the single records as they came, and says in
// the head of their batch that its own one stands for all of them (KIP-32).
import type { Callback, Consumer, FetchOptions } from '@platformatic/kafka'

/** The bit of the attributes of a batch that says so. */
const appendTimeBit = 8

interface Batch {
  readonly attributes: number
  readonly maxTimestamp: bigint
  firstTimestamp: bigint
  readonly records: readonly { timestampDelta: bigint }[]
}

/** What of an answer is looked at. */
interface Fetched {
  readonly responses: readonly {
    readonly partitions: readonly { readonly records?: readonly Batch[] | null }[]
  }[]
}

type Fetch = (options: FetchOptions<Buffer, Buffer, Buffer, Buffer>, done: Callback<Fetched>) => void

/** From now on the messages of such topics bear the time of the broker. */
export function tellAppendTime(consumer: Consumer): void {
  const fetch = consumer.fetch.bind(consumer) as Fetch
  const told: Fetch = (options, done) =>
    fetch(options, (error, fetched) => {
      if (fetched) stampAll(fetched)
      done(error, fetched)
    })
  Object.assign(consumer, { fetch: told })
}

function stampAll({ responses }: Fetched): void {
  for (const { partitions } of responses)
    for (const { records: batches } of partitions) for (const batch of batches ?? []) stamp(batch)
}

function stamp(batch: Batch): void {
  if ((batch.attributes & appendTimeBit) === 0) return
  batch.firstTimestamp = batch.maxTimestamp
  for (const record of batch.records) record.timestampDelta = 0n
}
