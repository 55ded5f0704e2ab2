// What somebody may ask of the way to Kafka, and what is told of a mistake before any broker is asked.
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { DaybookError, isDaybookError } from '../../../../../src/core/errors.ts'
import { toKafkaFault } from '../../../../../src/hosts/node/kafka/kafka-fault.ts'
import {
  checkBrokers,
  type KafkaSettings,
  readConnection,
} from '../../../../../src/hosts/node/kafka/kafka-settings.ts'
import { poolTopics } from '../../../../../src/hosts/node/kafka/kafka-topics.ts'
import { loadKafka } from '../../../../../src/hosts/node/kafka/load-kafka.ts'
import { openKafka } from '../../../../../src/hosts/node/kafka/open-kafka.ts'

const mistake = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    if (isDaybookError(error)) return [error.code, error.details['path']]
    throw error
  }
  return 'taken'
}
const far: KafkaSettings = { brokers: ['kafka.example:9093'] }
const sasl = { mechanism: 'scram-sha-512', username: 'u', password: 'secret-word' } as const

describe('The way to Kafka', () => {
  it('takes brokers by name or address, with the usual port where none is named', () => {
    expect(checkBrokers(['a', 'b.example:19092', '[::1]:9092', '10.0.0.1'])).toEqual([
      'a:9092',
      'b.example:19092',
      '[::1]:9092',
      '10.0.0.1:9092',
    ])
    for (const wrong of ['', 'a:0', 'a:65536', 'http://a:9092', 'a b', 'a:9092/x', 'u:p@a:9092', 'a:'])
      expect(mistake(() => checkBrokers(['fine', wrong]))).toEqual(['invalid-input', 'brokers.1'])
    expect(mistake(() => checkBrokers([]))).toEqual(['invalid-input', 'brokers'])
  })

  it('sends no password over a plain connection, except to this machine', () => {
    expect(mistake(() => readConnection({ ...far, sasl }))).toEqual(['invalid-input', 'tls'])
    expect(mistake(() => readConnection({ brokers: ['127.0.0.1', 'kafka.example'], sasl }))).toEqual([
      'invalid-input',
      'tls',
    ])
    expect(mistake(() => readConnection({ brokers: ['localhost', '127.0.0.1:1'], sasl }))).toBe('taken')
    expect(mistake(() => readConnection({ ...far, tls: true, sasl }))).toBe('taken')
  })

  it('says what is missing of a login or a certificate', () => {
    const tls = true
    expect(mistake(() => readConnection({ ...far, tls, sasl: { mechanism: 'plain' } }))).toEqual([
      'invalid-input',
      'sasl',
    ])
    expect(
      mistake(() => readConnection({ ...far, tls, sasl: { ...sasl, mechanism: 'oauthbearer' } })),
    ).toEqual(['invalid-input', 'sasl.token'])
    const gssapi = { ...sasl, mechanism: 'gssapi' as 'plain' }
    expect(mistake(() => readConnection({ ...far, tls, sasl: gssapi }))).toEqual([
      'invalid-input',
      'sasl.mechanism',
    ])
    expect(mistake(() => readConnection({ ...far, tls: { caFile: '/nowhere/ca.pem' } }))).toEqual([
      'invalid-input',
      'tls.caFile',
    ])
    expect(mistake(() => readConnection({ ...far, tls: { certificateFile: 'a.pem' } }))).toEqual([
      'invalid-input',
      'tls',
    ])
  })

  it('names a topic for each type, and refuses names that no topic has', () => {
    expect(poolTopics('kafclaw').all).toEqual(
      ['capabilities', 'presence', 'proposals', 'votes', 'decisions', 'facts'].map(
        (what) => `group.kafclaw.knowledge.${what}`,
      ),
    )
    expect(poolTopics('a', 'x.y').topicOf('fact')).toBe('x.y.a.knowledge.facts')
    for (const name of ['', 'a b', 'ä', 'a/b', '*'])
      expect(mistake(() => poolTopics(name))).toEqual(['invalid-input', 'group'])
    expect(mistake(() => poolTopics('a', ''))).toEqual(['invalid-input', 'prefix'])
    fc.assert(
      fc.property(fc.string({ maxLength: 260 }), (name) => {
        const isTaken = mistake(() => poolTopics(name)) === 'taken'
        const longest = `group.${name}.knowledge.capabilities`
        expect(isTaken).toBe(/^[A-Za-z0-9._-]+$/.test(name) && longest.length <= 249)
      }),
    )
  })

  it('says which package to install where the client of Kafka is missing', async () => {
    const lost = loadKafka(() => Promise.reject(new Error('Cannot find package')))
    await expect(lost).rejects.toMatchObject({
      code: 'package-missing',
      details: { package: '@platformatic/kafka' },
    })
    await expect(lost).rejects.toThrow(/npm install @platformatic\/kafka/)
  })

  it('refuses a word that it does not know, and does not wait long for a broker that is not there', async () => {
    const options = { brokers: ['127.0.0.1:1'], group: 'g', consumerGroup: 'c' }
    await expect(openKafka({ ...options, topic: 'x' } as typeof options)).rejects.toMatchObject({
      code: 'invalid-input',
      details: { path: 'topic' },
    })
    await expect(openKafka(options)).rejects.toMatchObject({
      code: 'offline',
      details: { brokers: '127.0.0.1:1' },
    })
  })
})

describe('A fault of Kafka', () => {
  const fault = (code: string, apiId?: string, cause?: Error) =>
    Object.assign(new Error(`about ${apiId ?? code}`), { code, apiId, cause })

  it('is told in the words of the error table, wherever it stands', () => {
    const codeOf = (error: unknown) => toKafkaFault(error, ['a:1']).code
    expect(codeOf(fault('PLT_KFK_NETWORK'))).toBe('offline')
    expect(codeOf(fault('PLT_KFK_AUTHENTICATION'))).toBe('unauthorized')
    const denied = fault('PLT_KFK_PROTOCOL', 'TOPIC_AUTHORIZATION_FAILED')
    expect(codeOf(denied)).toBe('forbidden')
    expect(codeOf(fault('PLT_KFK_USER', undefined, new AggregateError([denied])))).toBe('forbidden')
    const own = new DaybookError('storage-full')
    expect(toKafkaFault(own, [])).toBe(own)
  })
})
