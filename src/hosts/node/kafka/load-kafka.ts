// Loads the Kafka client, which is an optional package.
import { DaybookError } from '../../../core/errors.ts'

export type KafkaClient = typeof import('@platformatic/kafka')

/**
 * Loads the client. Rejects with `package-missing` if the package isn't installed, or needs another version of Node.
 * `load`: for tests.
 */
export async function loadKafka(
  load: () => Promise<KafkaClient> = () => import('@platformatic/kafka'),
): Promise<KafkaClient> {
  try {
    return await load()
  } catch (cause) {
    throw new DaybookError(
      'package-missing',
      'The bridge to Kafka needs the package @platformatic/kafka (and Node 22.22, 24.6 or newer): npm install @platformatic/kafka',
      { cause, details: { package: '@platformatic/kafka' } },
    )
  }
}
