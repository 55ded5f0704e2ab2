// Requests that agents sign, by themselves: signatures of another implementation, and nothing else than what was signed.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDaybookError } from '../../../src/core/errors.ts'
import { verifyingKeyring as keys } from '../../../src/hosts/node/key/key-file.ts'
import { toDidKey } from '../../../src/shape/did.ts'
import { checkSignature, checkFields, type SignedRequest } from '../../../src/trust/agent/signed-request.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const digest = { sha256: (text: string) => Promise.resolve(sha256(text)) }
const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))

/** Made by the Python client of Gaugid, with the private key 00 01 … 1f. */
const key = toDidKey(bytesOf('03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8'))
const profile = '/a2p/v1/profile/did:a2p:user:local:alice'
const common = {
  did: 'did:a2p:agent:local:test',
  ts: '1767225600',
  nonce: 'abcdefghijklmnop',
  exp: '1767225900',
}
const read: SignedRequest = {
  ...common,
  sig: '3RGIO48i4LL4sujb/iZYcgeFGun6Nf5mZlHbuGc7hgAr6yiYZXl8ED4qzSeiLeNoYWaJ8bclAMTRTpxSJ8H3Bg==',
  method: 'GET',
  paths: [profile],
  bodyHash: sha256(''),
  hasBody: false,
  covered: [],
}
const proposed: SignedRequest = {
  ...common,
  sig: 'KqoKVnkhqcFr6snJMhlu042+ELB/t1CzZpddXZ23Xl8u38vE8d6jxbeYFIVGZHDd7PTXW5A40cdrczsmTyVAAQ==',
  method: 'POST',
  paths: [`${profile}/memories/propose`],
  bodyHash: sha256('{"content":"x"}'),
  hasBody: true,
  covered: [],
}

const holds = (request: SignedRequest) =>
  checkSignature(request, key, { keys, digest }).then(
    () => true,
    (error: unknown) => {
      if (isDaybookError(error, 'unauthorized')) return false
      throw error
    },
  )

describe('a signature of another implementation', () => {
  it('is taken over what it was made for, with a body and without', async () => {
    expect(await holds(read)).toBe(true)
    expect(await holds(proposed)).toBe(true)
    const url = read.sig.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
    expect(await holds({ ...read, sig: url })).toBe(true)
  })

  it.each<readonly [string, Partial<SignedRequest>]>([
    ['method', { method: 'POST' }],
    ['address', { paths: ['/a2p/v1/profile/did:a2p:user:local:bob'] }],
    ['body', { bodyHash: sha256('x'), hasBody: true }],
    ['time', { ts: '1767225601' }],
    ['nonce', { nonce: 'abcdefghijklmnoq' }],
    ['end', { exp: '1767225901' }],
    ['no end', { exp: undefined }],
    ['signature', { sig: proposed.sig }],
    ['piece of a signature', { sig: read.sig.slice(0, 40) }],
    ['way of writing the time', { ts: '2026-01-01T00:00:00Z' }],
  ])('is refused over another %s', async (_what, over) => {
    expect(await holds({ ...read, ...over })).toBe(false)
  })

  it('is refused of any other signature', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 0, maxLength: 80 }), async (bytes) => {
        expect(await holds({ ...read, sig: Buffer.from(bytes).toString('base64') })).toBe(false)
      }),
      { numRuns: 200 },
    )
  })
})

describe('the time of a signed request', () => {
  const at = 1_767_225_600_000
  const reasonOf = (over: Partial<SignedRequest>, nowMs = at) => {
    try {
      checkFields({ ...read, ...over }, nowMs)
      return undefined
    } catch (error) {
      return isDaybookError(error) ? error.details['reason'] : error
    }
  }

  it('is within five minutes, on either side', () => {
    const isRefused = (ms: number) => reasonOf({ exp: undefined }, at + ms) === 'Timestamp out of window'
    expect([-300_001, -300_000, 0, 300_000, 300_001].map(isRefused)).toEqual([
      true,
      false,
      false,
      false,
      true,
    ])
  })

  it('keeps its nonce for as long as it could pass again', () => {
    fc.assert(
      fc.property(fc.integer({ min: -300_000, max: 300_000 }), fc.nat(700_000), (signed, later) => {
        const request = { ...read, ts: new Date(at + signed).toISOString(), exp: undefined }
        const { nonceUntilMs } = checkFields(request, at)
        let passes = true
        try {
          checkFields(request, at + later)
        } catch {
          passes = false
        }
        if (passes) expect(nonceUntilMs).toBeGreaterThan(at + later)
        expect(nonceUntilMs - at).toBeGreaterThanOrEqual(300_000)
        expect(nonceUntilMs - at).toBeLessThanOrEqual(600_001)
      }),
    )
  })

  it('is an instant or a count of seconds, and ends when it says', () => {
    for (const ts of ['', 'now', '2026-01-01', '1e9', '-5', ' 1767225600', '1767225600.5', '9'.repeat(12)])
      expect([ts, reasonOf({ ts, exp: undefined })]).toEqual([ts, 'Timestamp out of window'])
    expect(reasonOf({}, at + 299_000)).toBeUndefined()
    expect(reasonOf({ exp: '1767225590' })).toBe('Request expired')
    const instant = { ts: '2026-01-01T00:00:00Z', nonce: 'a'.repeat(16) }
    expect(reasonOf({ ...instant, exp: '60' }, at + 60_000)).toBeUndefined()
    expect(reasonOf({ ...instant, exp: '60' }, at + 60_001)).toBe('Request expired')
  })

  it('decides which nonces are taken', () => {
    const instant = { ts: '2026-01-01T00:00:00Z', exp: undefined }
    const own = `${'a'.repeat(40)}_-9`
    expect(reasonOf({ nonce: own })).toBeUndefined()
    expect(reasonOf({ ...instant, nonce: own })).toBe('Invalid nonce')
    expect(reasonOf({ ...instant, nonce: '' })).toBe('Invalid nonce')
  })
})
