// Public keys as texts: `did:key:z…` (W3C CCG did:key), base58btc of the multicodec prefix of Ed25519 and its 32 bytes.
// Invariant: one text for each key, so that keys are compared as texts.
import { base58 } from '@scure/base'

const scheme = 'did:key:z'
/** The multicodec of an Ed25519 public key, 0xed, as a varint. */
const codec = [0xed, 0x01] as const
const keyBytes = 32
const pattern = /^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/

/** The name of the Ed25519 public key with these 32 bytes. */
export function toDidKey(publicKey: Uint8Array): string {
  return scheme + base58.encode(Uint8Array.from([...codec, ...publicKey]))
}

/** The 32 bytes of the Ed25519 key that `text` names, or undefined when it names none. */
export function fromDidKey(text: string): Uint8Array | undefined {
  if (!pattern.test(text)) return undefined
  const bytes = base58.decode(text.slice(scheme.length))
  const isEd25519 = bytes.length === codec.length + keyBytes && bytes[0] === codec[0] && bytes[1] === codec[1]
  return isEd25519 ? bytes.slice(codec.length) : undefined
}
