// Keys for the holder of an X25519 pair, at once: WebCrypto takes turns of its own, and a simulated world has none. The same
// agreement as the shipped suite has, by a shorter derivation; what seals under the keys is the real cipher.
import { createHash, createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto'
import type { Encapsulated, KeyEncapsulation } from '../../../src/core/ports.ts'
import { createNumbers } from '../../contract/mirror/mirror-world.ts'

/** What stands before the 32 bytes of an X25519 key in PKCS #8 and in SPKI (RFC 8410). */
const privateHead = Buffer.from('302e020100300506032b656e04220420', 'hex')
const publicHead = Buffer.from('302a300506032b656e032100', 'hex')

interface SimPair {
  readonly publicKey: Uint8Array
  receive(encapsulated: Uint8Array, info: string): Uint8Array
}

const privateKeyOf = (secret: Uint8Array) =>
  createPrivateKey({ key: Buffer.concat([privateHead, secret]), format: 'der', type: 'pkcs8' })
const publicBytesOf = (key: KeyObject) =>
  new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(publicHead.length))

function agree(privateKey: KeyObject, publicKey: Uint8Array, encapsulated: Uint8Array, info: string) {
  const other = createPublicKey({
    key: Buffer.concat([publicHead, publicKey]),
    format: 'der',
    type: 'spki',
  })
  const shared = diffieHellman({ privateKey, publicKey: other })
  return new Uint8Array(createHash('sha256').update(shared).update(encapsulated).update(info).digest())
}

const made = new Map<string, SimPair>()

/** The pair that follows from 32 secret bytes; made once, for all worlds have the same. */
export function simPair(secret: Uint8Array): SimPair {
  const name = secret.join()
  const pair = made.get(name) ?? makePair(secret)
  made.set(name, pair)
  return pair
}

function makePair(secret: Uint8Array): SimPair {
  const privateKey = privateKeyOf(createHash('sha256').update('pair').update(secret).digest())
  return {
    publicKey: publicBytesOf(privateKey),
    receive: (encapsulated, info) => agree(privateKey, encapsulated, encapsulated, info),
  }
}

const numbers = createNumbers(1)

function simSend(publicKey: Uint8Array, info: string): Encapsulated {
  const own = privateKeyOf(Uint8Array.from({ length: 32 }, () => numbers() & 0xff))
  const encapsulated = publicBytesOf(own)
  return { encapsulated, secret: agree(own, publicKey, encapsulated, info) }
}

export const simEncapsulation: KeyEncapsulation = {
  pair(secret) {
    const { publicKey, receive } = simPair(secret)
    return Promise.resolve({
      publicKey,
      receive: (encapsulated, info) => Promise.resolve(receive(encapsulated, info)),
    })
  },
  send: (publicKey, info) => Promise.resolve(simSend(publicKey, info)),
}
