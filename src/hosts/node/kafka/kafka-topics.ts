// The topics of a pool: `<prefix>.<name>.knowledge.<what>`, one for each type of envelope, but that a withdrawal goes where its
// proposal went. One key of one topic keeps its order: nobody reads the withdrawal before the proposal.
import { envelopeTypes, type EnvelopeType } from '../../../core/pool/pool-carrier.ts'
import { DaybookError } from '../../../core/errors.ts'

/** What the last part of a topic is, by the type of the envelopes in it. */
const lastParts: Readonly<Record<EnvelopeType, string>> = {
  capabilities: 'capabilities',
  presence: 'presence',
  proposal: 'proposals',
  withdrawal: 'proposals',
  vote: 'votes',
  decision: 'decisions',
  fact: 'facts',
}

/** What a name of a topic may consist of, and how long one is (Kafka: `Topic.validate`). */
const namePattern = /^[A-Za-z0-9._-]+$/
const longestTopic = 249

export interface PoolTopics {
  readonly all: readonly string[]
  topicOf(type: EnvelopeType): string
}

/** The topics of the group `name`; throws `invalid-input` for names that no topic has. */
export function poolTopics(name: string, prefix = 'group'): PoolTopics {
  const byType = new Map(
    envelopeTypes.map((type) => [type, `${prefix}.${name}.knowledge.${lastParts[type]}`]),
  )
  for (const [path, part] of Object.entries({ prefix, group: name })) {
    if (namePattern.test(part)) continue
    const message = `\`${path}\`: letters, digits, dots, dashes and underscores are wanted.`
    throw new DaybookError('invalid-input', message, { details: { path } })
  }
  const all = [...new Set(byType.values())]
  if (all.some((topic) => topic.length > longestTopic))
    throw new DaybookError('invalid-input', `\`group\`: a topic has at most ${longestTopic} characters.`, {
      details: { path: 'group' },
    })
  return {
    all,
    topicOf: (type) => byType.get(type) ?? '',
  }
}
