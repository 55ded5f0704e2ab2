// Reads and checks the brokers, TLS and login of a Kafka connection.
// Invariant: passwords and tokens are sent over no unencrypted connection except on this machine, and are in
// no error and no log.
import { readFileSync } from 'node:fs'
import { isOwnName } from '../../../core/address.ts'
import { invalidInput } from '../../../core/errors.ts'

export const saslMechanisms = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'] as const
export type SaslMechanism = (typeof saslMechanisms)[number]

export interface KafkaTls {
  /** Path of a file with the CA certificate of the brokers. Default: the authorities that Node trusts. */
  readonly caFile?: string | undefined
  /**
   * Path of a file with this client's certificate, if brokers require one; `keyFile`: with its key. Give both
   * or neither.
   */
  readonly certificateFile?: string | undefined
  readonly keyFile?: string | undefined
}

export interface KafkaSasl {
  readonly mechanism: SaslMechanism
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** Only for `oauthbearer`, which needs no username and password. */
  readonly token?: string | undefined
}

export interface KafkaSettings {
  /** Each as `host:port`; default port 9092. At least one. */
  readonly brokers: readonly string[]
  /**
   * True or settings: encryption with TLS. Default false, which is allowed with `sasl` on this machine only.
   */
  readonly tls?: boolean | KafkaTls | undefined
  readonly sasl?: KafkaSasl | undefined
}

const brokerPattern = /^(\[[0-9a-f:.]+\]|[A-Za-z0-9._-]{1,253})(?::(\d{1,5}))?$/i
const defaultPort = 9092

/** Each broker as `host:port`. Throws `invalid-input` for an empty list or a wrong address. */
export function checkBrokers(brokers: readonly string[]): string[] {
  if (brokers.length === 0) throw invalidInput('brokers', 'Name at least one broker, as in `host:9092`')
  return brokers.map((broker, n) => {
    const [, host = '', port = String(defaultPort)] = brokerPattern.exec(broker) ?? []
    if (host === '' || Number(port) < 1 || Number(port) > 65_535)
      throw invalidInput(`brokers.${n}`, 'Must be a name and a port, as in `host:9092`')
    return `${host}:${port}`
  })
}

/** The connection options of the Kafka client. */
export interface KafkaConnectionOptions {
  readonly bootstrapBrokers: string[]
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** Sends the broker's name in the TLS handshake (SNI). */
  readonly tlsServerName?: true
  readonly sasl?: {
    readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512' | 'OAUTHBEARER'
    readonly username?: string
    readonly password?: string
    readonly token?: string
  }
}

/** Reads the TLS files and checks the settings. Throws `invalid-input`. */
export function readConnection({ brokers, tls, sasl }: KafkaSettings): KafkaConnectionOptions {
  const bootstrapBrokers = checkBrokers(brokers)
  const isPlain = tls === undefined || tls === false
  if (sasl && isPlain && !bootstrapBrokers.every(isHere))
    throw invalidInput('tls', 'A password or token needs TLS, except on this machine')
  return {
    bootstrapBrokers,
    ...(isPlain ? {} : { tls: readTls(tls === true ? {} : tls), tlsServerName: true as const }),
    ...(sasl ? { sasl: checkSasl(sasl) } : {}),
  }
}

const isHere = (broker: string) => isOwnName(broker.slice(0, broker.lastIndexOf(':')).toLowerCase())

function readTls({ caFile, certificateFile, keyFile }: KafkaTls): NonNullable<KafkaConnectionOptions['tls']> {
  if ((certificateFile === undefined) !== (keyFile === undefined))
    throw invalidInput('tls', 'Give a client certificate and its key together')
  const read = (path: string, file: string) => {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      throw invalidInput(`tls.${path}`, `The file ${file} can't be read`)
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

function checkSasl({
  mechanism,
  username,
  password,
  token,
}: KafkaSasl): NonNullable<KafkaConnectionOptions['sasl']> {
  if (!Object.hasOwn(clientNames, mechanism))
    throw invalidInput('sasl.mechanism', `Must be one of ${saslMechanisms.join(', ')}`)
  if (mechanism === 'oauthbearer') {
    if (!token) throw invalidInput('sasl.token', '`oauthbearer` needs a token')
    return { mechanism: clientNames[mechanism], token }
  }
  if (!username || !password) throw invalidInput('sasl', `\`${mechanism}\` needs a user name and a password`)
  return { mechanism: clientNames[mechanism], username, password }
}
