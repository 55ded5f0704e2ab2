// Bytes as base64url without padding (RFC 4648, section 5).
// Invariant: one text for each byte string. What is not exactly that text is refused, so that texts compare as bytes do.

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const values = new Map([...alphabet].map((char, i) => [char, i]))

/** `bytes` as base64url. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i
    const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    for (let k = 0; k <= Math.min(left, 3); k++) text += alphabet[(group >> (18 - 6 * k)) & 63] ?? ''
  }
  return text
}

/** The bytes of a base64url text, or undefined when it is none. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  if (text.length % 4 === 1) return undefined
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
  let bits = 0
  let held = 0
  let at = 0
  for (const char of text) {
    const value = values.get(char)
    if (value === undefined) return undefined
    held = ((held << 6) | value) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = (held >> bits) & 0xff
  }
  // Bits that stand for nothing must be zero, or one byte string would have several texts.
  return (held & ((1 << bits) - 1)) === 0 ? bytes : undefined
}
