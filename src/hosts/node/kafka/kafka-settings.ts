// Where the brokers are, and how this process shows who it is.
// Invariant: a password or a token crosses no plain connection but on this machine, and is in no message and no log.
import { readFileSync } from 'node:fs'
import { isOwnName } from '../../../core/address.ts'
import { DaybookError } from '../../../core/errors.ts'

export const saslMechanisms = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'] as const
export type SaslMechanism = (typeof saslMechanisms)[number]

export interface KafkaTls {
  /** A file with the certificate of who vouches for the brokers; by default those that Node knows. */
  readonly caFile?: string | undefined
  /** Files with this client's own certificate and its key, where brokers ask for one. */
  readonly certificateFile?: string | undefined
  readonly keyFile?: string | undefined
}

export interface KafkaSasl {
  readonly mechanism: SaslMechanism
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** For `oauthbearer`. */
  readonly token?: string | undefined
}

export interface KafkaSettings {
  /** `host:port`; a port that is left out is 9092. */
  readonly brokers: readonly string[]
  /** TLS, and how; absent or false: plain connections. */
  readonly tls?: boolean | KafkaTls | undefined
  readonly sasl?: KafkaSasl | undefined
}

const brokerPattern = /^(\[[0-9a-f:.]+\]|[A-Za-z0-9._-]{1,253})(?::(\d{1,5}))?$/i
const defaultPort = 9092

const wrong = (path: string, message: string) =>
  new DaybookError('invalid-input', `\`${path}\`: ${message}.`, { details: { path } })

/** `host:port` of each broker, or `invalid-input` at `brokers`. */
export function checkBrokers(brokers: readonly string[]): string[] {
  if (brokers.length === 0) throw wrong('brokers', 'at least one broker is wanted, as `host:9092`')
  return brokers.map((broker, n) => {
    const [, host = '', port = String(defaultPort)] = brokerPattern.exec(broker) ?? []
    if (host === '' || Number(port) < 1 || Number(port) > 65_535)
      throw wrong(`brokers.${n}`, 'a name and a port are wanted, as `host:9092`')
    return `${host}:${port}`
  })
}

/** What a client of Kafka is told of its way to the brokers. */
export interface KafkaWay {
  readonly bootstrapBrokers: string[]
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** TLS servers are asked for by their own names. */
  readonly tlsServerName?: true
  readonly sasl?: {
    readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512' | 'OAUTHBEARER'
    readonly username?: string
    readonly password?: string
    readonly token?: string
  }
}

/** Reads the files and checks that all of it goes together; `invalid-input` says what does not. */
export function readWay({ brokers, tls, sasl }: KafkaSettings): KafkaWay {
  const bootstrapBrokers = checkBrokers(brokers)
  const isPlain = tls === undefined || tls === false
  if (sasl && isPlain && !bootstrapBrokers.every(isHere))
    throw wrong('tls', 'a password or a token goes over TLS only, except to this machine')
  return {
    bootstrapBrokers,
    ...(isPlain ? {} : { tls: readTls(tls === true ? {} : tls), tlsServerName: true as const }),
    ...(sasl ? { sasl: checkSasl(sasl) } : {}),
  }
}

const isHere = (broker: string) => isOwnName(broker.slice(0, broker.lastIndexOf(':')).toLowerCase())

function readTls({ caFile, certificateFile, keyFile }: KafkaTls): NonNullable<KafkaWay['tls']> {
  if ((certificateFile === undefined) !== (keyFile === undefined))
    throw wrong('tls', 'a certificate of one’s own and its key are given together')
  const read = (path: string, file: string) => {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      throw wrong(`tls.${path}`, `the file ${file} cannot be read`)
    }
  }
  return {
    ...(caFile === undefined ? {} : { ca: read('caFile', caFile) }),
    ...(certificateFile === undefined ? {} : { cert: read('certificateFile', certificateFile) }),
    ...(keyFile === undefined ? {} : { key: read('keyFile', keyFile) }),
  }
}

const clientNames = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512',
  oauthbearer: 'OAUTHBEARER',
} as const

function checkSasl({ mechanism, username, password, token }: KafkaSasl): NonNullable<KafkaWay['sasl']> {
  if (!Object.hasOwn(clientNames, mechanism))
    throw wrong('sasl.mechanism', `one of ${saslMechanisms.join(', ')} is wanted`)
  if (mechanism === 'oauthbearer') {
    if (!token) throw wrong('sasl.token', '`oauthbearer` takes a token')
    return { mechanism: clientNames[mechanism], token }
  }
  if (!username || !password) throw wrong('sasl', `\`${mechanism}\` takes a user name and a password`)
  return { mechanism: clientNames[mechanism], username, password }
}
