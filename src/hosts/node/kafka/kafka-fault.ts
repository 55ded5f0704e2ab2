// What goes wrong on the way to Kafka, in the words of the error table. What was sent, and with which password, is in none.
import { DaybookError, isDaybookError } from '../../../core/errors.ts'

/** What the brokers refuse for good, whoever asks again: their own names of it (Kafka protocol, error codes). */
const refused = new Set([
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
])

interface ClientError extends Error {
  readonly code?: unknown
  readonly apiId?: unknown
  readonly errors?: readonly unknown[]
}

/** An error and everything that it was made of. */
function* partsOf(error: unknown, depth = 0): Generator<ClientError> {
  if (!(error instanceof Error) || depth > 8) return
  const own = error as ClientError
  yield own
  yield* partsOf(own.cause, depth + 1)
  for (const one of own.errors ?? []) yield* partsOf(one, depth + 1)
}

/** The names that brokers give to what went wrong. */
export const brokerCodes = (error: unknown): string[] =>
  [...partsOf(error)].flatMap(({ apiId }) => (typeof apiId === 'string' ? [apiId] : []))

/** Whether it was the client of Kafka that failed. */
export const isKafkaFault = (error: unknown): boolean =>
  [...partsOf(error)].some(({ code }) => typeof code === 'string' && code.startsWith('PLT_KFK_'))

/** What failed on the way to `brokers`: `unauthorized`, `forbidden`, or `offline`, which waits and tries again. */
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
      `The brokers at ${where} refuse it: ${denied}. Give this user the right to read and write the topics of the pool, and to its consumer group.`,
      { details, cause: error },
    )
  if (
    parts.some(({ code }) => code === 'PLT_KFK_AUTHENTICATION') ||
    codes.includes('SASL_AUTHENTICATION_FAILED')
  )
    return new DaybookError(
      'unauthorized',
      `The brokers at ${where} take neither this user nor this way to log in. Check the SASL settings.`,
      { details, cause: error },
    )
  return new DaybookError(
    'offline',
    `The brokers at ${where} do not answer (${parts.at(-1)?.message ?? String(error)}).`,
    { details, cause: error },
  )
}
