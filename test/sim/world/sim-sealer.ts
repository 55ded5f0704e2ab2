// Who seals in a simulated world: a device, which has the book's key or has been locked; the mirror, which has none and seals
// what is left there to the book's public key; and the person, who reads everything.
// Invariant: only the person opens at once what was sealed to the public key; a device receives its key first, as it ships.
import { lockedError, noSealer, type Sealer, type WholeSealer } from '../../../src/core/sealed.ts'
import { nodeAes } from '../../../src/hosts/node/port/node-ports.ts'
import { fromBase64 } from '../../../src/shape/encoded-bytes.ts'
import {
  additionalDataOf,
  createKeyPairs,
  createOneCallSealer,
  type KeyPairs,
  pairId,
  publicKeyBytes,
  type PublicHalf,
  type OneCallSealer,
} from '../../../src/trust/seal/key-pair.ts'
import { createTestSealer } from '../../support/test-sealer.ts'
import { simEncapsulation, simPair } from './sim-encapsulation.ts'

/** The one key of the book, and the pair that follows from it. */
const kid = 'k_0000000000000001'
const secret = new Uint8Array(32).fill(1)
const keys = { current: kid, secrets: new Map([[kid, secret]]), names: [] }
const pair = simPair(secret)
const book = 'world'

/** The book's public half, which follows from its key. */
export const publicHalf: PublicHalf = { publicKey: pair.publicKey, book }

export interface DeviceSealer extends WholeSealer {
  /** `[1]` or none. */
  keys: readonly number[]
  /** A process begins, or keys came or went: no key of an arrival is there any more. */
  renew(): void
  keychain: {
    keys(): typeof keys | undefined
    pairIdOf(kid: string): string | undefined
    publicHalf(): PublicHalf | undefined
    keyOfPair(publicKey: Uint8Array): string | undefined
  }
}

export function createDeviceSealer(): DeviceSealer {
  const own = createTestSealer()
  let pairs: KeyPairs | undefined
  const hasKey = () => sealer.keys.length > 0
  const open = () => (hasKey() ? pairs : undefined)
  const sealer: DeviceSealer = Object.assign(own, {
    renew() {
      pairs = undefined
      const parts = { encapsulation: simEncapsulation, aes: nodeAes }
      void createKeyPairs(parts, keys.secrets, [book]).then((made) => (pairs = made))
    },
    requestKey: (sealed: Parameters<WholeSealer['requestKey']>[0]) => open()?.requestKey(sealed),
    missingKeyCount: () => open()?.missingKeyCount() ?? 0,
    receiveRequestedKeys: async () => open()?.receiveRequestedKeys(),
    open: openWith(own.open, (owner, sealed) =>
      open()?.keyIdOf(sealed.kid) === undefined ? undefined : open()?.open(owner, sealed),
    ),
    keychain: {
      keys: () => (hasKey() ? keys : undefined),
      pairIdOf: (one: string) => open()?.pairIdOf(one),
      publicHalf: () => (hasKey() ? publicHalf : undefined),
      keyOfPair: (publicKey: Uint8Array) => open()?.keyIdOf(pairId(publicKey)),
    },
  })
  sealer.renew()
  return sealer
}

export interface MirrorSealer extends Sealer {
  /** Until it is called again, what is to be sealed is sealed to `half`; nothing is without one. */
  sendTo(half: PublicHalf | undefined): Promise<void>
}

export function createMirrorSealer(): MirrorSealer {
  let sending: OneCallSealer | undefined
  const random = { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) }
  return {
    ...noSealer,
    seal(owner, v, text) {
      if (!sending) throw lockedError(noSealer, owner)
      return sending.seal(owner, v, text)
    },
    async sendTo(half) {
      sending = undefined
      if (half)
        sending = await createOneCallSealer({ encapsulation: simEncapsulation, aes: nodeAes, random }, half)
    },
  }
}

/** Reads whatever is sealed in any world: its person has the key. */
export function createPersonSealer(): Sealer {
  const own = createTestSealer()
  const id = pairId(pair.publicKey)
  return {
    ...own,
    open: openWith(own.open, (owner, sealed) => {
      const bytes = fromBase64(sealed.ct)
      const nonce = fromBase64(sealed.n)
      if (sealed.kid !== id || !bytes || !nonce) return undefined
      const secretOfSending = pair.receive(
        bytes.subarray(0, publicKeyBytes),
        JSON.stringify(['daybook', book, id]),
      )
      return nodeAes
        .key(secretOfSending)
        .open(nonce, additionalDataOf(book, owner, sealed), bytes.subarray(publicKeyBytes))
    }),
  }
}

function openWith(own: Sealer['open'], arrived: Sealer['open']): Sealer['open'] {
  return (owner, sealed) => own(owner, sealed) ?? arrived(owner, sealed)
}
