// Opens a Kafka connection for a pool.
import { anyOption, functionOption, numberOption, optionsOf, textOption } from '../../../core/option-check.ts'
import { toHex } from '../../../core/ids.ts'
import { nodePorts } from '../port/node-ports.ts'
import type { KafkaConnection, KafkaState } from './carrier-state.ts'
import { KafkaCarrier } from './kafka-carrier.ts'
import { type KafkaSettings, readConnection } from './kafka-settings.ts'
import { poolTopics } from './kafka-topics.ts'
import { loadKafka } from './load-kafka.ts'

export interface KafkaOptions extends KafkaSettings {
  /** The group of the topics: `<prefix>.<group>.knowledge.proposals` and five more. */
  readonly group: string
  /** Default `group`. */
  readonly prefix?: string | undefined
  /**
   * The consumer group of this bridge, under which brokers store its offsets. Give each bridge its own, and
   * keep it, or it reads everything again.
   */
  readonly consumerGroup: string
  /** Creates missing topics with so many partitions and replicas. Default: missing topics are `not-found`. */
  readonly createTopics?: { readonly partitions: number; readonly replicas: number } | undefined
  /** Called when its state changes. */
  readonly onState?: ((state: KafkaState) => void) | undefined
}

const optionTable = optionsOf<KafkaOptions>(
  {
    brokers: anyOption,
    tls: anyOption,
    sasl: anyOption,
    group: textOption(200),
    prefix: textOption(200),
    consumerGroup: textOption(200),
    createTopics: optionsOf({ partitions: numberOption(1, 10_000), replicas: numberOption(1, 100) }),
    onState: functionOption,
  },
  ['brokers', 'group', 'consumerGroup'],
)

/** Checks options without asking a broker; throws `invalid-input`. */
export function checkKafkaOptions(options: KafkaOptions): void {
  optionTable(options, '')
  poolTopics(options.group, options.prefix)
  readConnection(options)
}

/**
 * Connects, and checks that the topics exist. Rejects with `invalid-input`, `package-missing` (npm install
 * @platformatic/kafka), `offline` (no broker answers), `unauthorized`, `forbidden` or `not-found` (a topic is
 * missing).
 */
export async function openKafka(options: KafkaOptions): Promise<KafkaConnection> {
  optionTable(options, '')
  const { group, prefix, consumerGroup, createTopics, onState } = options
  const topics = poolTopics(group, prefix)
  const way = readConnection(options)
  const { clock, scheduler, random } = nodePorts
  const carrier = new KafkaCarrier({
    client: await loadKafka(),
    way,
    topics,
    clock,
    scheduler,
    clientId: consumerGroup,
    consumerGroup,
    process: toHex(random.bytes(16)),
    createTopics,
    onState,
  })
  await carrier.prepare()
  return carrier
}
