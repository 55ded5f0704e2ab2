// Public keys as texts: `did:key:z…` (W3C CCG did:key), base58btc of the multicodec prefix of Ed25519 and its 32 bytes.
// Invariant: one text for each key, so that keys are compared as texts.

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const scheme = 'did:key:z'
/** The multicodec of an Ed25519 public key, 0xed, as a varint. */
const codec = [0xed, 0x01] as const
const keyBytes = 32
const pattern = /^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/

/** The name of the Ed25519 public key with these 32 bytes. */
export function toDidKey(publicKey: Uint8Array): string {
  let number = 0n
  for (const byte of [...codec, ...publicKey]) number = number * 256n + BigInt(byte)
  let text = ''
  for (; number > 0n; number /= 58n) text = (alphabet[Number(number % 58n)] ?? '') + text
  return scheme + text
}

/** The 32 bytes of the Ed25519 key that `text` names, or undefined when it names none. */
export function fromDidKey(text: string): Uint8Array | undefined {
  if (!pattern.test(text)) return undefined
  let number = 0n
  for (const char of text.slice(scheme.length)) number = number * 58n + BigInt(alphabet.indexOf(char))
  const bytes = new Uint8Array(codec.length + keyBytes)
  for (let i = bytes.length - 1; i >= 0; i--, number /= 256n) bytes[i] = Number(number % 256n)
  const isEd25519 = number === 0n && bytes[0] === codec[0] && bytes[1] === codec[1]
  return isEd25519 ? bytes.slice(codec.length) : undefined
}
