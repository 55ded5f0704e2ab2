// Whether what a book works with answers: the edge, an embedder, the brokers of Kafka. Invariant: keys are sent to whom they are
// for and to nobody else, and stand in no finding.
import { type Finding, fault, ok, warning } from './finding.ts'

/** How long an answer is waited for. */
const patienceMs = 3000

export interface Asked {
  readonly url: string | undefined
  readonly book: string | undefined
}

export async function checkServices(
  { url, book }: Asked,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Finding[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  return [
    ...(url === undefined ? [] : [await checkEdge({ url, book }, env['DAYBOOK_KEY'], limit)]),
    ...(await checkEmbedder(env, limit)),
    ...checkKafka(env),
  ]
}

async function checkEdge(
  { url, book }: { url: string; book: string | undefined },
  key: string | undefined,
  signal: AbortSignal,
): Promise<Finding> {
  const headers: Record<string, string> = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(book === undefined ? {} : { 'x-daybook-book': book }),
  }
  try {
    const response = await fetch(`${url.replace(/\/$/, '')}/health`, { headers, signal })
    const told = (await response.json()) as { wire?: number; database?: string; code?: string; book?: object }
    if (response.ok) {
      const more = told.book === undefined ? '' : `, and the book ${book} with it`
      return ok('edge', `${url} answers, wire ${told.wire}${more}`)
    }
    const why = told.code ?? (told.database === 'down' ? 'its database is down' : `status ${response.status}`)
    return fault('edge', `${url} answers, and says no: ${why}`, wayOut(told.code))
  } catch (error) {
    return fault(
      'edge',
      `${url} does not answer: ${reasonOf(error)}`,
      'Check the address, the network, and whether the edge runs.',
    )
  }
}

const wayOut = (code: string | undefined) =>
  code === 'unauthorized' || code === 'forbidden'
    ? 'Set $DAYBOOK_KEY to a key of that book.'
    : 'Read what the edge has logged.'

/** The embedder of the environment, as the edge takes it. */
async function checkEmbedder(
  { DAYBOOK_EMBED_URL: url }: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Finding[]> {
  if (url === undefined) return []
  try {
    // Any answer shows that somebody is there; texts cost, and are not sent.
    const { status } = await fetch(url, { method: 'HEAD', signal })
    return [ok('embedder', `${new URL(url).origin} answers, status ${status}`)]
  } catch (error) {
    return [
      fault(
        'embedder',
        `$DAYBOOK_EMBED_URL does not answer: ${reasonOf(error)}`,
        'Check the address; recall goes on by words alone meanwhile.',
      ),
    ]
  }
}

const kafkaPrefix = 'DAYBOOK_KAFKA_'

function checkKafka(env: NodeJS.ProcessEnv): Finding[] {
  const names = Object.keys(env)
    .filter((name) => name.startsWith(kafkaPrefix) && env[name] !== '')
    .toSorted()
  if (names.length === 0) return []
  const says = `set: ${names.map((name) => `$${name}`).join(', ')}`
  if (names.includes(`${kafkaPrefix}BROKERS`)) return [ok('kafka', says)]
  return [warning('kafka', says, 'Set $DAYBOOK_KAFKA_BROKERS too, or give --brokers.')]
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `nothing within ${patienceMs / 1000} s`
  // Where there are several addresses, several things went wrong.
  const { cause } = error
  const first = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause
  return first instanceof Error && 'code' in first ? String(first.code) : error.message
}
