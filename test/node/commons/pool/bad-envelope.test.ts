// Envelopes of every wrong shape: each is answered with a reason and stands in the audit, and the next one is taken in.
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine, type Engine } from '../../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { openNodeKeyring } from '../../../../src/hosts/node/key/key-file.ts'
import { signedEnvelopeText } from '../../../../src/shape/envelope.ts'
import { oneSecret } from '../../../support/made-secret.ts'
import { createTestTime } from '../../../support/test-engine.ts'

const engines: Engine[] = []
afterEach(() => {
  for (const engine of engines.splice(0)) engine.close()
})

function book(verify: 'off' | 'warn' | 'require') {
  const { ports } = createTestTime()
  const db = openNodeDatabase({ path: ':memory:' })
  const keys = openNodeKeyring(undefined)
  const engine = createEngine({ db, ports, keys, name: 'main', scope: { agent: 'me' }, durability: 'memory' })
  engines.push(engine)
  let serial = 0
  const envelope = (
    payload: object = { proposalId: `kp-${++serial}`, group: 'daybook', statement: 'S' },
    more = {},
  ) => ({
    schemaVersion: 'v1',
    type: 'proposal',
    traceId: 't',
    timestamp: new Date(ports.clock.now()).toISOString(),
    idempotencyKey: `k-${++serial}`,
    clawId: 'other',
    instanceId: 'i',
    payload,
    ...more,
  })
  const take = (given: object | string) =>
    engine.call('pool:take_in', { envelope: given }) as Promise<{ result: string; reason: string }>
  return {
    engine,
    envelope,
    take,
    ready: () => engine.call('pool:configure', { verify, admission: 'anyone' }),
  }
}

async function signed(envelope: object, keys = openNodeKeyring(undefined)) {
  const signer = await keys.signer()
  if (!signer) throw new Error('There is no key.')
  return {
    ...envelope,
    signature: { key: signer.key, value: await signer.sign(signedEnvelopeText(envelope)) },
  }
}

describe('a bad envelope', () => {
  it('is refused with what is wrong, and burns no key', async () => {
    const { envelope, take, ready } = book('off')
    await ready()
    const good = envelope()
    for (const name of [
      'schemaVersion',
      'type',
      'traceId',
      'timestamp',
      'idempotencyKey',
      'clawId',
      'instanceId',
      'payload',
    ])
      expect(await take({ ...good, [name]: undefined })).toEqual({
        result: 'rejected',
        reason: `${name} is required`,
      })
    expect(await take({ ...good, type: 'gossip' })).toEqual({
      result: 'rejected',
      reason: 'unsupported type: gossip',
    })
    expect(await take({ ...good, schemaVersion: 'v9' })).toMatchObject({
      reason: 'unsupported schemaVersion: v9',
    })
    expect(await take({ ...good, payload: { group: 'daybook', statement: 'S' } })).toMatchObject({
      reason: 'proposalId is required',
    })
    expect(await take('{"a":')).toEqual({ result: 'rejected', reason: 'not JSON' })
    expect(await take(good)).toEqual({ result: 'accepted', reason: 'new_proposal' })
    expect(await take(good)).toEqual({ result: 'duplicate', reason: 'same_envelope' })
  })

  it('is refused from the first byte over 64 KB', async () => {
    const { envelope, take, ready } = book('off')
    await ready()
    const base = JSON.stringify(envelope(undefined, { pad: '' }))
    const sized = (bytes: number) => base.replace('"pad":""', `"pad":"${'x'.repeat(bytes - base.length)}"`)
    expect(await take(sized(65_537))).toEqual({ result: 'rejected', reason: 'larger than 65536 bytes' })
    expect(await take(sized(65_536))).toMatchObject({ result: 'accepted' })
  })

  it('is rejected with a secret, so that no carrier brings it again', async () => {
    const { envelope, take, ready } = book('off')
    await ready()
    const rejected = { result: 'rejected', reason: 'holds_a_secret' }
    expect(await take(envelope({ proposalId: 'kp-1', group: 'daybook', statement: oneSecret() }))).toEqual(
      rejected,
    )
    expect(await take(envelope())).toMatchObject({ result: 'accepted' })
  })

  it('whatever was changed in it, is answered, and a good one after it is taken in', async () => {
    const { engine, envelope, take, ready } = book('off')
    await ready()
    const wrong = fc.oneof(fc.jsonValue(), fc.constantFrom('__proto__', '\ud800', '', 1e308, -1))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(envelope())),
        fc.string(),
        wrong,
        async (name, field, value) => {
          const good = envelope()
          const changed =
            name === 'payload'
              ? { ...good, payload: { ...good.payload, [field]: value } }
              : { ...good, [name]: value }
          expect((await take(JSON.stringify(changed))).reason).not.toBe('')
          expect(['accepted', 'rejected']).toContain((await take(envelope())).result)
        },
      ),
      { numRuns: 60 },
    )
    const { entries } = (await engine.call('pool:audit', {})) as { entries: { reason: string }[] }
    expect(entries.every(({ reason }) => reason !== '')).toBe(true)
  })

  it('is refused without a signature, with a bad one, a stolen one, or under another key', async () => {
    const { envelope, take, ready } = book('require')
    await ready()
    expect(await take(envelope())).toMatchObject({ reason: 'signature_required' })
    const keys = openNodeKeyring(undefined)
    const good = await signed(envelope(), keys)
    expect(await take({ ...good, traceId: 'changed' })).toMatchObject({
      result: 'rejected',
      reason: 'bad_signature',
    })
    expect(await take(good)).toMatchObject({ result: 'accepted' })
    const stolen = { ...envelope(), signature: good.signature }
    expect(await take(stolen)).toMatchObject({ result: 'rejected', reason: 'bad_signature' })
    expect(await take(await signed(envelope()))).toMatchObject({ result: 'rejected', reason: 'key_changed' })
    expect(await take(await signed(envelope(), keys))).toMatchObject({ result: 'accepted' })
  })

  it('of a flood is refused, and the next claw is heard', async () => {
    const { envelope, take, ready } = book('off')
    await ready()
    const results = []
    for (let i = 0; i < 103; i++) results.push((await take(envelope())).reason)
    expect(results.filter((reason) => reason === 'flood')).toHaveLength(3)
    expect(await take(envelope(undefined, { clawId: 'quiet' }))).toMatchObject({ result: 'accepted' })
  })

  it('with governance off is ignored, while presence goes on', async () => {
    const { engine, envelope, take } = book('off')
    await engine.call('pool:configure', { verify: 'off', governance: false, admission: 'anyone' })
    expect(await take(envelope())).toEqual({ result: 'ignored', reason: 'governance_disabled' })
    expect(await take(envelope({ status: 'active' }, { type: 'presence' }))).toMatchObject({
      result: 'accepted',
    })
  })
})
