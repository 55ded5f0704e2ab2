// A real Apache Kafka of the tests' own: one node in KRaft mode, on free ports, in a folder of its own, which can be stopped and
// started again with what it had, and is removed afterwards.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../server/free-port.ts'
import { kafkaClassPath } from './find-kafka.ts'
import { type Certificates, makeCertificates } from './certificates.ts'

export interface TestKafka {
  /** The address that speaks in clear, as `127.0.0.1:20123`. */
  readonly broker: string
  /** The same broker behind TLS and SASL, where that was asked for. */
  readonly secured?: SecuredBroker
  /** Ends it at once; what it has stays. */
  stop(): Promise<void>
  /** Starts it again, at the same address. */
  start(): Promise<void>
  /** Ends it and removes what it has. */
  remove(): Promise<void>
}

export interface SecuredBroker {
  readonly broker: string
  /** A file with the certificate of who vouches for the broker. */
  readonly ca: string
  readonly user: string
  readonly password: string
}

export interface KafkaOptions {
  /** A second listener, behind TLS and SASL (PLAIN and SCRAM-SHA-512). */
  readonly secured?: boolean
}

/** A small heap and no second compiler: it answers sooner, and two cores have other tests to run. */
const java = ['-Xmx320m', '-Xss512k', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto']
const [user, password] = ['bridge', 'correct-horse']
const startMs = 60_000

export async function startKafka({ secured = false }: KafkaOptions = {}): Promise<TestKafka> {
  const jars = await kafkaClassPath()
  const folder = mkdtempSync('/tmp/daybook-kafka-')
  const [port, controller, secure] = [await freePort(), await freePort(), await freePort()]
  const certificates = secured ? makeCertificates(folder) : undefined
  const settings = join(folder, 'server.properties')
  writeFileSync(settings, propertiesOf({ folder, port, controller, secure, certificates }))
  // The rest of the environment is not Kafka's business, but the runner finds its processes by their mark.
  const { PATH, DAYBOOK_RUN, HOME } = process.env
  const as = { cwd: folder, env: { PATH, DAYBOOK_RUN, HOME, LC_ALL: 'C.UTF-8' } }
  const scram = secured ? ['--add-scram', `SCRAM-SHA-512=[name=${user},password=${password}]`] : []
  execFileSync(
    'java',
    [
      ...java,
      '-cp',
      jars,
      'kafka.tools.StorageTool',
      'format',
      '--standalone',
      '-t',
      'daybook-test-cluster-0',
      '-c',
      settings,
      ...scram,
    ],
    { ...as, stdio: 'pipe' },
  )
  let server: ChildProcess | undefined
  const start = async () => {
    const child = spawn('java', [...java, ...logging, '-cp', jars, 'kafka.Kafka', settings], {
      ...as,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = child
    await untilStarted(child)
  }
  const stop = async () => {
    const child = server
    server = undefined
    if (!child || child.exitCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  await start()
  return {
    broker: `127.0.0.1:${port}`,
    ...(certificates
      ? { secured: { broker: `localhost:${secure}`, ca: certificates.ca, user, password } }
      : {}),
    start,
    stop,
    async remove() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** It says on stderr that it has started, and why it did not. */
const logging = [
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
  '-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info',
]

async function untilStarted(server: ChildProcess): Promise<void> {
  let said = ''
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`Kafka did not start in time: ${said}`)), startMs)
    server.stderr?.on('data', (text: Buffer) => {
      // What it says afterwards is read, so that it is not held up, and not kept.
      if (said.length < 20_000) said += text.toString()
      if (!said.includes('Kafka Server started')) return
      clearTimeout(late)
      resolve()
    })
    server.once('exit', () => {
      clearTimeout(late)
      reject(new Error(`Kafka did not start: ${said}`))
    })
  })
}

interface Places {
  readonly folder: string
  readonly port: number
  readonly controller: number
  readonly secure: number
  readonly certificates: Certificates | undefined
}

function propertiesOf({ folder, port, controller, secure, certificates }: Places): string {
  const data = join(folder, 'data')
  mkdirSync(data)
  const listeners = [
    `PLAINTEXT://127.0.0.1:${port}`,
    ...(certificates ? [`SASL_SSL://localhost:${secure}`] : []),
  ]
  const plain = 'org.apache.kafka.common.security.plain.PlainLoginModule'
  const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule'
  const secured = certificates && [
    'ssl.keystore.type=PEM',
    `ssl.keystore.location=${certificates.server}`,
    'sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512',
    `listener.name.sasl_ssl.plain.sasl.jaas.config=${plain} required user_${user}="${password}";`,
    `listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=${scram} required;`,
  ]
  return [
    'process.roles=broker,controller',
    'node.id=1',
    `listeners=${[...listeners, `CONTROLLER://127.0.0.1:${controller}`].join(',')}`,
    `advertised.listeners=${listeners.join(',')}`,
    'controller.listener.names=CONTROLLER',
    'inter.broker.listener.name=PLAINTEXT',
    'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL',
    `controller.quorum.bootstrap.servers=127.0.0.1:${controller}`,
    `log.dirs=${data}`,
    // One node has one copy of everything, and few partitions to open.
    'num.partitions=3',
    'offsets.topic.num.partitions=1',
    'offsets.topic.replication.factor=1',
    'transaction.state.log.num.partitions=1',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'share.coordinator.state.topic.num.partitions=1',
    'share.coordinator.state.topic.replication.factor=1',
    'share.coordinator.state.topic.min.isr=1',
    // A group begins at once, and whoever was killed is given up after seconds.
    'group.initial.rebalance.delay.ms=0',
    'broker.session.timeout.ms=2000',
    'broker.heartbeat.interval.ms=500',
    'initial.broker.registration.timeout.ms=30000',
    'group.min.session.timeout.ms=1000',
    'group.consumer.min.session.timeout.ms=1000',
    'group.consumer.min.heartbeat.interval.ms=300',
    'group.consumer.session.timeout.ms=3000',
    'group.consumer.heartbeat.interval.ms=500',
    ...(secured ?? []),
    '',
  ].join('\n')
}
