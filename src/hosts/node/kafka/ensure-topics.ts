// Sees that the topics of a pool are there before anything is read or sent: a topic that a broker makes by itself has as many
// partitions and copies as happens to be set there.
import { DaybookError } from '../../../core/errors.ts'
import type { KafkaClient } from './load-kafka.ts'
import { brokerCodes } from './kafka-fault.ts'
import type { KafkaWay } from './kafka-settings.ts'

export interface NewTopics {
  readonly partitions: number
  readonly replicas: number
}

export interface EnsureOptions {
  readonly client: KafkaClient
  readonly way: KafkaWay
  readonly clientId: string
  readonly topics: readonly string[]
  /** Makes those that are missing; without it that is `not-found`. */
  readonly create?: NewTopics | undefined
}

/** A sender may say any time; how many envelopes of a claw came in a second is counted by the broker's own. */
const configs = [{ name: 'message.timestamp.type', value: 'LogAppendTime' }]

/** Answers which topics were made. */
export async function ensureTopics({
  client,
  way,
  clientId,
  topics,
  create,
}: EnsureOptions): Promise<string[]> {
  const admin = new client.Admin({ ...way, clientId, retries: 1, retryDelay: 250 })
  try {
    const there = new Set(await admin.listTopics())
    const missing = topics.filter((topic) => !there.has(topic))
    if (missing.length === 0) return []
    if (!create)
      throw new DaybookError(
        'not-found',
        `There are no topics ${missing.join(', ')}. Make them, or let them be made: --create-topics.`,
        { details: { topics: missing } },
      )
    try {
      await admin.createTopics({ topics: missing, ...create, configs })
    } catch (error) {
      // Another bridge may have been quicker.
      if (
        !brokerCodes(error).every((code) => code === 'TOPIC_ALREADY_EXISTS') ||
        brokerCodes(error).length === 0
      )
        throw error
    }
    return missing
  } finally {
    await admin.close().catch(() => undefined)
  }
}
