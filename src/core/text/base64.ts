// Base64 (RFC 4648 §4) without a platform. Strict: a text that no encoder writes is not read.

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const values = new Int16Array(128).fill(-1)
for (let i = 0; i < letters.length; i++) values[letters.charCodeAt(i)] = i

export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const [a, b, c] = [bytes[i] ?? 0, bytes[i + 1], bytes[i + 2]]
    const word = (a << 16) | ((b ?? 0) << 8) | (c ?? 0)
    text += letters.charAt(word >> 18) + letters.charAt((word >> 12) & 63)
    text += b === undefined ? '=' : letters.charAt((word >> 6) & 63)
    text += c === undefined ? '=' : letters.charAt(word & 63)
  }
  return text
}

/** The bytes, or undefined for anything but the one spelling that `toBase64` gives. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = new Uint8Array((text.length / 4) * 3 - padding)
  const end = text.length - padding
  let at = 0
  for (let i = 0; i < text.length; i += 4) {
    let word = 0
    for (let j = i; j < i + 4; j++) {
      const value = j < end ? (values[text.charCodeAt(j)] ?? -1) : 0
      if (value < 0) return undefined
      word = (word << 6) | value
    }
    if (i + 4 > end && (word & (padding === 2 ? 0xffff : 0xff)) !== 0 && padding > 0) return undefined
    for (let shift = 16; shift >= 0 && at < bytes.length; shift -= 8) bytes[at++] = (word >> shift) & 0xff
  }
  return bytes
}
