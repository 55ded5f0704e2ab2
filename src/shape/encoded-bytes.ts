// Bytes as text: base64 (RFC 4648, section 4) and base64url without padding (section 5).
// Invariant: each byte string has one text; other spellings are invalid, so bytes can be compared as texts.
import { base64, base64urlnopad } from '@scure/base'

/** Encodes as base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  return base64.encode(bytes)
}

/** Decodes canonical base64; undefined for any other text. */
export function fromBase64(text: string): Uint8Array | undefined {
  return orUndefined(() => base64.decode(text))
}

/** Encodes as base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return base64urlnopad.encode(bytes)
}

/** Decodes canonical base64url; undefined for any other text. */
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
