// Cuts a text that is too long for one message.
import { isMessageLength, maxUncounted } from './message-length.ts'

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
