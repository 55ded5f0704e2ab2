// `daybook kafka`: connects the pool of a book to Kafka until the process is interrupted.
// Invariant: secrets come from the environment, and are never printed.
import { setTimeout as pause } from 'node:timers/promises'
import type { Daybook } from '../../../book/daybook.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { KafkaConnection, KafkaState } from '../kafka/carrier-state.ts'
import { serveHealth } from '../kafka/carrier-health.ts'
import { type KafkaSettings, type SaslMechanism, saslMechanisms } from '../kafka/kafka-settings.ts'
import { checkKafkaOptions, type KafkaOptions, openKafka } from '../kafka/open-kafka.ts'
import { type Command, listOf, numberOf, textOf, type Values, UsageError, type Terminal } from './command.ts'
import { readEdge } from './sync-memory.ts'

/** The group in the configuration of a pool that was never configured. */
const defaultGroup = 'daybook'
/** Longest wait until the connection has closed. */
const closingLimitMs = 10_000

export const runKafka: Command = {
  name: 'kafka',
  summary:
    'Joins the knowledge pool of a book to Apache Kafka. Ends with SIGTERM or Ctrl-C; resumes where it stopped.',
  operands: '',
  options: {
    brokers: { type: 'string' },
    group: { type: 'string' },
    prefix: { type: 'string' },
    'consumer-group': { type: 'string' },
    'create-topics': { type: 'boolean' },
    partitions: { type: 'string' },
    replicas: { type: 'string' },
    edge: { type: 'string' },
    at: { type: 'string' },
    health: { type: 'string' },
    every: { type: 'string' },
  },
  help: {
    brokers: '<list>   host:port of one or more brokers (or $DAYBOOK_KAFKA_BROKERS)',
    group: '<name>     the group of the pool, as in its topics, default daybook',
    prefix: '<name>    the prefix of its topics, default group: group.daybook.knowledge.votes',
    'consumer-group': '<name>  the consumer group at the brokers, default daybook.<group>.<book>',
    'create-topics': ' create missing topics',
    partitions: '<n>   for a new topic, default 3',
    replicas: '<n>     for a new topic, default 1',
    edge: '<url>       the mirror of the book, over a live line; its key is read from DAYBOOK_KEY',
    at: '<name>        the book there, default the name of the agent',
    health: '<port>    answer GET /health and /metrics on this port of 127.0.0.1 (or $HOST)',
    every: '<seconds>  how often to report progress, default 10',
  },
  async run({ values, terminal, signal, open }) {
    const group = textOf(values, 'group') ?? defaultGroup
    const named = textOf(values, 'at') ?? textOf(values, 'agent')
    if (values['book'] !== undefined && (named ?? values['consumer-group']) === undefined)
      throw new UsageError(
        '--book needs --consumer-group: two memories with one group would share their messages',
      )
    const book = named ?? 'agent'
    const watch = createWatch(terminal, values['json'] === true)
    const options: KafkaOptions = {
      ...readSettings(values),
      group,
      prefix: textOf(values, 'prefix'),
      consumerGroup: textOf(values, 'consumer-group') ?? `daybook.${group}.${book}`,
      createTopics: newTopics(values),
      onState: watch.changed,
    }
    checkKafkaOptions(options)
    const edge = values['edge'] === undefined ? undefined : readEdge(values)
    const port = numberOf(values, 'health', 0, 65_535)
    const everyMs = (numberOf(values, 'every', 1, 86_400) ?? 10) * 1000
    // Configure the group before the connection: the book rejects envelopes of an unknown group for good.
    // `alone`: the book without the carrier.
    const alone = await open({ create: true, ...(edge ? { edge } : {}) })
    if (edge) await syncFirst(alone)
    const isConfigured = await checkGroup(alone, group)
    const carrier = await openKafka(options)
    if (!isConfigured) await alone.pool.configure({ group })
    await alone.close()
    const joined = await open({ create: true, carriers: [carrier], ...(edge ? { edge, live: true } : {}) })
    const health =
      port === undefined
        ? undefined
        : await serveHealth({ host: process.env['HOST'] || '127.0.0.1', port, state: () => carrier.state })
    try {
      watch.started(carrier, health?.url)
      await watch.go(carrier, everyMs, signal)
      // Close the book before the carrier: closing announces the end of this participant over the carrier.
      await joined.close()
      await Promise.race([carrier.closed, pause(closingLimitMs, undefined, { ref: false })])
      watch.ended(carrier)
    } finally {
      await health?.[Symbol.asyncDispose]()
    }
  },
}

/**
 * Syncs once, because only the mirror may have the pool's configuration. `offline` is an error only if the
 * book was never synced.
 */
async function syncFirst(book: Daybook): Promise<void> {
  try {
    await book.sync()
  } catch (error) {
    const { lastSyncedAt } = (await book.status()).sync
    if (!isDaybookError(error, 'offline') || lastSyncedAt === undefined) throw error
  }
}

/**
 * Whether the book's pool is in `group`; false if the pool isn't configured. Rejects with `conflict` for
 * another group.
 */
