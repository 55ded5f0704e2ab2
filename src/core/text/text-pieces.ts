// Cuts long texts into pieces.
// Invariant: no cut is between the halves of a surrogate pair.
import { isMessageLength, maxUncounted } from './message-length.ts'

/** `end`, or one less if that is between the halves of a surrogate pair. UTF-16 units. */
export const endOfPiece = (text: string, end: number): number =>
  (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end

/** `text` in pieces of at most `maxLength` UTF-16 units; an empty text has none. */
export function textPieces(text: string, maxLength: number): string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length;) {
    const end = endOfPiece(text, start + maxLength)
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}

/** `text` in pieces that are short enough for a message. */
export const messagePieces = (text: string): string[] =>
  isMessageLength(text) ? [text] : textPieces(text, maxUncounted)
