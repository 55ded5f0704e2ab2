// UTF-8 without the encoder of a platform.

/** Number of bytes of `text` in UTF-8. A lone surrogate counts as 3, like its replacement U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      bytes += 4
      i += 1
    } else bytes += 3
  }
  return bytes
}

/**
 * Writes `text` into a buffer from index `at`, and returns the number of bytes. Lone surrogates become U+FFFD. The
 * buffer must be large enough: `utf8Length`.
 */
export function writeUtf8(text: string, into: Uint8Array, at: number): number {
  let to = at
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0
    const code = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point
    if (code < 0x80) into[to++] = code
    else {
      const following = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3
      into[to++] = (code >> (6 * following)) | ((0xff << (7 - following)) & 0xff)
      for (let i = following - 1; i >= 0; i--) into[to++] = 0x80 | ((code >> (6 * i)) & 0x3f)
    }
  }
  return to - at
}

/** Reads bytes that `writeUtf8` wrote. Doesn't check them. */
export function readUtf8(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at++] ?? 0
    const following = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3
    let code = following === 0 ? lead : lead & (0x3f >> following)
    for (let i = 0; i < following; i++) code = (code << 6) | ((bytes[at++] ?? 0) & 0x3f)
    text += String.fromCodePoint(code)
  }
  return text
}
