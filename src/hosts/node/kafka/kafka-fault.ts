// Translates Kafka errors to codes of the error table.
// Invariant: no error contains Kafka messages or passwords.
import { DaybookError, isDaybookError } from '../../../core/errors.ts'

/** Broker errors that mean a missing right (Kafka protocol, error codes). */
const refused = new Set([
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
])

interface ClientError extends Error {
  /** The client's code, as `PLT_KFK_AUTHENTICATION`. */
  readonly code?: unknown
  /** The name of a broker's error, as `TOPIC_ALREADY_EXISTS`. */
  readonly apiId?: unknown
  readonly errors?: readonly unknown[]
}

/** Yields an error, its causes, and the errors of an `AggregateError`. */
function* partsOf(error: unknown, depth = 0): Generator<ClientError> {
  if (!(error instanceof Error) || depth > 8) return
  const own = error as ClientError
  yield own
  yield* partsOf(own.cause, depth + 1)
  for (const one of own.errors ?? []) yield* partsOf(one, depth + 1)
}

/** The names of the errors that brokers sent. */
export const brokerCodes = (error: unknown): string[] =>
  [...partsOf(error)].flatMap(({ apiId }) => (typeof apiId === 'string' ? [apiId] : []))

/** Whether the error comes from the Kafka client. */
export const isKafkaFault = (error: unknown): boolean =>
  [...partsOf(error)].some(({ code }) => typeof code === 'string' && code.startsWith('PLT_KFK_'))

/** Translates a failure at `brokers` to `unauthorized`, `forbidden`, or `offline`. */
export function toKafkaFault(error: unknown, brokers: readonly string[]): DaybookError {
  if (isDaybookError(error)) return error
  const parts = [...partsOf(error)]
  const codes = brokerCodes(error)
  const where = brokers.join(', ')
  const details = { brokers: where, code: codes[0] ?? String(parts.at(-1)?.code ?? parts.at(-1)?.name ?? '') }
  const denied = codes.find((code) => refused.has(code))
  if (denied !== undefined)
    return new DaybookError(
      'forbidden',
      `The brokers at ${where} refused: ${denied}. Give this user the right to read and write the topics of the pool, and to use its consumer group.`,
      { details, cause: error },
    )
  if (
    parts.some(({ code }) => code === 'PLT_KFK_AUTHENTICATION') ||
    codes.includes('SASL_AUTHENTICATION_FAILED')
  )
    return new DaybookError(
      'unauthorized',
      `The brokers at ${where} refused the login. Check the SASL settings.`,
      { details, cause: error },
    )
  return new DaybookError(
    'offline',
    `The brokers at ${where} do not answer (${parts.at(-1)?.message ?? String(error)}).`,
    { details, cause: error },
  )
}
