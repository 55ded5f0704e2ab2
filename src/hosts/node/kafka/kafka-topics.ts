// The topics of a pool: `<prefix>.<name>.knowledge.<type>`, one for each type of envelope. Withdrawals use
// the topic of proposals: a topic keeps the order of one key, so no reader gets a withdrawal before its
// proposal.
import { envelopeTypes, type EnvelopeType } from '../../../core/pool.ts'
import { DaybookError, invalidInput } from '../../../core/errors.ts'
import type { KafkaClient } from './load-kafka.ts'
import { brokerCodes } from './kafka-fault.ts'
import type { KafkaConnectionOptions } from './kafka-settings.ts'

/** Last part of the topic's name, by type of envelope. */
const lastParts: Readonly<Record<EnvelopeType, string>> = {
  capabilities: 'capabilities',
  presence: 'presence',
  proposal: 'proposals',
  withdrawal: 'proposals',
  vote: 'votes',
  decision: 'decisions',
  fact: 'facts',
}

/** Allowed characters of a topic name; `longestTopic`: most characters (Kafka: `Topic.validate`). */
const namePattern = /^[A-Za-z0-9._-]+$/
const longestTopic = 249

export interface PoolTopics {
  readonly all: readonly string[]
  topicOf(type: EnvelopeType): string
}

/** The topics of the group `name`. Throws `invalid-input` for an invalid topic name. */
export function poolTopics(name: string, prefix = 'group'): PoolTopics {
  const byType = new Map(
    envelopeTypes.map((type) => [type, `${prefix}.${name}.knowledge.${lastParts[type]}`]),
  )
  for (const [path, part] of Object.entries({ prefix, group: name })) {
    if (namePattern.test(part)) continue
    const message = `\`${path}\` may have letters, digits, dots, dashes and underscores only.`
    throw new DaybookError('invalid-input', message, { details: { path } })
  }
  const all = [...new Set(byType.values())]
  if (all.some((topic) => topic.length > longestTopic))
    throw invalidInput('group', `A topic has at most ${longestTopic} characters`)
  return {
    all,
    topicOf: (type) => byType.get(type) ?? '',
  }
}

export interface NewTopics {
  readonly partitions: number
  readonly replicas: number
}

interface EnsureOptions {
  readonly client: KafkaClient
  /** Brokers, TLS and login. */
  readonly way: KafkaConnectionOptions
  readonly clientId: string
  readonly topics: readonly string[]
  /** Settings to create missing topics. Default: missing topics are the error `not-found`. */
  readonly create?: NewTopics | undefined
}

/**
 * Store the broker's time: senders can claim any time, and the pool counts the rate of an agent by the time
 * of its messages.
 */
const configs = [{ name: 'message.timestamp.type', value: 'LogAppendTime' }]

/**
 * Checks that all topics exist, and creates missing topics with `create`. Call it before anything is read or
 * sent: brokers may create missing topics with unwanted partitions and replicas. Resolves with the topics
 * that were missing.
 */
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
        `Topics are missing: ${missing.join(', ')}. Create them, or add --create-topics.`,
        { details: { topics: missing } },
      )
    try {
      await admin.createTopics({ topics: missing, ...create, configs })
    } catch (error) {
      // Another bridge may have created the topics first.
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
