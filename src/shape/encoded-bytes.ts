// Bytes as text: base64 (RFC 4648, section 4) and base64url without padding (section 5).
// Invariant: one text for each byte string. What is not exactly that text is no bytes, so that texts compare as bytes do.
import { base64, base64urlnopad } from '@scure/base'

/** `bytes` in base64, with padding. */
export function toBase64(bytes: Uint8Array): string {
  return base64.encode(bytes)
}

/** The bytes, or undefined for anything but the one spelling that `toBase64` gives. */
export function fromBase64(text: string): Uint8Array | undefined {
  return orUndefined(() => base64.decode(text))
}

/** `bytes` in base64url, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return base64urlnopad.encode(bytes)
}

/** The bytes, or undefined for anything but the one spelling that `toBase64Url` gives. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  return orUndefined(() => base64urlnopad.decode(text))
}

function orUndefined(decode: () => Uint8Array): Uint8Array | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}
