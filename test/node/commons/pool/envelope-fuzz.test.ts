// Whatever bytes come as an envelope: they are read or refused with a reason, and nothing else happens.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readIncoming } from '../../../../src/commons/pool/take/take-envelope.ts'
import { verifyingKeyring } from '../../../../src/hosts/node/key/key-file.ts'
import { envelopeTypes } from '../../../../src/core/pool.ts'
import {
  envelopeLimit,
  orderKey,
  poolLimits,
  readEnvelope,
  signedEnvelopeText,
} from '../../../../src/shape/envelope.ts'

const verify = verifyingKeyring.verify.bind(verifyingKeyring)
const good = {
  schemaVersion: 'v1',
  type: 'proposal',
  traceId: 't',
  timestamp: '2026-02-01T10:00:00Z',
  idempotencyKey: 'k',
  clawId: 'ada@garden',
  instanceId: 'd#1',
  payload: { proposalId: 'p', group: 'g', statement: 'Tea at five.', tags: ['ops'] },
  signature: { key: 'did:key:z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd', value: 'A'.repeat(86) },
}
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))

/** The bytes of a good envelope with some of them changed, left out or put in. */
const mangled = fc
  .array(
    fc.record({
      at: fc.nat(bytesOf(good).length - 1),
      out: fc.nat(20),
      in: fc.uint8Array({ maxLength: 20 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((cuts) =>
    cuts.reduce<Buffer>(
      (bytes, cut) => Buffer.concat([bytes.subarray(0, cut.at), cut.in, bytes.subarray(cut.at + cut.out)]),
      bytesOf(good),
    ),
  )
const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    null,
    '',
    ' ',
    '\ud800',
    '\u0000',
    '__proto__',
    1e308,
    -0,
    2 ** 53,
    'x'.repeat(100_000),
    Array.from({ length: 600 }, () => 'y'),
    JSON.parse('{"__proto__":{"a":1},"constructor":1}'),
    JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`),
  ),
)
/** One of its fields is something else: of the head, of the payload, or of the signature; or all of it is of another type. */
const changed = fc
  .record({
    at: fc.constantFrom('head', 'payload', 'signature'),
    name: fc.constantFrom(
      ...Object.keys(good),
      ...Object.keys(good.payload),
      'key',
      'value',
      'fact',
      'n',
      'vote',
    ),
    value: odd,
    type: fc.constantFrom(...envelopeTypes),
  })
  .map(({ at, name, value, type }) => {
    const of = { ...good, type }
    if (at === 'head') return bytesOf({ ...of, [name]: value })
    return bytesOf({ ...of, [at]: { ...of[at as 'payload'], [name]: value } })
  })
const any = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  mangled,
  changed,
)

describe('whatever bytes come', () => {
  it('are an envelope with all that it has to have, or refused with a reason', async () => {
    let read = 0
    let refused = 0
    await fc.assert(
      fc.asyncProperty(any, async (bytes) => {
        const text = bytes.toString('utf8')
        const { reading, hasValidSignature: isSigned } = await readIncoming(text, verify)
        if (reading.refused !== undefined) {
          refused += 1
          expect(reading.refused).toMatch(/^\S.{2,299}$/s)
          expect(isSigned).toBeUndefined()
          for (const [name, told] of Object.entries(reading.trail))
            expect([name, told.length <= poolLimits.id, told.isWellFormed()]).toEqual([name, true, true])
          return
        }
        read += 1
        const { envelope } = reading
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(envelopeLimit)
        expect(envelopeTypes).toContain(envelope.type)
        expect(orderKey(envelope).length).toBeGreaterThan(0)
        // Nobody has signed any of them.
        expect(isSigned).not.toBe(true)
        // What is read is what was said, so that it can be handed on and its signature holds.
        const again = readEnvelope(JSON.parse(text))
        expect(again.refused).toBeUndefined()
        expect(signedEnvelopeText(JSON.parse(text) as object)).not.toContain('"signature":{"key"')
      }),
      { numRuns: 1500 },
    )
    expect(read).toBeGreaterThan(10)
    expect(refused).toBeGreaterThan(500)
  })

  it.each([1, 2])('are cut only between characters, after %i letters', (letters) => {
    const long = 'x'.repeat(letters) + '😀'.repeat(99)
    for (const name of ['schemaVersion', 'type']) {
      const { refused, trail } = readEnvelope({ ...good, [name]: long })
      expect([refused?.isWellFormed(), trail.type.isWellFormed()]).toEqual([true, true])
    }
    // `ﷺ` becomes 18 characters.
    expect(readEnvelope({ ...good, type: 'no', clawId: `ﷺ${long}` }).trail.claw.isWellFormed()).toBe(true)
    const { refused } = readEnvelope({ ...good, signature: { ...good.signature, [`${long}${long}`]: 1 } })
    expect(refused?.isWellFormed()).toBe(true)
  })

  it('leave alone what all objects share', async () => {
    const text = JSON.stringify(good).replace('"traceId"', '"__proto__":{"isOwner":true},"traceId"')
    await readIncoming(text, verify)
    expect(({} as { isOwner?: boolean }).isOwner).toBeUndefined()
  })
})
