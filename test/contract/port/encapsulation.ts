// Keys for the holder of an X25519 pair: the law of the port, and the test vectors of the RFC that prove how it is wired.
import { describe, expect, it } from 'vitest'
import { toHex } from '../../../src/core/ids.ts'
import { pairOf, receiveSecret, webEncapsulation } from '../../../src/web/web-encapsulation.ts'

const bytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** RFC 9180, A.7.1: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, export only, base mode. */
const vector = {
  info: '4f6465206f6e2061204772656369616e2055726e',
  privateKey: '33d196c830a12f9ac65d6e565a590d80f04ee9b19c83c87f2c170d972a812848',
  publicKey: '194141ca6c3c3beb4792cd97ba0ea1faff09d98435012345766ee33aae2d7664',
  encapsulated: 'e5e8f9bfff6c2f29791fc351d2c25ce1299aa5eaca78a757c0b4fb4bcd830918',
  exported: [
    { context: '', value: '7a36221bd56d50fb51ee65edfd98d06a23c4dc87085aa5866cb7087244bd2a36' },
    { context: '00', value: 'd5535b87099c6c3ce80dc112a2671c6ec8e811a2f284f948cec6dd1708ee33f0' },
    {
      context: '54657374436f6e74657874',
      value: 'ffaabc85a776136ca0c378e5d084c9140ab552b78f039d2e8775f26efff4c70e',
    },
  ],
} as const

export function encapsulationContract(hostName: string): void {
  describe(`Keys for the holder of a key pair: ${hostName}`, () => {
    it.each(vector.exported)(
      'are those of RFC 9180 for the context “$context”',
      async ({ context, value }) => {
        const pair = await pairOf(bytes(vector.privateKey))
        const secret = await receiveSecret(
          pair,
          bytes(vector.encapsulated),
          bytes(vector.info),
          bytes(context),
        )
        expect(toHex(secret)).toBe(value)
      },
    )

    it('have the public key that RFC 7748 gives the private one', async () => {
      const { publicKey } = await pairOf(bytes(vector.privateKey))
      const raw = await crypto.subtle.exportKey('raw', publicKey)
      expect(toHex(new Uint8Array(raw as ArrayBuffer))).toBe(vector.publicKey)
    })

    it('are received by the pair alone, and for what they were sent for', async () => {
      const [own, other] = [bytes('01'.repeat(32)), bytes('02'.repeat(32))]
      const pair = await webEncapsulation.pair(own)
      const stranger = await webEncapsulation.pair(other)
      const sent = await webEncapsulation.send(pair?.publicKey ?? new Uint8Array(), 'book')
      const { encapsulated, secret } = sent ?? { encapsulated: new Uint8Array(), secret: new Uint8Array() }
      expect([encapsulated.length, secret.length]).toEqual([32, 32])
      expect(await pair?.receive(encapsulated, 'book')).toEqual(secret)
      expect(await (await webEncapsulation.pair(own))?.receive(encapsulated, 'book')).toEqual(secret)
      expect(await pair?.receive(encapsulated, 'another book')).not.toEqual(secret)
      expect(await stranger?.receive(encapsulated, 'book')).not.toEqual(secret)
      const again = await webEncapsulation.send(pair?.publicKey ?? new Uint8Array(), 'book')
      expect(again?.secret).not.toEqual(secret)
    })

    it('are none for bytes that are no such thing', async () => {
      const pair = await webEncapsulation.pair(bytes('01'.repeat(32)))
      // All zeros is a point of small order: RFC 9180 has both sides refuse it.
      for (const length of [0, 31, 32, 33, 64]) {
        expect(await pair?.receive(new Uint8Array(length), 'book')).toBeUndefined()
        expect(await webEncapsulation.send(new Uint8Array(length), 'book')).toBeUndefined()
      }
    })

    it('follow from 32 secret bytes that they do not tell', async () => {
      const secret = bytes('03'.repeat(32))
      const pair = await webEncapsulation.pair(secret)
      expect(pair?.publicKey.length).toBe(32)
      const { publicKey } = await pairOf(secret)
      const raw = new Uint8Array((await crypto.subtle.exportKey('raw', publicKey)) as ArrayBuffer)
      // The private key is derived, not the secret itself, which seals records as an AES key.
      expect(pair?.publicKey).not.toEqual(raw)
    })
  })
}
