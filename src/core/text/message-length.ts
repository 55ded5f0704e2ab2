// How long one message may be: on every host and door the same, counted in bytes of UTF-8, because the rows of a
// database and the bodies of a protocol are limited in bytes.
import { utf8Length } from './utf8.ts'

/** Most bytes of a message in UTF-8. */
export const maxMessageBytes = 1_000_000
/** A UTF-16 unit takes at most three bytes, so a shorter text is never counted. */
const maxUncounted = Math.floor(maxMessageBytes / 3)

/** True if `text` is short enough for one message. */
export const isMessageLength = (text: string): boolean =>
  text.length <= maxUncounted || (text.length <= maxMessageBytes && utf8Length(text) <= maxMessageBytes)

/** `text` in pieces that are short enough for a message, never cut inside a character. */
export function messagePieces(text: string): string[] {
  if (isMessageLength(text)) return [text]
  const pieces: string[] = []
  for (let start = 0; start < text.length;) {
    const end = start + maxUncounted
    const isInPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800
    pieces.push(text.slice(start, isInPair ? end - 1 : end))
    start = isInPair ? end - 1 : end
  }
  return pieces
}