async function checkGroup(book: Daybook, group: string): Promise<boolean> {
  // Without changes it only returns the configuration.
  const { config } = await book.pool.configure()
  if (config.group === group) return true
  if (config.group === defaultGroup) return false
  throw new DaybookError(
    'conflict',
    `The pool of this book is in the group ${config.group}. Use --group ${config.group}, or configure it for ${group}: book.pool.configure({ group }).`,
    { details: { path: '--group', group: config.group } },
  )
}

function newTopics(values: Values): { partitions: number; replicas: number } | undefined {
  const partitions = numberOf(values, 'partitions', 1, 10_000)
  const replicas = numberOf(values, 'replicas', 1, 100)
  if (values['create-topics'] === true) return { partitions: partitions ?? 3, replicas: replicas ?? 1 }
  if (partitions !== undefined || replicas !== undefined)
    throw new UsageError('--partitions and --replicas need --create-topics')
  return undefined
}

/**
 * The settings of the connection. Secrets come from the environment, because every process of the machine can
 * read arguments.
 */
function readSettings(values: Values): KafkaSettings {
  const { env } = process
  const brokers = listOf(values, 'brokers') ?? listOf({ brokers: env['DAYBOOK_KAFKA_BROKERS'] }, 'brokers')
  if (!brokers) throw new UsageError('daybook kafka needs --brokers')
  const mechanism = env['DAYBOOK_KAFKA_SASL']?.toLowerCase() || undefined
  if (mechanism !== undefined && !saslMechanisms.some((one) => one === mechanism))
    throw new UsageError(`DAYBOOK_KAFKA_SASL must be one of ${saslMechanisms.join(', ')}`)
  const files = {
    caFile: env['DAYBOOK_KAFKA_CA'] || undefined,
    certificateFile: env['DAYBOOK_KAFKA_CERTIFICATE'] || undefined,
    keyFile: env['DAYBOOK_KAFKA_CERTIFICATE_KEY'] || undefined,
  }
  const isSecured =
    readFlag(env['DAYBOOK_KAFKA_TLS']) ?? Object.values(files).some((file) => file !== undefined)
  return {
    brokers,
    tls: isSecured ? files : false,
    ...(mechanism === undefined
      ? {}
      : {
          sasl: {
            mechanism: mechanism as SaslMechanism,
            username: env['DAYBOOK_KAFKA_USER'],
            password: env['DAYBOOK_KAFKA_PASSWORD'],
            token: env['DAYBOOK_KAFKA_TOKEN'],
          },
        }),
  }
}

function readFlag(text: string | undefined): boolean | undefined {
  if (text === undefined || text === '') return undefined
  if (/^(?:1|true|yes|on)$/i.test(text)) return true
  if (/^(?:0|false|no|off)$/i.test(text)) return false
  throw new UsageError('DAYBOOK_KAFKA_TLS must be true or false')
}

interface More {
  readonly name?: string
  readonly health?: string | undefined
  /** Messages received per second since the last report. */
  readonly perSecond?: number
}

/** Prints reports as lines of text or JSON: at intervals, and when the state changes. */
function createWatch(terminal: Terminal, isJson: boolean) {
  let shown: KafkaState['state'] = 'starting'
  let isEnding = false
  const say = (event: string, state: KafkaState, more: More = {}) => {
    if (isJson) terminal.answer({ event, at: new Date().toISOString(), ...more, ...state }, '')
    else terminal.note(`${event}: ${wordsOf(state, more.perSecond)}`)
  }
  return {
    changed(state: KafkaState) {
      if (state.state === shown || isEnding) return
      shown = state.state
      if (state.state === 'waiting') say('waiting', state)
      else if (state.state === 'running') say('running', state)
    },
    started({ state, name }: KafkaConnection, health: string | undefined) {
      if (isJson) say('started', state, { name, health })
      else
        terminal.note(`Joined to Kafka as ${name}.${health === undefined ? '' : ` Health: ${health}/health`}`)
    },
    async go(carrier: KafkaConnection, everyMs: number, signal: AbortSignal) {
      while (!signal.aborted) {
        const { received: before } = carrier.state
        await pause(everyMs, undefined, { signal }).catch(() => undefined)
        const { state } = carrier
        const perSecond = Math.round(((state.received - before) / everyMs) * 1000)
        if (!signal.aborted) say('progress', state, { perSecond })
      }
      isEnding = true
    },
    ended({ state }: KafkaConnection) {
      say('ended', state)
    },
  }
}

function wordsOf(
  { state, error, received, results, sent, lag }: KafkaState,
  perSecond: number | undefined,
): string {
  const made = Object.entries(results)
    .filter(([, count]) => count > 0)
    .map(([result, count]) => `${count.toLocaleString('en')} ${result}`)
  return [
    state === 'waiting' ? `waiting (${error?.code}: ${error?.message})` : state,
    `received ${received.toLocaleString('en')}${made.length > 0 ? ` (${made.join(', ')})` : ''}`,
    ...(perSecond === undefined ? [] : [`${perSecond.toLocaleString('en')}/s`]),
    `sent ${sent.toLocaleString('en')}`,
    ...(lag === undefined ? [] : [`lag ${lag.toLocaleString('en')}`]),
  ].join(', ')
}
