// Talk between processes, cut into pieces that fit a notification, and put together again.
// Invariant: what is put together is whole and as it was said; pieces whose rest never comes are forgotten.
import { z } from 'zod'
import { toHex } from '../../../core/ids.ts'
import type { Random } from '../../../core/ports.ts'

/** PostgreSQL takes less than 8,000 bytes; a character of JSON text has up to four of UTF-8, and some are escaped once more. */
const pieceLength = 1800
/** What was begun and not ended, of all processes together: notifications of one transaction come together. */
const openLimit = 64

const pieceShape = z.tuple([
  z.literal('talk'),
  z.string(),
  z.string().max(64),
  z.string().max(64),
  z.number().int().min(0),
  z.number().int().min(1).max(100),
  z.string(),
])

export interface TalkPieces {
  cut(book: string, text: string): string[]
  /** The whole of which `said` was the last piece, unless it was said here; undefined for anything else. */
  take(said: unknown): { readonly book: string; readonly text: string } | undefined
}

/** `me` names this process. */
export function createTalkPieces(me: string, random: Random): TalkPieces {
  const open = new Map<string, string[]>()
  return {
    cut(book, text) {
      const name = toHex(random.bytes(8))
      const count = Math.max(1, Math.ceil(text.length / pieceLength))
      return Array.from({ length: count }, (_, i) =>
        JSON.stringify([
          'talk',
          me,
          book,
          name,
          i,
          count,
          text.slice(i * pieceLength, (i + 1) * pieceLength),
        ]),
      )
    },
    take(said) {
      const piece = pieceShape.safeParse(said).data
      if (!piece) return undefined
      const [, from, book, name, i, count, text] = piece
      if (from === me) return undefined
      const parts = i === 0 ? [] : open.get(name)
      open.delete(name)
      // The beginning was missed.
      if (!parts || parts.length !== i) return undefined
      parts.push(text)
      if (parts.length === count) return { book, text: parts.join('') }
      open.set(name, parts)
      const [oldest] = open.keys()
      if (oldest !== undefined && open.size > openLimit) open.delete(oldest)
      return undefined
    },
  }
}
