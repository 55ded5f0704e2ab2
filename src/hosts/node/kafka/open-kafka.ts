// Checks the options of a Kafka connection, and opens the connection for a pool.
import { anyOption, functionOption, numberOption, optionsOf, textOption } from '../../../core/option-check.ts'
import { toHex } from '../../../core/ids.ts'
import { nodePorts } from '../port/node-ports.ts'
import type { KafkaConnection, KafkaState } from './carrier-state.ts'
import { KafkaCarrier } from './kafka-carrier.ts'
import { type KafkaSettings, readConnection } from './kafka-settings.ts'
import { poolTopics } from './kafka-topics.ts'
import { loadKafka } from './load-kafka.ts'

export interface KafkaOptions extends KafkaSettings {
  /** The group in the names of the topics: `<prefix>.<group>.knowledge.proposals` and five more. */
  readonly group: string
  /** The prefix of the topics. Default `group`. */
  readonly prefix?: string | undefined
  /**
   * The consumer group of this bridge; brokers store the bridge's offsets by it. Each bridge needs its own
   * group, and must keep it: with a new group it reads all messages again.
   */
  readonly consumerGroup: string
  /**
   * Creates missing topics with this number of partitions and replicas. Default: missing topics are the error
   * `not-found`.
   */
  readonly createTopics?: { readonly partitions: number; readonly replicas: number } | undefined
  /** Called when the state or a counter may have changed. */
  readonly onState?: ((state: KafkaState) => void) | undefined
}

const checkOptions = optionsOf<KafkaOptions>(
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

/** Checks options and reads the TLS files, without a connection. Throws `invalid-input`. */
export function checkKafkaOptions(options: KafkaOptions): void {
  checkOptions(options, '')
  poolTopics(options.group, options.prefix)
  readConnection(options)
}

/**
 * Connects to the brokers, and checks that the topics exist. Rejects with `invalid-input`, `package-missing` (run
 * `npm install @platformatic/kafka`), `offline` (no broker answers), `unauthorized`, `forbidden` or `not-found` (a
 * topic is missing).
 */
export async function openKafka(options: KafkaOptions): Promise<KafkaConnection> {
  checkOptions(options, '')
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
